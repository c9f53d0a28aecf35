package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"uelink/config/schema"
)

// UnixPrefix begins the value of web.listen for a unix socket.
const UnixPrefix = "unix:"

// webFields returns the schema of the configuration key web.
func webFields() schema.Section[Web] {
	return schema.Section[Web]{
		schema.Value("listen", webAddress(), "",
			"Where the page is served, by HTTP: `unix:` and the path of a socket, or an address; empty = off.",
			func(p *Web) *string { return &p.Listen }),
		schema.Value("mode", fileMode(), "0660", "Permissions of a unix socket.",
			func(p *Web) *os.FileMode { return &p.Mode }),
		schema.Value("group", groupName(), "", "Group that owns a unix socket, by name or id; empty = the daemon's.",
			func(p *Web) *string { return &p.Group }),
		schema.Value("allow_remote", schema.Boolean(), "false",
			"Allows an address that is not of loopback: everybody who reaches it can read the page. Needs `hosts`.",
			func(p *Web) *bool { return &p.AllowRemote }),
		schema.Scalars("hosts", hostName(), 0, "",
			"Names and IP addresses by which browsers reach the page, besides `localhost` and those of loopback.",
			func(p *Web, list []string) { p.Hosts = list }),
	}
}

// webAddress returns the schema.Kind that parses "unix:" with an absolute path, host:port, or empty.
func webAddress() schema.Kind[string] {
	address, path := listenAddress(), socketPath()
	return schema.NewKind("unix:PATH, host:port, empty", address.JSON, func(s schema.Scalar) (string, error) {
		rest, isUnix := strings.CutPrefix(s.Text, UnixPrefix)
		if !isUnix {
			text, err := address.Parse(s)
			if err != nil && filepath.IsAbs(s.Text) {
				return "", fmt.Errorf("%q has no %s in front", s.Text, UnixPrefix)
			}
			return text, err
		}
		s.Text = rest
		if _, err := path.Parse(s); err != nil {
			return "", err
		}
		return UnixPrefix + rest, nil
	})
}

// hostName returns the schema.Kind that parses the name or the IP address of a host.
func hostName() schema.Kind[string] {
	return schema.Text("host", func(s string) error {
		switch {
		case s == "":
			return errors.New("the name of a host is missing")
		case !isHost(s):
			return fmt.Errorf("%q is neither an IP address nor the name of a host: write it without port and brackets",
				s)
		}
		return nil
	})
}
