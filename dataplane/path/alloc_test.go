package path

import (
	"testing"

	"uelink/dataplane/fault"
	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/model"
	"uelink/llr"
)

// TestNoAllocationPerFrame: neither direction allocates, on a good wire or while
// frames are replayed, without credits or under them, with PFC at the edges or without.
func TestNoAllocationPerFrame(t *testing.T) {
	inOneGoroutine(t)
	bad := fault.Config{Loss: 0.05, Corrupt: 0.02, Duplicate: 0.02, Reorder: 0.02}
	lossless := func() pairOptions {
		o := defaults()
		credits(&o, 4, 1<<0|1<<2, 8)
		o.edge.PFC = model.PFCSettings{Priorities: 1 << 0, XOff: 4, XOn: 1, Headroom: 60, Rate: 1e9}
		return o
	}
	pieces := func() pairOptions {
		o := lossless()
		o.chunk = 512
		o.inPieces()
		return o
	}
	links := lossless()
	links.ports.Encapsulation = model.Addressed
	alone := func(o pairOptions) pairOptions { o.profile.Replay = llr.Selective; return o }
	for name, c := range map[string]struct {
		options pairOptions
		wire    fault.Config
	}{
		"addressed, good wire":              {addressed(), fault.Config{}},
		"addressed, bad wire under credits": {links, bad},
		"good wire":                         {defaults(), fault.Config{}},
		"good wire, UET by kind":            {byKind(), fault.Config{}},
		"bad wire":                          {defaults(), bad},
		"good wire under credits":           {lossless(), fault.Config{}},
		"bad wire under credits":            {lossless(), bad},
		"frames in pieces":                  {pieces(), bad},
		"selective, good wire":              {alone(defaults()), fault.Config{}},
		"selective, bad wire":               {alone(defaults()), bad},
		"selective, bad wire under credits": {alone(lossless()), bad},
		"selective, frames in pieces":       {alone(pieces()), bad},
	} {
		t.Run(name, func(t *testing.T) {
			o := c.options
			o.wire = c.wire
			p := up(t, o)
			p.pass(50e6)
			var buf [1024]byte
			octets, ack := frametest.NumberedOf(buf[:], 3, o.spread), uetFrame("ack", 0, 0)
			cross := func() {
				for range 16 {
					p.a.host.Send(octets)
					p.b.host.Send(ack)
				}
				for range 4 {
					p.round()
				}
				for p.a.host.Recv() != nil || p.b.host.Recv() != nil {
				}
			}
			cross()
			if n := testing.AllocsPerRun(500, cross); n != 0 {
				t.Errorf("%v allocations for 32 frames", n)
			}
		})
	}
}

// BenchmarkPair is one frame across both ends: edge in, sequenced, checked, edge
// out, acknowledged.
func BenchmarkPair(b *testing.B) {
	b.Run("transparent", func(b *testing.B) { pairRun(b, up(b, defaults())) })
	b.Run("addressed", func(b *testing.B) { pairRun(b, up(b, addressed())) })
	b.Run("selective", func(b *testing.B) { pairRun(b, up(b, selective())) })
}

// pairRun sends b.N frames across a pair.
func pairRun(b *testing.B, p *pair) {
	var buf [256]byte
	octets := frametest.Numbered(buf[:], 1)
	b.ReportAllocs()
	b.ResetTimer()
	for sent := 0; sent < b.N; {
		for range 32 {
			if p.a.host.Send(octets) {
				sent++
			}
		}
		p.round()
		for p.b.host.Recv() != nil {
		}
	}
}

// BenchmarkCredits is a frame across both ends, both ways at once, on channel 0: without credits, with
// channels under credits, and beside one that stands still in both directions.
func BenchmarkCredits(b *testing.B) {
	for _, c := range []struct {
		name  string
		vcs   int
		stall bool
	}{{"off", 0, false}, {"1 channel", 1, false}, {"8 channels", 8, false}, {"32 channels", 32, false},
		{"one of 8 stalled", 8, true}} {
		b.Run(c.name, func(b *testing.B) {
			o := priorities(max(c.vcs, 1))
			if c.vcs > 0 {
				credits(&o, c.vcs, 1<<c.vcs-1, 128)
			}
			p := up(b, o)
			p.pass(50e6)
			if c.stall {
				p.stall(2)
			}
			p.circulate(b)
		})
	}
}

// stall has both hosts stop a priority, and fills its channel in both directions.
func (p *pair) stall(priority uint8) {
	for range 40 {
		for _, e := range []*end{p.a, p.b} {
			e.edge.egress.halted = 1 << priority
			for range 16 {
				e.host.Send(tagged(priority, 0))
			}
		}
		p.pass(100e3)
	}
}

// circulate has both hosts send on channel 0; a frame that is dropped on the way does not count.
func (p *pair) circulate(b *testing.B) {
	var buf [256]byte
	octets := frametest.Numbered(buf[:], 1)
	b.ReportAllocs()
	b.ResetTimer()
	for got := 0; got < b.N; {
		for range 16 {
			p.a.host.Send(octets)
			p.b.host.Send(octets)
		}
		p.round()
		for p.a.host.Recv() != nil {
			got++
		}
		for p.b.host.Recv() != nil {
			got++
		}
	}
}

// BenchmarkRest is a round of a link on which nothing happens.
func BenchmarkRest(b *testing.B) {
	p := up(b, defaults())
	for range 100 {
		p.round()
	}
	for b.Loop() {
		p.a.x.Step(p.now)
	}
}
