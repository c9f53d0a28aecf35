package fault

import (
	"math"
	"time"

	"uelink/dataplane/frame"
	"uelink/wire"
)

// Bounds on frames held back so that later frames overtake them.
const (
	maxHeld = 16                     // frames held back at one time
	holdFor = 500 * time.Microsecond // a held frame goes on after this time if too few frames pass
)

// transit is a frame on the line.
type transit struct {
	desc frame.Desc
	fate Fate
	due  wire.Time // end of its delay
}

// held is a frame that waits to be overtaken.
type held struct {
	transit
	left      int       // how many frames must still overtake it
	overtaken bool      // at least one frame has overtaken it
	until     wire.Time // end of the wait in any case
}

// line holds the frames between arriving and leaving: first on the delay line, in order; then, for a frame to be
// reordered, aside; then at the exit, until the caller has room.
type line struct {
	delay  []transit // ring: first is the index of the oldest frame, length the number of frames
	first  int
	length int
	aside  []held       // frames held back so that later frames overtake them
	exit   []frame.Desc // frames ready for the caller
	out    int          // number of the frames in exit that were handed out already

	pace    *pace
	lastDue wire.Time // due time of the last frame: no later frame is due earlier
	most    int       // bound on the frames on the delay line
}

// pace is a rate limit, which lines may share.
type pace struct {
	perBit float64   // nanoseconds for a bit, 0: no rate limit
	free   wire.Time // when the next frame may begin to leave
}

// newLine returns the empty line of a device, with room for that many frames on it at once: no later call allocates.
func newLine(frames int) *line {
	return &line{
		delay: make([]transit, frames),
		aside: make([]held, 0, maxHeld),
		exit:  make([]frame.Desc, 0, 2*(maxHeld+1)), // one frame and all held frames, each twice
		pace:  &pace{},
		most:  frames,
	}
}

func (l *line) setRate(bps uint64) {
	l.pace.perBit = 0
	if bps > 0 {
		l.pace.perBit = 1e9 / float64(bps)
	}
}

// bound sets how many frames the delay line holds; 0: as many as it was made for.
func (l *line) bound(frames int) {
	l.most = len(l.delay)
	if frames > 0 {
		l.most = min(frames, len(l.delay))
	}
}

// room returns how many more frames the delay line can hold.
func (l *line) room() int { return max(0, l.most-l.length) }

// enter puts an arrived frame with its fate on the delay line, which must not be full. The frame is due when the rate
// limit has let it pass and its delay is over, but never before the frame in front of it.
func (l *line) enter(d frame.Desc, f Fate, now wire.Time) {
	begin := max(now, l.pace.free)
	l.pace.free = begin.Add(time.Duration(float64(d.Len) * 8 * l.pace.perBit))
	l.lastDue = max(l.lastDue, l.pace.free.Add(f.Delay))
	at := l.first + l.length
	if at >= len(l.delay) {
		at -= len(l.delay)
	}
	l.delay[at] = transit{desc: d, fate: f, due: l.lastDue}
	l.length++
}

// leave fills into with the frames at the exit, and with further frames whose delay is over, and returns their number.
// c counts the reordered frames.
func (l *line) leave(into []frame.Desc, now wire.Time, c *Counters) int {
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

// advance takes the next frame off the delay line if its delay is over: to the exit, which must be empty, or aside if
// later frames are to overtake it. Frames set aside for long enough go to the exit, too. It returns false if nothing
// has moved.
func (l *line) advance(now wire.Time, c *Counters) bool {
	if l.length > 0 && l.delay[l.first].due <= now {
		t := l.delay[l.first]
		if l.first++; l.first == len(l.delay) {
			l.first = 0
		}
		l.length--
		if t.fate.Overtaken > 0 && len(l.aside) < maxHeld {
			l.aside = append(l.aside, held{transit: t, left: t.fate.Overtaken, until: now.Add(holdFor)})
			return true
		}
		l.pass(t)
		l.release(now, 1, c)
		return true
	}
	l.release(now, 0, c)
	return len(l.exit) > 0
}

// pass puts a frame at the exit of the line, twice if its fate is to be duplicated.
func (l *line) pass(t transit) {
	l.exit = append(l.exit, t.desc)
	if t.fate.Duplicate {
		l.exit = append(l.exit, t.desc)
	}
}

// release moves frames from aside to the exit, once enough frames have overtaken them, or they were held long enough.
// passed is the number of frames that have just gone by. c counts the frames that at least one has overtaken.
func (l *line) release(now wire.Time, passed int, c *Counters) {
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

// next returns the time when the next frame leaves the line: a time in the past for a frame at the exit, wire.Never if
// the line is empty.
func (l *line) next() wire.Time {
	if l.out < len(l.exit) {
		return math.MinInt64
	}
	at := wire.Never
	if l.length > 0 {
		at = l.delay[l.first].due
	}
	for i := range l.aside {
		at = min(at, l.aside[i].until)
	}
	return at
}
