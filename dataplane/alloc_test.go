package dataplane

import (
	"testing"

	"uelink/dataplane/fault"
)

// TestNoAllocationPerFrame: neither direction allocates, on a good wire or while
// frames are replayed, without credits or under them, with PFC at the edges or without.
func TestNoAllocationPerFrame(t *testing.T) {
	bad := fault.Config{Loss: 0.05, Corrupt: 0.02, Duplicate: 0.02, Reorder: 0.02}
	lossless := func() pairOptions {
		o := defaults()
		credits(&o, 4, 1<<0|1<<2, 8)
		o.edge.PFC = PFCSettings{Priorities: 1 << 0, XOff: 4, XOn: 1, Headroom: 60, Rate: 1e9}
		return o
	}
	pieces := func() pairOptions {
		o := lossless()
		o.chunk = 512
		o.inPieces()
		return o
	}
	for name, c := range map[string]struct {
		options pairOptions
		wire    fault.Config
	}{
		"good wire":               {defaults(), fault.Config{}},
		"good wire, UET by kind":  {byKind(), fault.Config{}},
		"bad wire":                {defaults(), bad},
		"good wire under credits": {lossless(), fault.Config{}},
		"bad wire under credits":  {lossless(), bad},
		"frames in pieces":        {pieces(), bad},
	} {
		t.Run(name, func(t *testing.T) {
			o := c.options
			o.wire = c.wire
			p := up(t, o)
			p.pass(50e6)
			var buf [1024]byte
			octets, ack := payloadOf(buf[:], 3, o.spread), uetFrame("ack", 0, 0)
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
func BenchmarkPair(b *testing.B) { pairRun(b, up(b, defaults())) }

// pairRun sends b.N frames across a pair.
func pairRun(b *testing.B, p *pair) {
	var buf [256]byte
	octets := payload(buf[:], 1)
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

// BenchmarkRest is a round of a link on which nothing happens.
func BenchmarkRest(b *testing.B) {
	p := up(b, defaults())
	for range 100 {
		p.round()
	}
	for b.Loop() {
		p.a.x.step(p.now)
	}
}
