package path

import (
	"testing"

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
		e.l.sources[0].device = kicked{e.l.device(), "link", &order}
		e.edge.unsent, e.l.unsent = c.edge, c.link
		if c.slowed {
			e.l.pace.limit = paceLeast
		}
		e.x.flush()
		if order[0] != c.first || len(order) != 2 {
			t.Errorf("%+v: flushed %v", c, order)
		}
	}
}
