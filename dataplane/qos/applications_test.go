package qos

import "testing"

func TestClassesOfApplications(t *testing.T) {
	for _, c := range []struct {
		about                  string
		a                      Applications
		ef, af31, tagged, bare uint8 // classes
	}{
		{"a DSCP", Applications{Listed: 1 << 26, Priority: [64]uint8{26: 3}, Any: true}, 0, 3, 0, 0},
		{"a DSCP and a default", Applications{Listed: 1 << 26, Priority: [64]uint8{26: 3}, Default: 1, Any: true}, 1, 3, 1, 1},
		{"a default alone", Applications{Default: 5, Any: true}, 5, 5, 5, 5},
	} {
		m := c.a.Map(Map{Queue: [Classes]uint8{1: 7}})
		for frame, want := range map[string]uint8{"0800 45b8 0014": c.ef, "0800 4568 0014": c.af31,
			"8100 a00a 0806 0001": c.tagged, "0806 0001 0800": c.bare} {
			if got := m.Class(octets(t, frame)); got != want {
				t.Errorf("%s: %s has class %d, want %d", c.about, frame, got, want)
			}
		}
		if m.Queue[1] != 7 {
			t.Errorf("%s: the queues have changed", c.about)
		}
	}
}
