package path

import (
	"io"
	"math"
	"testing"

	"uelink/dataplane/frame"
	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/pcap"
)

// reader takes what a watch of frames has: at once, or all but the head of the file only when its gate is open.
type reader struct {
	io.Writer
	gate  chan struct{} // closed: it takes all; nil: there is no gate
	begun bool          // it has the head, which pcap.New waits for
}

func (r *reader) Write(b []byte) (int, error) {
	if r.gate != nil && r.begun {
		<-r.gate
	}
	r.begun = true
	return r.Writer.Write(b)
}

func (r *reader) Close() error { return nil }

// watch has the frames of a port go to a reader, one of every; the result ends it.
func watch(p *Port, r *reader, every uint64) (c *pcap.Capture, stop func()) {
	c = pcap.New(r, "watch", math.MaxInt64)
	var own, taps []frame.Device
	for _, s := range p.sources {
		own, taps = append(own, s.device), append(taps, c.Sample(s.device, "link0", every))
	}
	p.Replace(taps)
	return c, func() { p.Replace(own) }
}

// exchange sends 32 frames across a pair, both ways, and counts what arrives.
func (p *pair) exchange(octets []byte) (arrived int) {
	for range 16 {
		p.a.host.Send(octets)
		p.b.host.Send(octets)
	}
	for range 4 {
		p.round()
	}
	for p.a.host.Recv() != nil {
		arrived++
	}
	for p.b.host.Recv() != nil {
		arrived++
	}
	return arrived
}

// A watch of frames allocates nothing for a frame: neither of all, nor of some, nor when its reader has stopped.
func TestWatchedFramesAllocateNothing(t *testing.T) {
	inOneGoroutine(t)
	for name, c := range map[string]struct {
		every   uint64
		stopped bool
	}{"every frame": {1, false}, "one of 16": {16, false}, "a reader that takes nothing": {1, true}} {
		t.Run(name, func(t *testing.T) {
			p := up(t, defaults())
			p.pass(50e6)
			r := &reader{Writer: io.Discard}
			if c.stopped {
				r.gate = make(chan struct{})
			}
			captured, stop := watch(&p.a.l.Port, r, c.every)
			var buf [256]byte
			octets := frametest.Numbered(buf[:], 1)
			p.exchange(octets)
			if n := testing.AllocsPerRun(500, func() { p.exchange(octets) }); n != 0 {
				t.Errorf("%v allocations for 32 frames", n)
			}
			stop()
			if c.stopped {
				close(r.gate)
			}
			if err := captured.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A watcher that takes nothing holds no frame up, and what its memory has no room for is counted.
func TestStoppedWatcherHoldsNothingUp(t *testing.T) {
	inOneGoroutine(t)
	p := up(t, defaults())
	p.pass(50e6)
	r := &reader{Writer: io.Discard, gate: make(chan struct{})}
	c, stop := watch(&p.a.l.Port, r, 1)
	var buf [256]byte
	octets := frametest.Numbered(buf[:], 1)
	const rounds = 500
	arrived := 0
	for range rounds {
		arrived += p.exchange(octets)
	}
	for range 20 {
		p.pass(1e6)
		for p.a.host.Recv() != nil || p.b.host.Recv() != nil {
			arrived++
		}
	}
	if arrived != 32*rounds {
		t.Errorf("%d of %d frames arrived", arrived, 32*rounds)
	}
	if missed := c.Counts().Missed; missed == 0 {
		t.Error("all frames are in the memory of a watch whose reader has stopped")
	}
	stop()
	close(r.gate)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// BenchmarkPairWatched is BenchmarkPair with a watch of the frames of one link port.
func BenchmarkPairWatched(b *testing.B) {
	for _, c := range []struct {
		name  string
		every uint64 // 0: nobody watches
	}{{"off", 0}, {"every frame", 1}, {"one of 100", 100}, {"off again", math.MaxUint64}} {
		b.Run(c.name, func(b *testing.B) {
			p := up(b, defaults())
			if c.every > 0 {
				captured, stop := watch(&p.a.l.Port, &reader{Writer: io.Discard}, c.every)
				defer captured.Close()
				if c.every == math.MaxUint64 {
					stop()
				} else {
					defer stop()
				}
			}
			pairRun(b, p)
		})
	}
}
