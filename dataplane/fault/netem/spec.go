// Package netem draws the fates of frames as the kernel's queueing discipline netem does (net/sched/sch_netem.c,
// tc-netem(8)), from the words that tc takes. It needs no kernel module, and is a pure machine: no clock, no lock.
//
// Parse reads the words. A Model draws the fate of each frame. A Queue holds frames until they are due, in the order of
// their times: jitter reorders frames, as in netem.
package netem

import (
	"math"
	"time"
)

// Share is a probability or a correlation in units of 1/(2^32 - 1), as in the kernel's interface.
type Share uint32

// All is a probability of 1.
const All Share = math.MaxUint32

// ShareOf returns the share of a probability from 0 to 1, rounded as tc does.
func ShareOf(p float64) Share { return Share(math.RoundToEven(p * math.MaxUint32)) }

// Float returns the share as a number from 0 to 1.
func (s Share) Float() float64 { return float64(s) / math.MaxUint32 }

// Chance is a probability per frame, and its correlation with the frame before.
type Chance struct{ P, Correlation Share }

// LossModel is the way losses are drawn.
type LossModel uint8

// The loss models.
const (
	Random         LossModel = iota // loss random: each frame by itself, or correlated
	GilbertElliott                  // loss gemodel: two states
	FourStates                      // loss state: four states
)

// Loss is the loss of frames by one of the models.
type Loss struct {
	Model  LossModel
	Random Chance

	P, R, H, K Share // GilbertElliott: to bad, to good, kept in the bad state (H), lost in the good state (1-k, here K)

	P13, P31, P32, P23, P14 Share // FourStates: 1 sent in a gap, 2 sent in a burst, 3 lost in a burst, 4 lost in a gap
}

// On reports whether frames can be lost.
func (l Loss) On() bool { return l != Loss{} }

// Rate is the rate of a line, and the cells that it sends frames in.
type Rate struct {
	BPS            uint64 // bits per second; 0: no limit
	PacketOverhead int    // octets added to each frame, may be negative
	CellSize       int    // octets; 0: no cells
	CellOverhead   int    // octets added to each cell, may be negative
}

// Slot is the times at which frames may leave, as on a radio channel: whatever is due waits for the next slot. Each
// slot is drawn from the time of the one before. Jitter 0: uniformly from Least to Most, else by a distribution.
type Slot struct {
	Least, Most   time.Duration
	Delay, Jitter time.Duration
	Distribution  string // with Jitter; "": none
	Table         []int16
	Frames        int // frames that leave in one slot; 0: no limit
	Octets        int // octets that leave in one slot; the last frame may exceed them; 0: no limit
}

// on reports whether frames wait for slots.
func (s *Slot) on() bool { return s.Least != 0 || s.Most != 0 || s.Jitter != 0 }

// Spec is the options of netem. The zero value, but for the limit, changes nothing.
type Spec struct {
	Limit            int // frames in the queue
	Latency, Jitter  time.Duration
	DelayCorrelation Share
	Distribution     string  // "": uniform
	Table            []int16 // of the distribution: values at equal steps of probability, 8192 for one Jitter
	Loss             Loss
	Duplicate        Chance
	Corrupt          Chance
	Reorder          Chance
	Gap              uint32 // with Reorder: at most one of Gap frames is reordered; 0: none
	Rate             Rate
	Slot             Slot
	ECN              bool // frames that can carry a mark of congestion are marked instead of lost
	Seed             uint64
	Seeded           bool // the words have a seed
}

// DefaultLimit is the number of frames in the queue without the word limit.
const DefaultLimit = 1000
