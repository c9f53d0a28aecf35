package simulated

import (
	"testing"
	"time"

	"uelink/dataplane/fault"
	"uelink/llr"
	"uelink/wire"
)

// far is a bench whose wire carries 1 Gb/s and takes 100 µs each way.
func far() Options {
	o := Defaults()
	o.Speed, o.Ring = 1000, 1024
	o.Wire = fault.Config{RateBPS: 1e9, Delay: 100 * time.Microsecond}
	return o
}

// The loop time is that of the wire, from the handshake on.
func TestLoopTimeIsThatOfTheWire(t *testing.T) {
	b := up(t, far())
	loop := b.A.Link().LLR.LoopTime
	if loop == nil || loop.Min < 200_000 || loop.Min > 210_000 {
		t.Fatalf("after the handshake: %+v, want 200 µs and a little", loop)
	}
	s := &Stream{From: b.A, To: b.B, Frames: 5000, Size: 1000, Interval: 10_000}
	b.Carry(s)
	loop = b.A.Link().LLR.LoopTime
	if loop.Min < 200_000 || loop.P50 < loop.Min || loop.P99 < loop.P50 || loop.Max < loop.P99 || loop.Max > 400_000 {
		t.Errorf("%+v", loop)
	}
	if s.Lost() != 0 {
		t.Errorf("%d frames lost", s.Lost())
	}
}

// A window and a replay timer that follow the loop time carry the full rate of the wire; a window
// of 64 frames does not.
func TestAutoCarriesTheFullRate(t *testing.T) {
	bits := float64(wire.DataLen(MinSize-wire.FCSLen, true) * 8)
	share := func(frames int) (float64, llr.Counters) {
		o := far()
		o.Profile.MaxOutstandingFrames, o.Profile.MaxReplayTimer = frames, 0
		b := up(t, o)
		s := &Stream{From: b.A, To: b.B, Frames: 20_000, Size: MinSize, Interval: bits}
		b.Carry(s)
		if s.Lost() != 0 {
			t.Errorf("%d frames lost", s.Lost())
		}
		l := b.A.Link().LLR
		share := s.FramesPerSecond() * bits / 1e9
		t.Logf("%.3f of the rate, %d frames and %v in force, %+v", share, l.MaxOutstandingFrames,
			l.MaxReplayTimer, *l.LoopTime)
		return share, l.Counters
	}
	auto, c := share(0)
	if auto < 0.95 || c.TxReplay != 0 {
		t.Errorf("%.3f of the rate, %d replays", auto, c.TxReplay)
	}
	if small, _ := share(64); small > 0.5 {
		t.Errorf("%.3f of the rate with a window of 64", small)
	}
}
