package dataplane

import (
	"testing"

	"uelink/dataplane/fault"
)

// TestNoAllocationPerFrame: neither direction allocates, on a good wire or while
// frames are replayed.
func TestNoAllocationPerFrame(t *testing.T) {
	for name, wire := range map[string]fault.Config{
		"good wire": {},
		"bad wire":  {Loss: 0.05, Corrupt: 0.02, Duplicate: 0.02, Reorder: 0.02},
	} {
		t.Run(name, func(t *testing.T) {
			o := defaults()
			o.wire = wire
			p := up(t, o)
			var buf [256]byte
			octets := payload(buf[:], 1)
			cross := func() {
				for range 16 {
					p.a.host.Send(octets)
					p.b.host.Send(octets)
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
	p := up(b, defaults())
	var buf [256]byte
	octets := payload(buf[:], 1)
	b.ReportAllocs()
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
