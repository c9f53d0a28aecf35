package pfc

import (
	"fmt"
	"time"

	"uelink/wire"
)

// MaxQuanta is the longest stop by one frame, in quanta of 512 bit times.
const MaxQuanta = 0xFFFF

// Bounds of a port's rate, in bit/s.
const (
	RateMin int64 = 1e6
	RateMax int64 = 1e13
)

// leastPause is the shortest duration of a stop: several renewals must fit into it.
const leastPause = 10 * time.Microsecond

// PauserSettings configures the end that stops the other end. The zero value never stops a priority.
type PauserSettings struct {
	Priorities uint8 // bitmap of the priorities that both ends have agreed on

	// Watermarks of each priority, in waiting frames or chunks: stop from XOff on, resume down to XOn. 0 <= XOn <
	// XOff.
	XOff, XOn [wire.Priorities]int

	Quanta  uint16        // duration of a stop by one frame, in quanta of 512 bit times; 0 = MaxQuanta
	Rate    int64         // bit/s at which the partner counts quanta; the highest possible, if uncertain
	Spacing time.Duration // least time between two frames that resume; 0 = DefaultSpacing
}

// DefaultSpacing is the least time between two frames that resume, if Spacing is 0. It has hardly any effect on
// throughput, and a level that goes up and down with every batch cannot cause a storm of frames.
const DefaultSpacing = 100 * time.Microsecond

// Validate returns an error about the first invalid value.
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

// quanta returns the pause time in a PFC frame, in quanta of 512 bit times.
func (s *PauserSettings) quanta() uint16 {
	if s.Quanta == 0 {
		return MaxQuanta
	}
	return s.Quanta
}

// pause returns how long a PFC frame stops a priority.
func (s *PauserSettings) pause() time.Duration { return pauseTime(s.quanta(), s.Rate) }

// spacing returns the least time between two PFC frames that let priorities resume.
func (s *PauserSettings) spacing() time.Duration {
	if s.Spacing == 0 {
		return DefaultSpacing
	}
	return s.Spacing
}

// PausedSettings configures the end that the other end stops. The zero value ignores all PFC and PAUSE.
type PausedSettings struct {
	Priorities uint8 // bitmap of the priorities that both ends have agreed on; PFC for others is ignored
	Pause      bool  // 802.3 PAUSE is obeyed too: it stops all eight priorities, agreed on or not
	Rate       int64 // bit/s of the port: a quantum is 512 bit times
}

// Validate returns an error about the first invalid value.
func (s *PausedSettings) Validate() error {
	if s.Priorities == 0 && !s.Pause {
		return nil
	}
	return checkRate(s.Rate)
}

// checkRate returns an error if a port's rate, in bit/s, is out of range.
func checkRate(rate int64) error {
	if rate < RateMin || rate > RateMax {
		return fmt.Errorf("a rate of %d bit/s: want %d to %d", rate, RateMin, RateMax)
	}
	return nil
}
