package dcbnl

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"uelink/lldp/dcbx"
)

func TestEveryGroupGetsATrafficClass(t *testing.T) {
	for _, c := range []struct {
		name string
		pg   dcbx.PG
		want groups
	}{
		{"one group", dcbx.PG{Percentage: [8]uint8{100}},
			groups{class: [8]class{{0, 0xFF, sharing, 100}}, bandwidth: [8]uint8{100}}},
		{"two groups and the strict one", dcbx.PG{Group: [8]uint8{0, 0, 0, 3, 0, 0, 0, 15}, Percentage: [8]uint8{50, 0, 0, 50}},
			groups{class: [8]class{{0, 0x77, sharing, 100}, {3, 0x08, sharing, 100}, {1, 0x80, linkStrict, 0}}, bandwidth: [8]uint8{50, 0, 0, 50}}},
		{"a group each", dcbx.PG{Group: [8]uint8{7, 6, 5, 4, 3, 2, 1, 0}, Percentage: [8]uint8{13, 13, 13, 13, 12, 12, 12, 12}},
			groups{class: [8]class{{0, 0x80, 0, 100}, {1, 0x40, 0, 100}, {2, 0x20, 0, 100}, {3, 0x10, 0, 100},
				{4, 8, 0, 100}, {5, 4, 0, 100}, {6, 2, 0, 100}, {7, 1, 0, 100}},
				bandwidth: [8]uint8{13, 13, 13, 13, 12, 12, 12, 12}}},
		{"all strict", dcbx.PG{Group: [8]uint8{15, 15, 15, 15, 15, 15, 15, 15}},
			groups{class: [8]class{{0, 0xFF, linkStrict, 0}}}},
		{"bandwidth of groups without priorities is nobody's", dcbx.PG{Percentage: [8]uint8{60, 200, 30}},
			groups{class: [8]class{{0, 0xFF, sharing, 100}}, bandwidth: [8]uint8{60}}},
	} {
		if diff := cmp.Diff(c.want, arrange(c.pg), cmp.AllowUnexported(groups{}, class{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Whatever a peer says of groups, each priority is in exactly one class.
func TestEveryPriorityIsInOneClass(t *testing.T) {
	for n := range 1 << 16 {
		var pg dcbx.PG
		for i := range pg.Group {
			pg.Group[i] = uint8(n>>(2*i)) * 5 & 0xF
		}
		var all uint8
		for _, c := range arrange(pg).class {
			if all&c.priorities != 0 || c.group >= classes {
				t.Fatalf("%v: %+v", pg, c)
			}
			all |= c.priorities
		}
		if all != 0xFF {
			t.Fatalf("%v: only priorities %08b", pg, all)
		}
	}
}
