package dialect

import (
	"testing"

	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
	"uelink/wire"
)

const second = wire.Time(1e9)

// Each line is an input at a second, and the dialect after it.
func TestChoice(t *testing.T) {
	ieee, cee, both := Heard{IEEE: true}, Heard{CEE: true}, Heard{IEEE: true, CEE: true}
	cin, bare := Heard{CIN: true}, Heard{}
	type input struct {
		at    wire.Time
		heard *Heard // nil: Restart
		cee   bool
	}
	for _, c := range []struct {
		about   string
		version Version
		inputs  []input
	}{
		{"nothing is heard", Auto, []input{{1, &bare, false}, {40, &bare, false}}},
		{"IEEE is heard", Auto, []input{{1, &ieee, false}, {5, &ieee, false}}},
		{"CEE alone", Auto, []input{{1, &cee, false}, {2, &cee, false}, {3, &cee, false}, {4, &cee, true}, {9, &cee, true}}},
		{"CIN alone", Auto, []input{{1, &cin, false}, {9, &cin, false}}},
		{"both at once", Auto, []input{{1, &both, false}, {9, &both, false}}},
		{"IEEE within the three seconds", Auto, []input{{1, &cee, false}, {3, &ieee, false}, {4, &cee, false}, {6, &cee, false},
			{7, &cee, true}}},
		{"CEE is withdrawn within the three seconds", Auto, []input{{1, &cee, false}, {2, &bare, false}, {5, &cee, false}}},
		{"the peer changes to IEEE", Auto, []input{{1, &cee, false}, {4, &cee, true}, {5, &ieee, false}, {6, &cee, false},
			{9, &cee, true}}},
		{"in CEE both are heard", Auto, []input{{1, &cee, false}, {4, &cee, true}, {5, &both, true}, {6, &ieee, false}}},
		{"in CEE nothing is heard", Auto, []input{{1, &cee, false}, {4, &cee, true}, {5, &bare, true}}},
		{"the peer is gone", Auto, []input{{1, &cee, false}, {4, &cee, true}, {5, nil, false}, {6, &cee, false}, {9, &cee, true}}},
		{"IEEE is fixed", IEEE, []input{{1, &cee, false}, {9, &cee, false}, {10, nil, false}}},
		{"CEE is fixed", CEE, []input{{1, &ieee, true}, {9, &ieee, true}, {10, nil, true}}},
	} {
		var choice Choice
		choice.SetVersion(c.version)
		for _, in := range c.inputs {
			if in.heard == nil {
				choice.Restart()
			} else {
				choice.Receive(*in.heard, in.at*second)
			}
			if choice.CEE() != in.cee {
				t.Errorf("%s: second %d: CEE %v", c.about, in.at, choice.CEE())
			}
		}
	}
}

// The three seconds end without another LLDPDU.
func TestDeadline(t *testing.T) {
	var c Choice
	if c.Deadline() != wire.Never {
		t.Error(c.Deadline())
	}
	c.Receive(Heard{CEE: true}, second)
	if c.Deadline() != 4*second || c.Poll(4*second-1) || !c.Poll(4*second) || !c.CEE() || c.Deadline() != wire.Never {
		t.Errorf("%+v", c)
	}
}

// Two ends with Auto, one of which begins in CEE, come to one dialect in every order of their LLDPDUs.
func TestTwoAutosMeet(t *testing.T) {
	for order := range 1 << 10 {
		var a, b Choice
		a.cee = true
		hear := func(c, other *Choice, at int) {
			c.Poll(wire.Time(at) * second)
			c.Receive(Heard{IEEE: !other.cee, CEE: other.cee}, wire.Time(at)*second)
		}
		for i := range 10 {
			if order>>i&1 == 0 {
				hear(&a, &b, i/2)
			} else {
				hear(&b, &a, i/2)
			}
		}
		for i := 5; i < 12; i++ {
			hear(&a, &b, i)
			hear(&b, &a, i)
		}
		if a.cee != b.cee {
			t.Errorf("order %010b: %+v %+v", order, a, b)
		}
	}
}

// A state without this machine is of a program that speaks CEE.
func TestStateOfAProgramWithCEEOnly(t *testing.T) {
	for version, cee := range map[Version]bool{Auto: true, CEE: true, IEEE: false} {
		var c Choice
		c.SetVersion(version)
		if err := snapshottest.Restore(nil, &c); err != nil {
			t.Fatal(err)
		}
		if c.CEE() != cee {
			t.Errorf("%v: CEE %v", version, c.CEE())
		}
	}
}

func TestStateHasEveryField(t *testing.T) {
	snapshottest.EveryField(t, func() snapshot.Machine { return &Choice{} }, "version")
}
