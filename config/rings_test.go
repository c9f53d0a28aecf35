package config

import "testing"

// The RX ring of an edge holds 4096 frames by default, and never fewer than before there was a key for it.
func TestDefaultRxRing(t *testing.T) {
	for _, c := range []struct {
		keys       string
		edge, link int
	}{
		{"", 4096, 1024},
		{", ring_size: 64", 4096, 64},
		{", ring_size: 4096", 4096, 4096},
		{", ring_size: 16384", 16384, 16384},
		{", rx_ring_size: auto", 4096, 1024},
		{", rx_ring_size: 512", 512, 512},
		{", ring_size: 2048, rx_ring_size: 8192", 8192, 8192},
	} {
		ports := parse(t, "ports:\n  - {name: l, interface: i, role: link"+c.keys+"}\n"+
			"  - {name: e, interface: j, role: edge"+c.keys+"}\nxconnects: [{edge: e, link: l}]\n").Settings.Ports
		if link, edge := ports[0].RxRingSize, ports[1].RxRingSize; edge != c.edge || link != c.link {
			t.Errorf("%q: edge %d and link %d, want %d and %d", c.keys, edge, link, c.edge, c.link)
		}
	}
}
