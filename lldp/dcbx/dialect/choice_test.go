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

// ends are two ends of a link at a second. What is left of a wait counts, not the time, so that the states are few.
type ends struct {
	c    [2]Choice
	left [2]int // seconds until CEE begins, -1: no wait
}

// after returns the ends after a move of end i, at second 10.
func (e ends) after(i int, move func(c, other *Choice)) ends {
	const now = 10 * second
	for i, left := range e.left {
		e.c[i].until = 0
		if left >= 0 {
			e.c[i].until = now + wire.Time(left)*second
		}
	}
	other := e.c[1-i]
	move(&e.c[i], &other)
	for i := range e.c {
		e.left[i] = -1
		if e.c[i].waits {
			e.left[i] = int((e.c[i].until - now) / second)
		}
		e.c[i].until = 0
	}
	return e
}

// ticked returns the ends a second later.
func (e ends) ticked() ends {
	for i := range e.left {
		e.left[i] = max(e.left[i]-1, min(e.left[i], 0))
	}
	for i := range e.c {
		e = e.after(i, func(c, _ *Choice) { c.Poll(10 * second) })
	}
	return e
}

func hear(c, other *Choice) { c.Receive(Heard{IEEE: !other.cee, CEE: other.cee}, 10*second) }

// Every state of two ends, whatever is heard in whatever order, and with every version; from each of them, once
// LLDPDUs come through, both are at rest within twelve seconds. They speak the same dialect, unless both have a fixed
// one.
func TestTwoEndsMeet(t *testing.T) {
	moves := []func(c, other *Choice){hear, (*Choice).lose, hears(Heard{}), hears(Heard{CIN: true}),
		hears(Heard{IEEE: true}), hears(Heard{CEE: true}), hears(Heard{IEEE: true, CEE: true}),
		version(Auto), version(IEEE), version(CEE)}
	seen := map[ends]bool{}
	frontier := []ends{{left: [2]int{-1, -1}}}
	for len(frontier) > 0 {
		e := frontier[0]
		frontier = frontier[1:]
		if seen[e] {
			continue
		}
		seen[e] = true
		meets(t, e)
		frontier = append(frontier, e.ticked())
		for _, m := range moves {
			frontier = append(frontier, e.after(0, m), e.after(1, m))
		}
	}
	t.Logf("%d states, all of them", len(seen))
}

func (c *Choice) lose(*Choice) { c.Restart() }

func hears(h Heard) func(c, _ *Choice) { return func(c, _ *Choice) { c.Receive(h, 10*second) } }

func version(v Version) func(c, _ *Choice) { return func(c, _ *Choice) { c.SetVersion(v) } }

// meets checks where two ends arrive that hear each other each second.
func meets(t *testing.T, e ends) {
	t.Helper()
	round := func() {
		e = e.after(0, hear).after(1, hear).ticked()
	}
	from := e
	for range 12 {
		round()
	}
	rest := e
	if round(); e != rest {
		t.Errorf("from %+v: no rest: %+v, then %+v", from, rest, e)
	}
	fixed := e.c[0].version != Auto && e.c[1].version != Auto
	if !fixed && e.c[0].cee != e.c[1].cee {
		t.Errorf("from %+v: two dialects: %+v", from, e)
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
