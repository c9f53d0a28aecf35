package trouble

import "testing"

// What a NIC counts and the XDP program does not see is believed only if it is so for a while.
func TestReceiveCheck(t *testing.T) {
	type check struct {
		nic, xdp, unseen uint64
		sees             bool
	}
	for name, checks := range map[string][]check{
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
		var r receiveCheck
		for i, c := range checks {
			if unseen, sees := r.update(c.nic, c.xdp); unseen != c.unseen || sees != c.sees {
				t.Errorf("%s: check %d: %d frames not seen, sees %v, want %d, %v", name, i, unseen, sees, c.unseen, c.sees)
			}
		}
	}
}

// After something was done about it, the checks begin again.
func TestReceiveCheckAfterReattachment(t *testing.T) {
	var r receiveCheck
	for nic := uint64(0); nic <= 300; nic += 100 {
		r.update(nic, 0)
	}
	r.restart()
	for nic := uint64(400); nic <= 500; nic += 100 {
		if unseen, _ := r.update(nic, 0); unseen != 0 {
			t.Errorf("%d frames at once", unseen)
		}
	}
	if unseen, _ := r.update(600, 0); unseen != 300 {
		t.Errorf("%d frames, not 300", unseen)
	}
}
