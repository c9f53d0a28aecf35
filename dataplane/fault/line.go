package fault

import (
	"math"
	"time"

	"uelink/dataplane/frame"
)

const (
	maxHeld = 16                     // frames held back to be overtaken, at one time
	holdFor = 500 * time.Microsecond // a held frame goes on after this if too few frames come by
)

// transit is a frame on its way along the line.
type transit struct {
	desc frame.Desc
	fate Fate
	due  int64 // may leave the delay line
}

// held is a frame that others are to overtake.
type held struct {
	transit
	left      int   // frames that are still to pass
	overtaken bool  // at least one has passed
	until     int64 // goes on at this time in any case
}

// line is where frames are between arriving and leaving: first the delay line,
// in order; then, for a frame to be reordered, a place aside; then the exit,
// where it waits for the caller to have room.
type line struct {
	delay  []transit // ring
	first  int
	length int
	aside  []held
	exit   []frame.Desc
	out    int // of exit, already handed out

	perBit  float64 // nanoseconds, 0: no rate limit
	free    int64   // the rate limit lets the next frame begin
	lastDue int64   // frames keep their order on the delay line
}

func newLine(frames int) *line {
	return &line{
		delay: make([]transit, frames),
		aside: make([]held, 0, maxHeld),
		exit:  make([]frame.Desc, 0, 2*(maxHeld+1)), // one frame and all that waited for it, each twice
	}
}

func (l *line) setRate(bps uint64) {
	l.perBit = 0
	if bps > 0 {
		l.perBit = 1e9 / float64(bps)
	}
}

// room is how many more frames the delay line takes.
func (l *line) room() int { return len(l.delay) - l.length }

// enter puts an arrived frame on the delay line, which is not full.
func (l *line) enter(d frame.Desc, f Fate, now int64) {
	begin := max(now, l.free)
	l.free = begin + int64(float64(d.Len)*8*l.perBit)
	l.lastDue = max(l.lastDue, l.free+int64(f.Delay))
	at := l.first + l.length
	if at >= len(l.delay) {
		at -= len(l.delay)
	}
	l.delay[at] = transit{desc: d, fate: f, due: l.lastDue}
	l.length++
}

// leave hands out up to len(into) frames that are due.
func (l *line) leave(into []frame.Desc, now int64, c *Counters) int {
	n := 0
	for {
		moved := copy(into[n:], l.exit[l.out:])
		n, l.out = n+moved, l.out+moved
		if l.out < len(l.exit) {
			return n
		}
		l.exit, l.out = l.exit[:0], 0
		if n == len(into) || !l.advance(now, c) {
			return n
		}
	}
}

// advance moves what is next to the exit, which is empty: false when nothing is
// due.
func (l *line) advance(now int64, c *Counters) bool {
	if l.length > 0 && l.delay[l.first].due <= now {
		t := l.delay[l.first]
		if l.first++; l.first == len(l.delay) {
			l.first = 0
		}
		l.length--
		if t.fate.Overtaken > 0 && len(l.aside) < maxHeld {
			l.aside = append(l.aside, held{transit: t, left: t.fate.Overtaken, until: now + int64(holdFor)})
			return true
		}
		l.pass(t)
		l.release(now, 1, c)
		return true
	}
	l.release(now, 0, c)
	return len(l.exit) > 0
}

// pass puts a frame at the exit, and its duplicate behind it.
func (l *line) pass(t transit) {
	l.exit = append(l.exit, t.desc)
	if t.fate.Duplicate {
		l.exit = append(l.exit, t.desc)
	}
}

// release lets those frames go on that enough others have passed, or that have
// been held for long enough; passed is how many frames have gone by just now.
func (l *line) release(now int64, passed int, c *Counters) {
	stay := l.aside[:0]
	for _, h := range l.aside {
		h.left -= passed
		h.overtaken = h.overtaken || passed > 0
		if h.left > 0 && h.until > now {
			stay = append(stay, h)
			continue
		}
		if h.overtaken {
			c.Reordered++
		}
		l.pass(h.transit)
	}
	l.aside = stay
}

// next is when the next frame is due, MaxInt64 if there is none.
func (l *line) next() int64 {
	if l.out < len(l.exit) {
		return math.MinInt64
	}
	at := int64(math.MaxInt64)
	if l.length > 0 {
		at = l.delay[l.first].due
	}
	for i := range l.aside {
		at = min(at, l.aside[i].until)
	}
	return at
}
