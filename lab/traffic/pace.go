package traffic

import (
	"time"

	"uelink/wire"
)

// maxBurst is how many overdue frames an open loop sends at once. Further overdue frames are forgiven: never sent.
// Otherwise every pause by the scheduler would overrun an edge ring.
const maxBurst = 64

// pace is the open loop: a fixed rate, independent of arrivals. The zero value sends nothing.
type pace struct {
	rate     float64   // frames a second
	start    wire.Time // when the first frame was due
	forgiven uint64
}

// owed returns how many frames have come due by now, at the fixed rate, and were neither sent nor given up. sent
// is how many were sent so far.
func (p *pace) owed(sent uint64, now wire.Time) uint64 {
	due := uint64(float64(now.Sub(p.start))*p.rate/1e9) - p.forgiven
	if due <= sent {
		return 0
	}
	return due - sent
}

// room returns how many due frames may be sent at once. Frames overdue beyond maxBurst are given up.
func (p *pace) room(sent uint64, now wire.Time) int {
	owed := p.owed(sent, now)
	if owed > maxBurst {
		p.forgiven += owed - maxBurst
		return maxBurst
	}
	return int(owed)
}

// skip gives up all frames that are due and were not sent, and returns their number.
func (p *pace) skip(sent uint64, now wire.Time) uint64 {
	owed := p.owed(sent, now)
	p.forgiven += owed
	return owed
}

// due returns the time at which the next frame comes due; sent is how many were sent so far.
func (p *pace) due(sent uint64) wire.Time {
	return p.start.Add(time.Duration(float64(sent+p.forgiven+1) * 1e9 / p.rate))
}
