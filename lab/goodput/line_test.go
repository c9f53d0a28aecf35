package goodput

import (
	"time"

	"uelink/dataplane/fault"
	"uelink/wire"
)

// packet is a frame on the wire: data, or a list of control ordered sets.
type packet struct {
	at       wire.Time // of its arrival
	data     bool
	seq, id  uint32 // data: sequence number, and number among the frames of the run
	fcs      wire.FCS
	controls []wire.CtlOS
}

// overtaken is a packet that some later ones pass.
type overtaken struct {
	packet
	left int // packets still to pass it
}

// line is one direction of the wire: it sends one packet after the other, and each is under way for half a loop.
type line struct {
	free   float64 // when the line has sent all packets given to it, nanoseconds
	delay  time.Duration
	model  *fault.Model
	flying []packet // in the order of their arrival
	first  int      // the next of them to arrive
	passed []overtaken
}

// next returns when the next packet arrives; wire.Never if none is under way.
func (l *line) next() wire.Time {
	if l.first == len(l.flying) {
		return wire.Never
	}
	return l.flying[l.first].at
}

// pop returns the next packet that arrives.
func (l *line) pop() packet {
	p := l.flying[l.first]
	l.flying[l.first] = packet{}
	if l.first++; l.first == len(l.flying) {
		l.flying, l.first = l.flying[:0], 0
	}
	return p
}

// send puts a packet on the line, which takes the time serial to send it, and draws the packet's fate. lost is true if
// the packet does not arrive.
func (l *line) send(p packet, serial float64, now wire.Time) (lost bool) {
	l.free = max(l.free, float64(now)) + serial
	p.at = wire.Time(l.free).Add(l.delay)
	fate := l.model.Next()
	switch {
	case fate.Drop:
		lost = true
	case fate.Flips > 0 && !p.data: // its CRC does not fit
		lost = true
	case fate.Flips > 0:
		p.fcs = wire.FCSBad
		l.flying = append(l.flying, p)
	case fate.Overtaken > 0:
		l.passed = append(l.passed, overtaken{p, fate.Overtaken + 1})
	default:
		l.flying = append(l.flying, p)
		if fate.Duplicate {
			l.flying = append(l.flying, p)
		}
	}
	l.letGo(p.at)
	return lost
}

// letGo has the overtaken packets arrive, at time at, that have been passed by as many as they had to be.
func (l *line) letGo(at wire.Time) {
	saved := l.passed[:0]
	for _, o := range l.passed {
		if o.left--; o.left > 0 {
			saved = append(saved, o)
			continue
		}
		o.at = at
		l.flying = append(l.flying, o.packet)
	}
	l.passed = saved
}

// backlog returns how long the line needs to send all packets given to it, in nanoseconds.
func (l *line) backlog(now wire.Time) float64 { return max(0, l.free-float64(now)) }
