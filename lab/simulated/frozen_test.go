package simulated

import (
	"testing"
	"time"

	"uelink/dataplane/fault"
)

// freezeSeed is the first seed of TestRateAfterAFreeze.
const freezeSeed = 34

// rateOver is the time over which TestRateAfterAFreeze measures a rate: long enough for some losses.
const rateOver = 20 * time.Millisecond

// freeze is a case of TestRateAfterAFreeze: a wire that loses frames both ways, and how long which ends are frozen.
type freeze struct {
	loss float64
	time time.Duration
	who  string
}

// frozen returns the ends of a bench that are frozen.
func (f freeze) frozen(b *Bench) []*End {
	return map[string][]*End{"sender": {b.A}, "receiver": {b.B}, "both": {b.A, b.B}}[f.who]
}

// back returns how long after the freeze the link carries 0.8 of the rate of before: the start of the first rateOver
// with this rate, looked at every millisecond. It gives up after 400 ms.
func (f freeze) back(t *testing.T, o Options) time.Duration {
	t.Helper()
	b := up(t, o)
	for _, e := range b.ends() {
		b.SetWire(e, fault.Config{Loss: f.loss})
	}
	s := &Stream{From: b.A, To: b.B, Frames: 1_000_000, Size: 1500}
	b.Begin(s)
	b.Run(rateOver, s)
	begun := s.Delivered
	b.Run(3*rateOver, s)
	enough := (s.Delivered - begun) * 8 / 10 / 3
	for _, e := range f.frozen(b) {
		e.Freeze()
	}
	b.Run(f.time, s)
	for _, e := range f.frozen(b) {
		e.Thaw()
	}
	var delivered []uint64 // by millisecond since the thaw
	thawed, milliseconds := b.Now(), int(rateOver/time.Millisecond)
	for {
		delivered = append(delivered, s.Delivered)
		at := len(delivered) - 1 - milliseconds
		if at > 400 || at >= 0 && s.Delivered-delivered[at] >= enough {
			return time.Duration(at) * time.Millisecond
		}
		b.Run(thawed.Add(time.Duration(len(delivered))*time.Millisecond).Sub(b.Now()), s)
	}
}

// freezeTimes are the lengths of the stops.
var freezeTimes = []time.Duration{100 * time.Millisecond, time.Second, 5 * time.Second}

// TestRateAfterAFreeze stops ends in full traffic over wires that lose frames: soon after they go on, the rate is that
// of before. Time in which an end was stopped says nothing of the wire, or of the partner.
func TestRateAfterAFreeze(t *testing.T) {
	hippi, llr := overHIPPI(), Defaults()
	for name, c := range map[string]struct {
		options Options
		most    time.Duration
	}{"HIPPI-6400-PH": {hippi, 12 * time.Millisecond}, "LLR": {llr, 40 * time.Millisecond}} {
		t.Run(name, func(t *testing.T) {
			o := c.options
			o.Ring, o.Chunk, o.MTU, o.Profile.MaxReplayTimer, o.Seed = 1024, 2048, 1500, 0, freezeSeed
			o.Step = 5 * time.Microsecond
			o.Wire = fault.Config{RateBPS: 1e9, Delay: 25 * time.Microsecond}
			for _, loss := range []float64{0, 1e-3, 1e-2} {
				for _, d := range freezeTimes {
					for _, who := range []string{"sender", "receiver", "both"} {
						f := freeze{loss, d, who}
						back := f.back(t, o)
						t.Logf("seed %d, %+v: back after %v", o.Seed, f, back)
						if back > c.most {
							t.Errorf("seed %d, %+v: back after %v, want %v", o.Seed, f,
								back, c.most)
						}
						o.Seed++
					}
				}
			}
		})
	}
}
