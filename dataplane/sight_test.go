package dataplane

import "testing"

// What a NIC counts and the XDP program does not see is believed only if it is so for a while.
func TestSight(t *testing.T) {
	type look struct {
		nic, xdp, unseen uint64
		sees             bool
	}
	for name, looks := range map[string][]look{
		"all are seen":          {{nic: 10, xdp: 0}, {30, 20, 0, true}, {90, 80, 0, true}, {90, 80, 0, false}},
		"none comes":            {{nic: 10, xdp: 5}, {10, 5, 0, false}, {10, 5, 0, false}, {10, 5, 0, false}, {10, 5, 0, false}},
		"few":                   {{nic: 1, xdp: 0}, {2, 0, 0, false}, {3, 0, 0, false}, {4, 0, 0, false}, {5, 0, 0, false}},
		"few, for long":         {{nic: 0, xdp: 0}, {6, 0, 0, false}, {12, 0, 0, false}, {12, 0, 0, false}, {18, 0, 18, false}},
		"a burst":               {{nic: 0, xdp: 0}, {1000, 0, 0, false}, {1000, 0, 0, false}, {1000, 0, 0, false}},
		"none is seen":          {{nic: 5, xdp: 7}, {105, 7, 0, false}, {205, 7, 0, false}, {305, 7, 300, false}, {405, 7, 400, false}},
		"seen again":            {{nic: 0, xdp: 0}, {100, 0, 0, false}, {200, 0, 0, false}, {300, 0, 300, false}, {400, 1, 0, true}, {500, 1, 0, false}},
		"the NIC's count began": {{nic: 900, xdp: 0}, {950, 0, 0, false}, {1000, 0, 0, false}, {3, 0, 0, false}, {100, 0, 0, false}},
		"one frame is enough":   {{nic: 0, xdp: 0}, {100, 0, 0, false}, {200, 1, 0, true}, {300, 1, 0, false}, {400, 1, 0, false}},
	} {
		var s sight
		for i, l := range looks {
			if unseen, sees := s.look(l.nic, l.xdp); unseen != l.unseen || sees != l.sees {
				t.Errorf("%s: look %d: %d frames not seen, sees %v, want %d, %v", name, i, unseen, sees, l.unseen, l.sees)
			}
		}
	}
}

// After something was done about it, the looks begin again.
func TestSightAgain(t *testing.T) {
	var s sight
	for nic := uint64(0); nic <= 300; nic += 100 {
		s.look(nic, 0)
	}
	s.reset()
	for nic := uint64(400); nic <= 500; nic += 100 {
		if unseen, _ := s.look(nic, 0); unseen != 0 {
			t.Errorf("%d frames at once", unseen)
		}
	}
	if unseen, _ := s.look(600, 0); unseen != 300 {
		t.Errorf("%d frames, not 300", unseen)
	}
}
