package sonic

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"uelink/config/schema"
)

// Settings is the configuration file of uelink sonic.
type Settings struct {
	Redis  Redis
	Ports  []Port
	Lookup string // path of llr_profile_lookup.ini; empty: none
}

// Redis is where SONiC's Redis is: a unix socket, or an address with TLS.
type Redis struct {
	Socket       string
	Address      string // host:port
	CA           string // path of CA certificates that signed the certificate of Redis; empty: those of the host
	Cert, Key    string // paths of the client's certificate and its key; empty: none
	User         string
	PasswordFile string
}

// Port is a port of SONiC's, and the daemon's port that it stands for.
type Port struct{ Name, Port string }

// ParseSettings parses the YAML text of the configuration file of `uelink sonic`. name names the file in errors.
func ParseSettings(name string, text []byte) (Settings, error) {
	var s Settings
	walk, whole := settingsFields().Decode(text, &s)
	if whole {
		checkRedis(walk, &s.Redis)
		checkPorts(walk, s.Ports)
	}
	return s, walk.Err(name)
}

// SettingsKeys returns the keys of the configuration file, each with range, default and meaning, for the reference
// manual.
func SettingsKeys() []schema.Row { return settingsFields().Rows("") }

// settingsFields returns the schema of the settings file.
func settingsFields() schema.Section[Settings] {
	return schema.Section[Settings]{
		schema.Nested("redis", "SONiC's Redis.", redisFields(), func(s *Settings) *Redis { return &s.Redis }),
		schema.RequiredList("ports", "The ports that are SONiC's. No other port is touched.", portFields(),
			func(s *Settings) *[]Port { return &s.Ports }),
		schema.Value("profile_lookup", filePath(), "",
			"Table of LLR profiles by speed and cable length, SONiC's `llr_profile_lookup.ini`; empty = none.",
			func(s *Settings) *string { return &s.Lookup }),
	}
}

// redisFields returns the schema of the key redis.
func redisFields() schema.Section[Redis] {
	return schema.Section[Redis]{
		schema.Value("socket", filePath(), "", "Unix socket of Redis. Either this or `address`.",
			func(r *Redis) *string { return &r.Socket }),
		schema.Value("address", schema.Text("HOST:PORT", anyText), "", "Address of Redis, reached by TLS. Needs `user`.",
			func(r *Redis) *string { return &r.Address }),
		schema.Value("ca", filePath(), "",
			"With `address`. CA certificates that signed the certificate of Redis; empty = those of the host.",
			func(r *Redis) *string { return &r.CA }),
		schema.Value("cert", filePath(), "", "With `address`. Certificate of this client, with `key`.",
			func(r *Redis) *string { return &r.Cert }),
		schema.Value("key", filePath(), "", "With `address`. Key of the certificate.",
			func(r *Redis) *string { return &r.Key }),
		schema.Value("user", schema.Text("name", anyText), "", "User of Redis's ACL.",
			func(r *Redis) *string { return &r.User }),
		schema.Value("password_file", filePath(), "", "File with the user's password.",
			func(r *Redis) *string { return &r.PasswordFile }),
	}
}

// portFields returns the schema of an entry of the key ports.
func portFields() schema.Section[Port] {
	return schema.Section[Port]{
		schema.Required("name", schema.Name(), "Name of the port in SONiC, such as Ethernet0.",
			func(p *Port) *string { return &p.Name }),
		schema.Required("port", schema.Name(), "Name of the port of uelinkd, such as link0.",
			func(p *Port) *string { return &p.Port }),
	}
}

func anyText(string) error { return nil }

// filePath returns the schema of a value that is an absolute path, or empty.
func filePath() schema.Kind[string] {
	return schema.Text("absolute path", func(text string) error {
		if text != "" && !filepath.IsAbs(text) {
			return fmt.Errorf("%q is no absolute path", text)
		}
		return nil
	})
}

// checkRedis reports settings of the connection to Redis that do not fit together: neither a socket nor an address,
// both, or a key without the key that it needs.
func checkRedis(w *schema.Walk, r *Redis) {
	if (r.Socket == "") == (r.Address == "") {
		w.FailAt("redis", "give either socket (a path) or address (HOST:PORT)")
		return
	}
	if err := checkPairs(r); err != nil {
		w.FailAt("redis", "%v", err)
	}
}

// checkPairs returns an error if a key of section redis is set without another key that it needs, such as address
// without user.
func checkPairs(r *Redis) error {
	switch {
	case r.Socket != "" && r.CA+r.Cert+r.Key != "":
		return errors.New("ca, cert and key go with address, not with socket")
	case r.Address != "" && !strings.Contains(r.Address, ":"):
		return fmt.Errorf("address %q has no port", r.Address)
	case r.Address != "" && r.User == "":
		return errors.New("address needs user and password_file: a Redis on the network has an ACL")
	case (r.User == "") != (r.PasswordFile == ""):
		return errors.New("give user and password_file, or neither")
	case (r.Cert == "") != (r.Key == ""):
		return errors.New("give cert and key, or neither")
	}
	return nil
}

// checkPorts reports a port name, of SONiC or of the daemon, that the list has twice.
func checkPorts(w *schema.Walk, ports []Port) {
	names, ours := map[string]bool{}, map[string]bool{}
	for i, p := range ports {
		at := schema.Element("ports", i)
		if names[p.Name] {
			w.FailAt(schema.Join(at, "name"), "an earlier entry has the name %q", p.Name)
		}
		if ours[p.Port] {
			w.FailAt(schema.Join(at, "port"), "an earlier entry has the port %q", p.Port)
		}
		names[p.Name], ours[p.Port] = true, true
	}
}
