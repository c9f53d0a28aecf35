package config_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"uelink/config"
	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
)

// bridged is a configuration with two bridges, one with VLANs.
const bridged = `ports:
  - {name: edge0, interface: eth0, role: edge}
  - {name: edge1, interface: eth1, role: edge}
  - {name: link0, interface: eth2, role: link}
  - {name: link1, interface: eth3, role: link}
bridges:
  - {name: br0, ports: [{port: link0}, {port: edge0}]}
  - name: br1
    vlan_filtering: true
    ports:
      - port: link1
        tagged: [7, 8]
      # hosts
      - port: edge1
        pvid: 7
        static:
          - {mac: "02:00:00:00:00:07", vlan: 7}
`

// entry is a static entry of a port.
func entry(in, port string, last byte, vlan uint16) model.FDBEntry {
	return model.FDBEntry{Bridge: in, Port: port, MAC: [6]byte{2, 0, 0, 0, 0, last}, VLAN: vlan, Static: true}
}

// Static entries that commands have added are kept at their ports; learned ones are not.
func TestKeepStaticEntries(t *testing.T) {
	now := running(t, bridged, func(now *config.Running) {
		learned := entry("br0", "edge0", 9, 0)
		learned.Static = false
		now.Static = []model.FDBEntry{
			entry("br1", "edge1", 7, 7), entry("br0", "edge0", 1, 0), entry("br0", "edge0", 2, 0), learned,
			entry("br1", "link1", 3, 8), entry("br1", "edge1", 4, 7),
		}
	})
	kept, err := config.Keep(config.Texts{File: "uelink.yaml", Main: []byte(bridged)}, now)
	if err != nil || kept.Lost != nil {
		t.Fatalf("%v, %q", err, kept.Lost)
	}
	c, err := config.Parse("kept", []byte(kept.Text))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range now.Static {
		for _, b := range c.Settings.Bridges {
			for _, p := range b.Ports {
				has := slices.Contains(p.Static, bridge.Address{MAC: want.MAC, VLAN: want.VLAN})
				if should := want.Static && want.Bridge == b.Name && want.Port == p.Port; has != should {
					t.Errorf("%+v at %s: %t\n%s", want, p.Port, has, kept.Text)
				}
			}
		}
	}
	if !strings.Contains(kept.Text, "      # hosts\n") {
		t.Errorf("a comment is lost:\n%s", kept.Text)
	}
	again, err := config.Keep(config.Texts{File: "uelink.yaml", Main: []byte(kept.Text)}, now)
	if err != nil || again.Text != kept.Text || again.Lost != nil {
		t.Errorf("kept again: %v, %q\n%s", err, again.Lost, again.Text)
	}
	now.Static = nil
	kept, err = config.Keep(config.Texts{File: "uelink.yaml", Main: []byte(bridged)}, now)
	if err != nil || kept.Text != bridged || kept.Lost != nil {
		t.Errorf("without a table: %v, %q", err, kept.Lost)
	}
}

// What the file cannot have is named: an entry that a command has removed, and an address in a second VLAN.
func TestKeepNamesLostEntries(t *testing.T) {
	now := running(t, bridged, func(now *config.Running) { now.Static = []model.FDBEntry{} })
	kept, err := config.Keep(config.Texts{File: "uelink.yaml", Main: []byte(bridged)}, now)
	want := []string{"static FDB entry 02:00:00:00:00:07 in VLAN 7 of port edge1: a command has removed the " +
		"address, but the file still has it: remove the address from section bridges of the file"}
	if err != nil || kept.Text != bridged || !reflect.DeepEqual(kept.Lost, want) {
		t.Errorf("%v, %q\n%s", err, kept.Lost, kept.Text)
	}
	text := strings.Replace(bridged, "pvid: 7", "pvid: 7\n        tagged: [8]", 1)
	now = running(t, text, func(now *config.Running) {
		now.Static = []model.FDBEntry{entry("br1", "edge1", 7, 7), entry("br1", "edge1", 7, 8)}
	})
	kept, err = config.Keep(config.Texts{File: "uelink.yaml", Main: []byte(text)}, now)
	if err != nil || kept.Text != text || len(kept.Lost) != 1 ||
		!strings.HasPrefix(kept.Lost[0], "static FDB entry 02:00:00:00:00:07 in VLAN 8 of port edge1: ") {
		t.Errorf("%v, %q\n%s", err, kept.Lost, kept.Text)
	}
}
