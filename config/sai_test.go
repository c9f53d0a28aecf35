package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLanes: the lanes of a port for SAI, and none of the ports that the kernel keeps.
func TestLanes(t *testing.T) {
	c, err := Parse("f", []byte(`ports:
  - {name: h, interface: eth0, role: host}
  - {name: a, interface: eth1, role: link, sai: {lanes: [8, 9]}}
  - {name: b, interface: eth2, role: edge}
xconnects: [{link: a, edge: b}]
`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]uint32{"a": {8, 9}}, c.Lanes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWrongLanes: a lane of two ports, also where the second has it by its place.
func TestWrongLanes(t *testing.T) {
	for text, want := range map[string]string{
		"{name: a, interface: e1, role: link, sai: {lanes: [8, 8]}}":        "lane 8 belongs to ports[0] already",
		"{name: a, interface: e1, role: link, sai: {lanes: [1]}}":           "ports[1].sai: lane 1 belongs to ports[0] already",
		"{name: a, interface: e1, role: link, sai: {lanes: [-1]}}":          "out of range",
		"{name: a, interface: e1, role: link, sai: {lanes: [4294967296]}}":  "out of range",
		"{name: a, interface: e1, role: host, sai: {lanes: [1]}}":           "only a port with role link or edge has this key",
		"{name: a, interface: e1, role: link, sai: {lanes: [2], queue: 1}}": "unknown key",
	} {
		_, err := Parse("f", []byte("ports: ["+text+", {name: b, interface: e2, role: edge}]\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
