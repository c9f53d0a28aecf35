package comparison

import (
	"slices"
	"testing"
	"time"

	"uelink/dataplane/fault"
	"uelink/lab/simulated"
	"uelink/wire"
)

// inFlight is the number of frames that the host has under way: more than any link lets out.
const inFlight = 900

// figures are the result of a run.
type figures struct {
	goodput       float64 // octets of delivered frames, without FCS, as a share of the rate of the wire
	forward, back float64 // octets on the wire to B and to A for an octet of a delivered frame
}

// carry carries n frames from A to B as fast as the link takes them, over a wire that loses frames each way.
func (c contestant) carry(t testing.TB, delay time.Duration, forth, back float64, n, seed uint64) figures {
	t.Helper()
	b, on, up := c.bench(delay, seed)
	if !up {
		t.Fatalf("%s: the link does not come up", c.name)
	}
	b.SetWire(b.B, fault.Config{Loss: forth})
	b.SetWire(b.A, fault.Config{Loss: back})
	before := *on
	s := &simulated.Stream{From: b.A, To: b.B, Frames: n, Size: octets, Window: inFlight}
	b.Carry(s)
	if s.Lost() != 0 || s.Duplicated != 0 || s.Reordered != 0 || s.Damaged != 0 {
		t.Errorf("%s, %v, loss %g and %g, seed %d: lost %d, twice %d, out of order %d, damaged %d", c.name, delay, forth,
			back, seed, s.Lost(), s.Duplicated, s.Reordered, s.Damaged)
	}
	frame := float64(octets - wire.FCSLen)
	all := float64(s.Delivered) * frame
	return figures{s.FramesPerSecond() * frame * 8 / wireRate, float64(on[1]-before[1]) / all,
		float64(on[0]-before[0]) / all}
}

// Load of the measurement of recoveries: a frame each loadInterval, which every link carries, and the time from one
// loss to the next.
const (
	loadInterval = 20 * time.Microsecond
	lossInterval = 4*time.Millisecond + 7*time.Microsecond
)

// dataFrame is the least length of a frame that carries data, in octets: LLR_ACKs, Nulls and credits are shorter.
const dataFrame = 200

// recoveries loses n frames to B one by one and returns, sorted, the times from the loss to the next delivery at the
// host behind B: all that follows a lost frame waits for the frame.
func (c contestant) recoveries(t testing.TB, delay time.Duration, n int, seed uint64) (times []time.Duration) {
	t.Helper()
	b, _, up := c.bench(delay, seed)
	if !up {
		t.Fatalf("%s: the link does not come up", c.name)
	}
	armed, lost, last, longest, took := false, wire.Time(0), wire.Time(0), time.Duration(0), time.Duration(0)
	b.B.SetScript(func(f []byte) bool {
		if !armed || len(f) < dataFrame {
			return c.pass(f)
		}
		armed, lost, longest = false, b.Now(), 0
		return false
	})
	frames := uint64(time.Duration(n+2) * lossInterval / loadInterval)
	s := &simulated.Stream{From: b.A, To: b.B, Frames: frames, Size: octets, Interval: float64(loadInterval)}
	b.Begin(s)
	arm := b.Now().Add(lossInterval)
	for s.Delivered < s.Frames && len(times) < n {
		before := s.Delivered
		b.Run(time.Microsecond, s)
		now := b.Now()
		if s.Delivered > before {
			if gap := now.Sub(max(last, lost)); lost > 0 && gap > longest {
				longest, took = gap, now.Sub(lost)
			}
			last = now
		}
		if now < arm {
			continue
		}
		if lost > 0 {
			times = append(times, took)
		}
		armed, arm = true, arm.Add(lossInterval)
	}
	slices.Sort(times)
	return times
}
