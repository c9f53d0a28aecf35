package sonic

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParseSettings: a unix socket, and an address with everything.
func TestParseSettings(t *testing.T) {
	for text, want := range map[string]Settings{
		"redis: {socket: /run/redis.sock}\nports: [{name: Ethernet0, port: link0}]\n": {
			Redis: Redis{Socket: "/run/redis.sock"}, Ports: []Port{{"Ethernet0", "link0"}}},
		"redis: {address: \"sw:6380\", ca: /ca, cert: /c, key: /k, user: u, password_file: /p}\n" +
			"ports: [{name: Ethernet0, port: link0}, {name: Ethernet4, port: link1}]\nprofile_lookup: /l.ini\n": {
			Redis: Redis{Address: "sw:6380", CA: "/ca", Cert: "/c", Key: "/k", User: "u", PasswordFile: "/p"},
			Ports: []Port{{"Ethernet0", "link0"}, {"Ethernet4", "link1"}}, Lookup: "/l.ini"},
	} {
		is, err := ParseSettings("f", []byte(text))
		if diff := cmp.Diff(want, is); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}

// TestWrongSettings: each mistake is named with its place.
func TestWrongSettings(t *testing.T) {
	const ports, redis = "ports: [{name: Ethernet0, port: link0}]\n", "redis: {socket: /s}\n"
	for text, want := range map[string]string{
		redis: "ports: this key is required",
		ports: "redis: give either socket",
		ports + "redis: {socket: /s, address: \"h:1\", user: u, password_file: /p}": "give either",
		ports + "redis: {socket: s}":                                              "no absolute path",
		ports + "redis: {socket: /s, ca: /ca}":                                    "ca, cert and key go with address",
		ports + "redis: {address: h, user: u, password_file: /p}":                 "has no port",
		ports + "redis: {address: \"h:1\"}":                                       "address needs user",
		ports + "redis: {socket: /s, user: u}":                                    "give user and password_file, or neither",
		ports + "redis: {address: \"h:1\", user: u, password_file: /p, key: /k}":  "give cert and key, or neither",
		redis + "ports: [{name: Ethernet0, port: a}, {name: Ethernet0, port: b}]": "ports[1].name: an earlier entry",
		redis + "ports: [{name: Ethernet0, port: a}, {name: Ethernet4, port: a}]": "ports[1].port: an earlier entry has the port",
		redis + ports + "databases: 16\n":                                         "unknown key",
		redis + "ports: [{name: Ethernet0}]\n":                                    "ports[0].port: this key is required",
	} {
		if _, err := ParseSettings("f", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
