package dataplane

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"uelink/cbfc"
	"uelink/dataplane/model"
)

// Limits that are less than what the longest frame of the edges costs are refused with the numbers.
func TestLimitsAgainstTheMTU(t *testing.T) {
	xconnect := func(*Settings) {}
	bridged := func(s *Settings) {
		s.XConnects = nil
		s.Bridges = []BridgeSettings{{Name: "br0", Ports: []BridgePort{{Port: "link0"}, {Port: "edge0"}, {Port: "link1"}}}}
		s.Ports = append(s.Ports, model.PortSettings{Name: "link1", Interface: "l1", Role: model.RoleLink})
	}
	created := func(s *Settings) { s.Ports[1].Host = &model.HostInterface{Name: "ue0"} }
	for _, c := range []struct {
		name   string
		mtu    map[string]int
		limit  uint16
		total  uint16
		change func(*Settings)
		text   string // empty: it is right
	}{
		{"enough", map[string]int{"e0": 9000, "l0": 1500}, 5, 0, xconnect, ""},
		{"too few", map[string]int{"e0": 9000, "l0": 1500}, 4, 0, xconnect,
			"port link0: VC 1: 4 credits are too few: by the MTU of the edges a frame has up to 9018 octets, which cost 5: " +
				"grant at least so many (limit), or lower the MTU"},
		{"total", map[string]int{"e0": 9000}, 4, 4, xconnect, "(total_credits or credit_pool_size)"},
		{"not known", map[string]int{"l0": 9014}, 1, 0, xconnect, ""},
		{"off", map[string]int{"e0": 9000}, 1, 0, func(s *Settings) { s.Ports[0].CBFC.On = false }, ""},
		{"bridge, by itself", map[string]int{"e0": 1500, "l0": 9014}, 1, 0, bridged, ""},
		{"bridge, by another link", map[string]int{"e0": 1500, "l1": 9014}, 4, 0, bridged, "up to 9018 octets, which cost 5"},
		{"made edge", map[string]int{"e0": 1500, "l0": 9014}, 4, 0, created, "up to 9018 octets, which cost 5"},
		{"made edge on a short link", map[string]int{"e0": 9000, "l0": 1514}, 1, 0, created, ""},
	} {
		s := Settings{
			Ports: []model.PortSettings{
				{Name: "link0", Interface: "l0", Role: model.RoleLink, CBFC: cbfc.Settings{
					On: true, Size: cbfc.Size{Credit: 2048}, Total: c.total,
				}},
				{Name: "edge0", Interface: "e0", Role: model.RoleEdge},
			},
			XConnects: []XConnect{{Edge: "edge0", Link: "link0"}},
		}
		s.Ports[0].CBFC.Limit[1] = c.limit
		c.change(&s)
		err := s.CheckLimits(func(ifname string) int { return c.mtu[ifname] })
		if (err == nil) != (c.text == "") || err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %q", c.name, err, c.text)
		}
		if coded := (*Error)(nil); err != nil && (!errors.As(err, &coded) || coded.ExitCode() != 2) {
			t.Errorf("%s: %v has another exit code than 2", c.name, err)
		}
	}
}

// Where the MTU has grown since, settings that change something else are not refused.
func TestLimitsOfBefore(t *testing.T) {
	s := Settings{
		Ports: []model.PortSettings{
			{Name: "link0", Interface: "l0", Role: model.RoleLink, CBFC: cbfc.Settings{
				On: true, Size: cbfc.Size{Credit: 2048}, Limit: [cbfc.VCs]uint16{3},
			}},
			{Name: "edge0", Interface: "e0", Role: model.RoleEdge},
		},
		XConnects: []XConnect{{Edge: "edge0", Link: "link0"}},
	}
	mtuOf := func(string) int { return 9000 }
	old := s
	old.Ports = slices.Clone(s.Ports)
	old.Ports[0].RingSize = 64
	if err := s.checkLimits(&old, mtuOf); err != nil {
		t.Error(err)
	}
	old.Ports[0].CBFC.Limit[0] = 64
	if err := s.checkLimits(&old, mtuOf); err == nil {
		t.Error("a limit that is lowered too far is not refused")
	}
}
