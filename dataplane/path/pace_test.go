package path

import (
	"testing"
	"time"

	"uelink/dataplane/frame"
)

func TestPaceIsTheRootOfTheFramesBetweenLosses(t *testing.T) {
	for apart, want := range map[int]int{
		1:           paceLeast,
		100:         10,
		1024:        32,
		paceFar:     batch,
		4 * paceFar: batch,
	} {
		p := newPace()
		for range 100 {
			for range apart {
				p.sent(1)
			}
			p.lost()
		}
		if p.limit < want || p.limit > want+1 { // what is left of larger distances is rounded
			t.Errorf("%d frames a round where every %dth is lost, want %d", p.limit, apart, want)
		}
		if p.slowed() != (want < batch) {
			t.Errorf("every %dth frame is lost: slowed is %v", apart, p.slowed())
		}
		p.sent(paceFar)
		if p.limit != batch || p.slowed() {
			t.Errorf("%d frames a round long after the last loss, want a batch of %d", p.limit, batch)
		}
	}
}

// TestARareLossDoesNotSlow: nor does a replay timer that expires without one.
func TestARareLossDoesNotSlow(t *testing.T) {
	p := newPace()
	p.sent(paceFar)
	p.lost()
	if p.limit != batch {
		t.Errorf("%d frames a round after a loss on a good wire, want %d", p.limit, batch)
	}
}

// TestALossIsCountedOnce: a replay takes several rounds, and may begin anew.
func TestALossIsCountedOnce(t *testing.T) {
	p := newPace()
	p.lost()
	if p.limit != batch {
		t.Errorf("%d frames a round after a loss of nothing, want %d", p.limit, batch)
	}
	p.sent(1)
	p.lost()
	once := p.limit
	if once >= batch {
		t.Errorf("%d frames a round after the first frame was lost", once)
	}
	for range 10 {
		p.lost()
	}
	if p.limit != once {
		t.Errorf("%d frames a round in a long replay, want %d", p.limit, once)
	}
}

// kicked notes which device is kicked.
type kicked struct {
	frame.Device
	name  string
	order *[]string
}

func (k kicked) Kick() error {
	*k.order = append(*k.order, k.name)
	return k.Device.Kick()
}

func TestOrderOfFlushes(t *testing.T) {
	for _, c := range []struct {
		edge, link int // frames to be sent
		slowed     bool
		first      string
	}{
		{edge: 1, link: 2, first: "edge"},
		{edge: 2, link: 1, first: "link"},
		{edge: 1, link: 1, first: "edge"},
		{edge: 1, link: 2, slowed: true, first: "link"},
		{edge: 1, link: 1, slowed: true, first: "link"},
	} {
		e := up(t, defaults()).a
		var order []string
		e.edge.sources[0].device = kicked{e.edge.device(), "edge", &order}
		e.l.Port.sources[0].device = kicked{e.l.Port.device(), "link", &order}
		e.edge.tx.unsent, e.l.Port.tx.unsent = c.edge, c.link
		if c.slowed {
			e.l.pace.limit = paceLeast
		}
		e.x.flush()
		if order[0] != c.first || len(order) != 2 {
			t.Errorf("%+v: flushed %v", c, order)
		}
	}
}

// unsent is a device that does not send: no posting is completed.
type unsent struct{ frame.Device }

func (unsent) Completed([]uint64) int { return 0 }

// TestFewFramesWaitInTheTXRingOfALossyLink: what is posted stands in front of the next replay. A device that does not
// send gets as many frames as LLR allows, and those of a round; without losses it gets all.
func TestFewFramesWaitInTheTXRingOfALossyLink(t *testing.T) {
	inOneGoroutine(t)
	posted := func(loss float64) (frames, limit int) {
		o := defaults()
		o.ring, o.profile.MaxOutstandingFrames = 1024, 1024
		p := up(t, o)
		every, n := int(1/max(loss, 1e-9)), 0
		p.b.between.keeps = func([]byte) bool { n++; return n%every == 0 }
		if !p.until(func() bool { p.a.offer(3000); return p.b.take() != nil || p.b.delivered == 3000 }, time.Minute) {
			t.Fatalf("loss %v: %d frames are delivered", loss, p.b.delivered)
		}
		p.a.l.Port.sources[0].device = unsent{p.a.l.Port.device()}
		for range 100 {
			p.a.offer(p.a.sent + 8)
			p.a.x.Step(p.now)
		}
		return p.a.l.Port.Slots.Posted, max(p.a.l.LLR.Tx.PostLimit(), 2*p.a.l.pace.atOnce) + p.a.l.pace.limit
	}
	if frames, limit := posted(0.02); frames > limit || limit > 60 {
		t.Errorf("%d frames are posted, where LLR and a round allow %d", frames, limit)
	}
	if frames, _ := posted(0); frames < 500 {
		t.Errorf("%d frames are posted on a wire without losses", frames)
	}
}
