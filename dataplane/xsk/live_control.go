package xsk

import (
	"fmt"
	"time"

	"uelink/bpf"
)

// Transmitter returns the Transmitter by which the Socket can send live XDP frames, to be registered with the
// interface's program before SetLive; nil: the Socket has none, and Info.LiveFailed says why if Options.Live was
// set.
func (s *Socket) Transmitter() *bpf.Transmitter {
	if s.live == nil {
		return nil
	}
	return s.live.tx
}

// SetLive makes the Socket send large batches of frames of up to longest octets as live XDP frames; 0: all frames
// leave by AF_XDP. Without a Transmitter SetLive does nothing. Any goroutine may call SetLive.
func (s *Socket) SetLive(longest int) {
	if s.live != nil {
		s.live.longest.Store(min(uint32(longest), s.live.tx.Longest()))
	}
}

// Live returns the number of frames sent as live XDP frames. Any goroutine may call Live.
func (s *Socket) Live() uint64 {
	if s.live == nil {
		return 0
	}
	return s.live.frames.Load()
}

// DroppedLive adds n frames, which the kernel dropped while live XDP frames were sent, to the counts of Stats. Any
// goroutine may call it.
func (s *Socket) DroppedLive(n uint64) {
	if s.live != nil {
		s.live.dropped.Add(n)
	}
}

// liveStats returns the numbers of frames sent as live XDP frames, and of those dropped by the kernel.
func (s *Socket) liveStats() (frames, dropped uint64) {
	if s.live == nil {
		return 0, 0
	}
	return s.live.frames.Load(), s.live.dropped.Load()
}

// LiveStopped returns, once, why the Socket has ceased to send live frames by itself; nil: it has not. SetLive lets it
// begin again. Any goroutine may call LiveStopped.
func (s *Socket) LiveStopped() *LiveStop {
	if s.live == nil {
		return nil
	}
	return s.live.stopped.Swap(nil)
}

// LiveFast reports whether the kernel runs the attached XDP program without delay, by one trial. Any goroutine may
// call LiveFast.
func (s *Socket) LiveFast() bool { return s.live != nil && s.live.tx.Time() < slowCall }

// String returns in words why live XDP frames have stopped.
func (l *LiveStop) String() string {
	if l.Err != nil {
		return l.Err.Error()
	}
	return fmt.Sprintf("a system call to send live frames took %v and slept %d times",
		l.Took.Round(time.Microsecond), l.Sleeps)
}
