package kernel

import (
	"fmt"
	"time"
)

// WaitingFrames is how many frames of a Sequence with a rate may wait while its window is closed.
const WaitingFrames = 1024

// Paced is the counters of Spread, or of a Sequence with a rate, since Pace.
type Paced struct {
	Frames uint64        // frames sent, including frames that Sequence sent again
	Late   uint64        // frames given up: they came due while WaitingFrames already waited for the window of Sequence
	Took   time.Duration // time from the first burst to the last one
}

// Pace sets the rate of the sources Spread and Sequence, as the time between the beginnings of two bursts, and
// resets the counters that Paced returns. No source may run. 0: the sources send as fast as possible, and Sequence
// counts nothing.
func (l *Load) Pace(interval time.Duration) error {
	err := l.objects.Interval.Set(uint64(interval))
	if err == nil {
		err = l.objects.Paced.Set(benchPace{})
	}
	if err != nil {
		return fmt.Errorf("set the rate of the eBPF program that sends the frames: %w", err)
	}
	return nil
}

// Paced returns the counters of the source Spread or Sequence since Pace, or since the programs were loaded:
// frames sent, frames given up because too many waited for the window, and the time from first to last burst.
func (l *Load) Paced() (Paced, error) {
	var p benchPace
	if err := l.objects.Paced.Get(&p); err != nil {
		return Paced{}, fmt.Errorf("read the counters of the eBPF program that sends the frames: %w", err)
	}
	return Paced{Frames: p.Frames, Late: p.Late, Took: time.Duration(p.Ended - p.Began)}, nil
}
