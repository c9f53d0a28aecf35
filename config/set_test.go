package config_test

import (
	"strings"
	"testing"

	"uelink/config"
)

// A value is set at its key, however the key is written, and nothing else changes.
func TestSet(t *testing.T) {
	for _, c := range []struct{ key, value, before, after string }{
		{"ports.link0.dialect", "ue1", "- name: link0\n", "- name: link0\n    dialect: ue1\n"},
		{"ports[link0].dialect", "ue1", "- name: link0\n", "- name: link0\n    dialect: ue1\n"},
		{"ports[0].dialect", "ue1", "- name: link0\n", "- name: link0\n    dialect: ue1\n"}, // as a message of Parse has it
		{"bridges[0].ports[0].learning", "false", "{port: link1}", "{learning: false, port: link1}"},
		{"ports.link0.llr.remote", "true", "remote: false", "remote: true"},
		{"log.level", "warn", "level: info", "level: warn"},
		{"llr_profiles.long.max_replay_timer", "20ms", "10ms", "20ms"},
		{"ports.edge0.pfc.pause", "false", "{name: edge0,", "{name: edge0, pfc: {pause: false},"},
		{"bridges.br0.ports.link1.learning", "false", "{port: link1}", "{learning: false, port: link1}"},
	} {
		changed, err := config.Texts{File: "uelink.yaml", Main: []byte(file)}.Set(c.key, c.value)
		if want := strings.Replace(file, c.before, c.after, 1); err != nil || string(changed.After) != want {
			t.Errorf("%s: %v\n%s", c.key, err, changed.After)
		}
	}
}

// A key that does not exist, a section, and a value that the configuration refuses change nothing.
func TestSetRefuses(t *testing.T) {
	for _, c := range []struct{ key, value, want string }{
		{"ports.link0.dialekt", "ue1", "there is no key ports.link0.dialekt"},
		{"ports.link0", "x", "is a section"},
		{"ports.link0.llr", "x", "is a section"},
		{"ports[9].dialect", "ue1", "ports["},
		{"nothing", "x", "there is no key nothing"},
		{"", "x", "there is no key"},
		{"ports.link0.dialect", "latin", "seed"},
		{"ports.link9.dialect", "ue1", "ports[0].interface: this key is required"},
	} {
		changed, err := config.Texts{File: "uelink.yaml", Main: []byte(file)}.Set(c.key, c.value)
		if err == nil || !strings.Contains(err.Error(), c.want) || changed.After != nil {
			t.Errorf("%s: %v\n%s", c.key, err, changed.After)
		}
	}
}

// Of a file with mistakes one is mended after the other, by the key as the message of uelinkd --check has it. A change
// that mends nothing, or puts another wrong value there, is refused.
func TestSetMends(t *testing.T) {
	const twoWrong = `ports:
  - {name: link0, interface: eth1, role: link, mtu: 9000}
  - {name: edge0, interface: eth2, role: egde}
xconnects: [{edge: edge0, link: link0}]
`
	texts := config.Texts{File: "uelink.yaml", Main: []byte(twoWrong)}
	for _, c := range []struct{ key, value, want string }{
		{"ports[1].role", "egde", `"egde" is not one of`},
		{"ports[1].role", "hots", `"hots" is not one of`},
		{"log.level", "warn", `"egde" is not one of`},
		{"ports[1].nothing", "x", `"egde" is not one of`},
	} {
		if changed, err := texts.Set(c.key, c.value); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v\n%s", c.key, c.value, err, changed.After)
		}
	}
	changed, err := texts.Set("ports[1].role", "edge")
	if err != nil || changed.Refused == nil || !strings.Contains(changed.Refused.Error(), "ports[0].mtu") {
		t.Fatalf("%v, still refused: %v", err, changed.Refused)
	}
	texts.Main = changed.After
	if changed, err = texts.Set("ports[0].mtu", "auto"); err != nil || changed.Refused != nil {
		t.Errorf("%v, still refused: %v", err, changed.Refused)
	}
}
