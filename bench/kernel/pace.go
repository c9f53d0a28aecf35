package kernel

import (
	"fmt"
	"time"
)

// WaitingFrames is how many frames of a Sequence with a rate wait while its window is closed.
const WaitingFrames = 1024

// Paced is what Spread, or a Sequence with a rate, has done since Pace.
type Paced struct {
	Frames uint64        // sent, those of Sequence that were sent again too
	Late   uint64        // held back by the window of Sequence when WaitingFrames waited already
	Took   time.Duration // from the first burst to the last one
}

// Pace sets the time between the beginnings of two bursts, and begins to count anew. Nothing
// may be being sent. 0: Spread sends what it can, and so does Sequence, which then counts nothing.
func (l *Load) Pace(interval time.Duration) error {
	err := l.objects.Interval.Set(uint64(interval))
	if err == nil {
		err = l.objects.Paced.Set(benchPace{})
	}
	if err != nil {
		return fmt.Errorf("pace the source: %w", err)
	}
	return nil
}

// Paced is what was done since Pace, or since the programs were loaded.
func (l *Load) Paced() (Paced, error) {
	var p benchPace
	if err := l.objects.Paced.Get(&p); err != nil {
		return Paced{}, fmt.Errorf("read what was sent: %w", err)
	}
	return Paced{Frames: p.Frames, Late: p.Late, Took: time.Duration(p.Ended - p.Began)}, nil
}
