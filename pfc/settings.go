package pfc

import (
	"fmt"
	"time"

	"uelink/wire"
)

// MaxQuanta is the longest time that a frame stops a priority for.
const MaxQuanta = 0xFFFF

// Bounds of a port's rate, in bit/s.
const (
	RateMin int64 = 1e6
	RateMax int64 = 1e13
)

// leastPause is the shortest time of a stop: it has to be renewed several times in it.
const leastPause = 10 * time.Microsecond

// PauserSettings are those of an end that stops the other one. The zero value never does.
type PauserSettings struct {
	Priorities uint8 // bitmap of those that both ends have agreed on

	// Watermarks of each of them, in what waits (frames, chunks): from XOff on it is to be
	// stopped, down to XOn it may go on. 0 <= XOn < XOff.
	XOff, XOn [wire.Priorities]int

	Quanta  uint16        // for how long a frame stops; 0 = MaxQuanta
	Rate    int64         // bit/s at which the partner counts quanta; the highest, if that is not certain
	Spacing time.Duration // least time between two frames that let go on; 0 = DefaultSpacing
}

// DefaultSpacing is a delay that is hardly seen in the throughput, and that a level which goes
// up and down with every batch cannot make a storm of.
const DefaultSpacing = 100 * time.Microsecond

// Validate names the first thing that is wrong.
func (s *PauserSettings) Validate() error {
	if s.Priorities == 0 {
		return nil
	}
	for i := range wire.Priorities {
		if s.Priorities>>i&1 == 1 && (s.XOn[i] < 0 || s.XOn[i] >= s.XOff[i]) {
			return fmt.Errorf("priority %d: watermarks xoff %d, xon %d: want 0 <= xon < xoff", i, s.XOff[i], s.XOn[i])
		}
	}
	if err := checkRate(s.Rate); err != nil {
		return err
	}
	if s.Spacing < 0 {
		return fmt.Errorf("spacing %v: want 0 or more", s.Spacing)
	}
	if pause := s.pause(); pause < leastPause {
		return fmt.Errorf("%d quanta at %d bit/s are %v: want at least %v", s.Quanta, s.Rate, pause, leastPause)
	}
	return nil
}

// quanta is what a frame that stops says.
func (s *PauserSettings) quanta() uint16 {
	if s.Quanta == 0 {
		return MaxQuanta
	}
	return s.Quanta
}

// pause is for how long a frame stops.
func (s *PauserSettings) pause() time.Duration { return time.Duration(pauseTime(s.quanta(), s.Rate)) }

func (s *PauserSettings) spacing() int64 {
	if s.Spacing == 0 {
		return int64(DefaultSpacing)
	}
	return int64(s.Spacing)
}

// PausedSettings are those of an end that is stopped by the other one. The zero value never is.
type PausedSettings struct {
	Priorities uint8 // bitmap of those that both ends have agreed on; PFC for others is ignored
	Pause      bool  // 802.3 PAUSE is obeyed too: it stops all eight, also those not agreed on
	Rate       int64 // bit/s of the port: a quantum is 512 bit times
}

// Validate names the first thing that is wrong.
func (s *PausedSettings) Validate() error {
	if s.Priorities == 0 && !s.Pause {
		return nil
	}
	return checkRate(s.Rate)
}

func checkRate(rate int64) error {
	if rate < RateMin || rate > RateMax {
		return fmt.Errorf("a rate of %d bit/s: want %d to %d", rate, RateMin, RateMax)
	}
	return nil
}
