package config

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"uelink/dataplane"
	"uelink/dataplane/bridge"
)

// twoPorts are the ports of the documents about bridges, in line 1.
const twoPorts = "ports: [{name: link0, interface: eth1, role: link}, {name: edge0, interface: veth1, role: edge}]\n"

// bridgeOf is a document whose bridge, in line 2, has keys, as has its first port.
func bridgeOf(keys, portKeys string) string {
	ports := "[{port: link0" + comma(portKeys) + "}, {port: edge0}]"
	return twoPorts + "bridges: [{name: br0, ports: " + ports + comma(keys) + "}]"
}

func comma(keys string) string {
	if keys == "" {
		return ""
	}
	return ", " + keys
}

func TestBridge(t *testing.T) {
	const text = `
ports:
  - {name: link0, interface: eth1, role: link}
  - {name: link1, interface: eth2, role: link}
  - {name: edge0, interface: veth1, role: edge}
bridges:
  - name: br0
    ageing: 60s
    vlan_filtering: true
    reserved: forward
    loop_guard: block
    loop_block: 5s
    max_entries: 1000
    ports:
      - {port: link0, tagged: [10, 20-22, 21, 30], isolated: true, learning: false,
         broadcast_limit: 1000, unknown_limit: 2000, multicast_limit: 4294967295}
      - port: link1
        pvid: 10
        untagged: [4094, "2-3"]
        tagged: [10]
        static:
          - {mac: 02:00:00:00:00:01, vlan: 10}
          - {mac: "0a-00-00-00-00-FF", vlan: 3}
      - {port: edge0, pvid: 0, tagged: [7]}
`
	want := []dataplane.BridgeSettings{{
		Name: "br0",
		Settings: bridge.Settings{
			Ageing: time.Minute, VLANFiltering: true, MaxEntries: 1000, Reserved: bridge.ReservedForward,
			LoopGuard: bridge.LoopGuardBlock, BlockTime: 5 * time.Second,
		},
		Ports: []dataplane.BridgePort{
			{Port: "link0", PortSettings: bridge.PortSettings{
				PVID: 1, Tagged: []uint16{10, 20, 21, 22, 30}, Untagged: []uint16{1}, Isolated: true,
				Broadcast: 1000, Unknown: 2000, Multicast: 4294967295,
			}},
			{Port: "link1", PortSettings: bridge.PortSettings{
				PVID: 10, Tagged: []uint16{10}, Untagged: []uint16{2, 3, 4094}, Learning: true,
				Static: []bridge.Address{{MAC: [6]byte{2, 5: 1}, VLAN: 10}, {MAC: [6]byte{10, 5: 0xFF}, VLAN: 3}},
			}},
			{Port: "edge0", PortSettings: bridge.PortSettings{Tagged: []uint16{7}, Learning: true}},
		},
	}}
	if diff := cmp.Diff(want, parse(t, text).Settings.Bridges); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Without filtering a port is in no VLAN.
func TestBridgeDefaults(t *testing.T) {
	want := []dataplane.BridgeSettings{{
		Name:     "br0",
		Settings: bridge.Settings{Ageing: 5 * time.Minute, MaxEntries: 131072, BlockTime: 10 * time.Second},
		Ports: []dataplane.BridgePort{
			{Port: "link0", PortSettings: bridge.PortSettings{Learning: true}},
			{Port: "edge0", PortSettings: bridge.PortSettings{Learning: true}},
		},
	}}
	if diff := cmp.Diff(want, parse(t, bridgeOf("", "")).Settings.Bridges); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	filtering := parse(t, bridgeOf("vlan_filtering: true", "")).Settings.Bridges[0].Ports[0]
	member := bridge.PortSettings{PVID: 1, Untagged: []uint16{1}, Learning: true}
	if diff := cmp.Diff(member, filtering.PortSettings); diff != "" {
		t.Errorf("with filtering (-want +got):\n%s", diff)
	}
}

// What the bridge is given, it takes: none of its own checks fails.
func TestBridgeTakesItsSettings(t *testing.T) {
	for _, file := range []string{"../deploy/uelink.yaml", "testdata/good/bridges.yaml"} {
		c, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range c.Settings.Bridges {
			b := bridge.New(s.Settings, 1, 0)
			for n, p := range s.Ports {
				if err := b.SetPort(n, p.PortSettings); err != nil {
					t.Errorf("%s: %s of %s: %v", file, p.Port, s.Name, err)
				}
			}
		}
	}
}

// A list of VLANs that overlap, however many, is read at once.
func TestManyRangesOfVLANs(t *testing.T) {
	text := bridgeOf("vlan_filtering: true", "tagged: ["+strings.Repeat("1-4094, ", 2000)+"1]")
	if got := len(parse(t, text).Settings.Bridges[0].Ports[0].Tagged); got != 4094 {
		t.Errorf("%d VLANs", got)
	}
}

func TestManyPortsOfABridge(t *testing.T) {
	document := func(n int) string {
		var ports, members []string
		for i := range n {
			ports = append(ports, fmt.Sprintf("{name: e%d, interface: veth%d, role: edge}", i, i))
			members = append(members, fmt.Sprintf("{port: e%d}", i))
		}
		return "ports: [" + strings.Join(ports, ", ") + "]\n" +
			"bridges: [{name: br0, ports: [" + strings.Join(members, ", ") + "]}]"
	}
	if got := len(parse(t, document(256)).Settings.Bridges[0].Ports); got != 256 {
		t.Errorf("%d ports", got)
	}
	const want = "f:2:30: bridges[0].ports: a bridge has 1 to 256 ports, not 257"
	if got := parseError(t, document(257)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
