package lldp_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"uelink/lldp"
	"uelink/wire"
)

// line joins two stations in virtual time and loses frames by chance.
type line struct {
	a, b *station
	loss float64
	rng  *rand.Rand
	lost int
}

func newLine(seed uint64, loss float64) *line {
	return &line{a: up(macA), b: up(macB), loss: loss, rng: rand.New(rand.NewPCG(seed, 0))}
}

// carry brings what was sent to the other side.
func (l *line) carry() {
	for len(l.a.frames)+len(l.b.frames) > 0 {
		l.deliver(l.a, l.b)
		l.deliver(l.b, l.a)
	}
}

func (l *line) deliver(from, to *station) {
	frames := from.frames
	from.frames = nil
	for _, f := range frames {
		if l.rng.Float64() < l.loss {
			l.lost++
			continue
		}
		to.hear(f.frame)
	}
}

func (l *line) runTo(seconds int) {
	end := wire.Time(seconds) * second
	l.carry()
	for {
		next := min(l.a.Deadline(), l.b.Deadline())
		if next > end {
			break
		}
		for _, s := range []*station{l.a, l.b} {
			s.now = max(s.now, next)
			s.poll()
		}
		l.carry()
	}
	l.a.now, l.b.now = end, end
}

func TestPairFindsEachOtherAtOnce(t *testing.T) {
	l := newLine(1, 0)
	l.runTo(0)
	for _, s := range []*station{l.a, l.b} {
		if len(s.neighbors()) != 1 {
			t.Errorf("%d neighbours", len(s.neighbors()))
		}
	}
	l.runTo(3600)
	wantKinds(t, l.a, "neighbor_added")
	wantKinds(t, l.b, "neighbor_added")
	// 5 fast frames and the first of a new neighbour, then one each 30 seconds.
	if n := l.a.Counters().Tx.TotalFrames; n < 119 || n > 127 {
		t.Errorf("%d frames in an hour", n)
	}
}

// With a third of the frames lost an information that is good for four of them
// seldom ages out, and always comes back.
func TestPairOverALossyWire(t *testing.T) {
	ageouts := uint64(0)
	for seed := range uint64(50) {
		l := newLine(seed, 1.0/3)
		l.runTo(3600)
		l.loss = 0
		l.runTo(3700)
		for _, s := range []*station{l.a, l.b} {
			n := s.Counters()
			if len(s.neighbors()) != 1 || n.Remote.Inserts != n.Remote.Deletes+1 || n.Remote.Deletes != n.Rx.TotalAgeouts {
				t.Fatalf("seed %d: %d neighbours, %+v", seed, len(s.neighbors()), n.Remote)
			}
			ageouts += n.Rx.TotalAgeouts
		}
		if l.lost == 0 {
			t.Fatalf("seed %d: nothing was lost", seed)
		}
	}
	if ageouts == 0 || ageouts > 50*2*5 {
		t.Errorf("%d ageouts in 100 hours, about one or two an hour would be right", ageouts)
	}
}

func TestPairGoodbyeAndReturn(t *testing.T) {
	l := newLine(1, 0)
	l.runTo(10)
	l.a.SetAdminStatus(lldp.Off)
	l.a.poll()
	l.runTo(11)
	wantKinds(t, l.b, "neighbor_added, neighbor_deleted shutdown")
	l.a.SetAdminStatus(lldp.RxTx)
	l.a.poll()
	l.runTo(13)
	wantKinds(t, l.b, "neighbor_added, neighbor_deleted shutdown, neighbor_added")
	wantKinds(t, l.a, "neighbor_added, neighbor_deleted initialized, neighbor_added")
}

// After a cut of one direction the sender ages out at the receiver, to the second.
func TestPairCutOff(t *testing.T) {
	l := newLine(1, 0)
	l.runTo(100)
	l.loss = 1
	heard := l.b.neighbors()[0].Heard
	l.runTo(400)
	wantKinds(t, l.b, "neighbor_added, neighbor_deleted aged")
	if gone := l.b.events[1].Neighbor.Expires; gone != heard+121*second {
		t.Errorf("heard at %d, gone at %d", heard/second, gone/second)
	}
	l.loss = 0
	l.runTo(460)
	wantKinds(t, l.b, "neighbor_added, neighbor_deleted aged, neighbor_added")
}

func TestPairRenamedStationIsOneNeighbourAgain(t *testing.T) {
	l := newLine(1, 0)
	l.runTo(10)
	l.a.SetLocal(localOf(macA, "swp1"))
	l.a.poll()
	l.runTo(13)
	wantKinds(t, l.b, "neighbor_added, neighbor_deleted shutdown, neighbor_added")
	if got := fmt.Sprint(l.b.neighbors()[0].Info.Port); got != "swp1" {
		t.Error(got)
	}
}
