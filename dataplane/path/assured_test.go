package path

import (
	"math/rand/v2"
	"testing"
	"time"
)

// reassure gives both ends of a pair other limits of the lossless channels, as a reload does.
func (p *pair) reassure(lossless uint32, limit uint16) {
	o := p.o
	credits(&o, 4, lossless, limit)
	for _, e := range []*end{p.a, p.b} {
		e.x.Configure(&e.l.Port, o.ports, o.profile, p.now)
	}
}

// Limits of channels, and which of them are lossless, change under traffic: no chunk, entry or credit is lost, no frame
// of a lossless channel either, and what is assured is what the new limits ask for.
func TestLimitsMoveInPlace(t *testing.T) {
	inOneGoroutine(t)
	const seed = 20
	r := rand.New(rand.NewPCG(seed, 0))
	o := credited(16)
	o.profile.ReInitOnFlush = false
	p := up(t, o)
	p.lossless(t)
	var got [8]uint32
	sent := uint32(0)
	for round := range 4000 {
		for range r.IntN(4) {
			if sent-got[1] < 30 && p.a.host.Send(tagged(1, sent)) { // no more than the edge has room for
				sent++
			}
		}
		switch {
		case round%200 == 0:
			p.b.edge.egress.halted = 1 << 1 & uint32(r.Uint32()) // the queue of the channel stands still, or goes on
		case round%50 == 0:
			p.reassure([]uint32{1 << 1, 1<<1 | 1<<2}[r.IntN(2)], uint16(2+r.IntN(24)))
		}
		p.round()
		p.received(t, &got)
		for _, e := range []*end{p.a, p.b} {
			if err := e.x.conserved(); err != nil {
				t.Fatalf("seed %d, round %d, end %s: %v", seed, round, e.name, err)
			}
			if s := e.l.Port.sources[0]; s.waiting > s.spare {
				t.Fatalf("seed %d, round %d, end %s: %d chunks of %d wait", seed, round, e.name, s.waiting, s.spare)
			}
		}
	}
	p.b.edge.egress.halted = 0
	p.reassure(1<<1|1<<2, 20)
	if !p.until(func() bool { p.received(t, &got); return got[1] == sent }, 2*time.Second) {
		t.Errorf("seed %d: %d of %d frames arrived", seed, got[1], sent)
	}
	if s := p.b.l.Port.sources[0]; s.assured.total != 40 || s.assured.chunks[1] != 20 {
		t.Errorf("seed %d: %d chunks are assured, %d of them to VC 1, want 40 and 20", seed, s.assured.total,
			s.assured.chunks[1])
	}
	p.lossless(t)
	p.atRest(t, 1)
	if c := p.b.l.Port.Counters; c.RxDropNoBuffer+c.RxDropLossless > 0 {
		t.Errorf("seed %d: dropped for want of buffer: %d and %d", seed, c.RxDropNoBuffer, c.RxDropLossless)
	}
}
