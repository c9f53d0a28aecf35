package sched

import (
	"fmt"
	"math/bits"
	"testing"

	"uelink/wire"
)

func TestNothingAllocates(t *testing.T) {
	s := New(Settings{Rate: 1e9, Burst: 10_000})
	now := wire.Time(0)
	if n := testing.AllocsPerRun(1000, func() {
		now += 1e6
		s.Open(now)
		for ready := uint32(1); ready != 0; ready = ready<<3 | ready<<1 {
			q, _ := s.Next(ready)
			s.Sent(q, 1500)
		}
		s.Deadline()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkFrame measures the cost of a frame, Open, Next and Sent, by the number of queues and
// groups there are.
func BenchmarkFrame(b *testing.B) {
	for _, ready := range []uint32{1, 0b11, 0xFF, 0xFFFFFFFF} {
		for _, groups := range []int{1, 8, 32} {
			var settings Settings
			for q := range settings.Queues {
				settings.Queues[q] = QueueSettings{Group: uint8(q % groups), Weight: uint8(1 + q*q%100)}
			}
			name := fmt.Sprintf("ready=%d/groups=%d", bits.OnesCount32(ready), groups)
			b.Run(name, func(b *testing.B) { frames(b, settings, ready) })
		}
	}
	b.Run("rate", func(b *testing.B) { frames(b, Settings{Rate: 400e9, Burst: 1 << 20}, 1) })
}

func frames(b *testing.B, settings Settings, ready uint32) {
	s := New(settings)
	now := wire.Time(0)
	for b.Loop() {
		now += 100
		if s.Open(now) {
			q, _ := s.Next(ready)
			s.Sent(q, 1500)
		}
	}
}
