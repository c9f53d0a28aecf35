package path

import (
	"slices"
	"testing"

	"uelink/dataplane/frame"
)

// TestFramesAreHeldBackInACrowd: while many frames wait in the RX ring of the edge, the link is kicked once for several
// batches; with fewer, after each batch; and a command or another domain's turn sends what was held back.
func TestFramesAreHeldBackInACrowd(t *testing.T) {
	o := defaults()
	o.ring, o.profile.MaxOutstandingFrames = 1024, 1024
	p := up(t, o)
	e := p.a
	var order []string
	e.l.Port.sources[0].device = kicked{e.l.Port.device(), "link", &order}
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
	if e.l.Port.tx.unsent != 0 {
		t.Errorf("%d frames are held back although few wait", e.l.Port.tx.unsent)
	}
	for range crowd {
		p.send(t)
	}
	if n := kicks(); n != 0 || e.l.Port.tx.unsent != batch {
		t.Fatalf("%d kicks, %d frames held back", n, e.l.Port.tx.unsent)
	}
	e.x.flushHeld()
	if e.l.Port.tx.unsent != 0 {
		t.Errorf("%d frames are held back after flushHeld", e.l.Port.tx.unsent)
	}
}

// TestFewFramesAreNotHeldBack: a port that gets a few frames of a crowd is kicked after each step.
func TestFewFramesAreNotHeldBack(t *testing.T) {
	for _, c := range []struct {
		unsent, deferred, ring int
		want                   bool
	}{
		{unsent: heldLeast, ring: 1000, want: true},
		{unsent: heldLeast - 1, ring: 1000},
		{unsent: batch + heldLeast - 1, deferred: batch, ring: 1000},
		{unsent: heldMost, deferred: heldMost - batch, ring: 1000},
		{unsent: batch, ring: batch},
	} {
		p := &Port{tx: txRing{unsent: c.unsent, deferred: c.deferred, ring: c.ring}}
		if got := p.holdBack(); got != c.want {
			t.Errorf("%+v: held back %v", c, got)
		}
	}
}

// TestFramesHeldBackAreNotAcknowledged: whatever the partner knows as acknowledged has left by the edge, by LLR_ACK and
// by LLR_NACK, also while frames are held back for a larger batch.
func TestFramesHeldBackAreNotAcknowledged(t *testing.T) {
	inOneGoroutine(t)
	for _, lost := range []int{0, 200} { // number of a frame that the wire loses; 0: none
		o := defaults()
		o.ring, o.profile.MaxOutstandingFrames = 2048, 2048
		p := up(t, o)
		const sent = crowd + 12*batch
		for range sent {
			p.send(t)
		}
		for left := 0; left < sent; left = int(p.a.l.Port.Counters.TxFrames) {
			p.a.x.Step(p.now)
		}
		acked := func() int {
			outstanding, _ := p.a.l.LLR.Tx.Outstanding()
			return sent - outstanding
		}
		p.b.l.Port.sources[0].device = watchedKick{p.b.l.Port.device(), func() {
			p.a.x.Step(p.now)
			if n := p.b.host.Pending(); acked() > n {
				t.Fatalf("%d frames are acknowledged, %d have left", acked(), n)
			}
		}}
		most := 0
		for range 3 * sent / batch {
			p.now += 5e3
			if lost > 0 && p.b.edge.Counters.TxFrames >= uint64(lost-batch) {
				loseNext(t, p.b.l)
				lost = 0
			}
			p.b.x.Step(p.now)
			most = max(most, p.b.edge.tx.unsent)
		}
		if most < 2*batch || acked() != sent || p.b.host.Pending() != sent {
			t.Errorf("at most %d held back; of %d frames %d acknowledged, %d left", most, sent, acked(), p.b.host.Pending())
		}
	}
}

// watchedKick is a device that calls after behind each Kick.
type watchedKick struct {
	frame.Device
	after func()
}

func (w watchedKick) Kick() error {
	defer w.after()
	return w.Device.Kick()
}

// loseNext loses the next frame that waits for a link.
func loseNext(t *testing.T, l *Link) {
	t.Helper()
	s := l.Port.sources[0]
	var lost [1]frame.Desc
	if s.device.Receive(lost[:]) != 1 {
		t.Fatal("no frame to lose")
	}
	s.device.Recycle(lost[:])
}
