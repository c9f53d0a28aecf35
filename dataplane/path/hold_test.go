package path

import (
	"slices"
	"testing"
)

// TestFramesAreHeldBackInACrowd: while many frames wait in the RX ring of the edge, the link is kicked once for several
// batches; with fewer, after each batch; and a command or another domain's turn sends what was held back.
func TestFramesAreHeldBackInACrowd(t *testing.T) {
	o := defaults()
	o.ring, o.profile.MaxOutstandingFrames = 1024, 1024
	p := up(t, o)
	e := p.a
	var order []string
	e.l.sources[0].device = kicked{e.l.device(), "link", &order}
	for range crowd + 8*batch {
		p.send(t)
	}
	kicks := func() int {
		before := len(order)
		e.x.Step(p.now)
		return len(order) - before
	}
	var got []int
	for range 9 {
		got = append(got, kicks())
	}
	if want := []int{0, 0, 0, 1, 0, 0, 0, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("kicks of the link in each step: %v, want %v", got, want)
	}
	if e.l.unsent != 0 {
		t.Errorf("%d frames are held back although few wait", e.l.unsent)
	}
	for range crowd {
		p.send(t)
	}
	if n := kicks(); n != 0 || e.l.unsent != batch {
		t.Fatalf("%d kicks, %d frames held back", n, e.l.unsent)
	}
	e.x.flushHeld()
	if e.l.unsent != 0 {
		t.Errorf("%d frames are held back after flushHeld", e.l.unsent)
	}
}

// TestFewFramesAreNotHeldBack: a port that gets a few frames of a crowd is kicked after each step.
func TestFewFramesAreNotHeldBack(t *testing.T) {
	for _, c := range []struct {
		unsent, held, ring int
		want               bool
	}{
		{unsent: heldLeast, ring: 1000, want: true},
		{unsent: heldLeast - 1, ring: 1000},
		{unsent: batch + heldLeast - 1, held: batch, ring: 1000},
		{unsent: heldMost, held: heldMost - batch, ring: 1000},
		{unsent: batch, ring: batch},
	} {
		p := &Port{unsent: c.unsent, held: c.held, ring: c.ring}
		if got := p.holdBack(); got != c.want {
			t.Errorf("%+v: held back %v", c, got)
		}
	}
}
