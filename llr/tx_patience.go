package llr

import (
	"time"

	"uelink/wire"
)

// How long the replay timer waits for a slow partner, and how far apart two messages of the partner must be to count as
// two.
const (
	patienceMax    = 16               // longest replay timer, in multiples of REPLAY_TIMER_MAX
	patienceForget = time.Second      // after this time without traffic the partner's slowness is forgotten
	apartLeast     = initInterval / 2 // least time between two messages that count as two
)

// patience is the measured time from a frame to its acknowledgement. The measure is of frames sent once: of a frame
// sent again nobody knows which copy is acknowledged. A slow partner's frames may all be sent again, so the time is
// also taken from a needless replay that the replay timer started. A replay was needless if no other frames were sent
// again, and if the partner first acknowledges the frames and only then counts them as received twice. A needed replay,
// after a loss, sometimes looks like a needless one.
type patience struct {
	least time.Duration // shortest loop time since LLR is up; forever = not known
	wait  time.Duration // the last wait from a frame to its acknowledgement
	slow  time.Duration // recent long waits, smoothed: how slow the partner is
	at    wire.Time     // when frames were last acknowledged

	twice  uint32        // frames received twice by the partner, by its count
	counts bool          // the partner has sent its count of frames received twice
	before uint32        // value of field twice when the replay timer last started a replay
	maybe  time.Duration // a wait that counts if the last replay proves needless; 0 = none
}

// forget resets, at a new handshake, what was learned about how long the partner waits before it acknowledges. The
// partner's count of duplicates stays.
func (p *patience) forget() { *p = patience{least: forever, twice: p.twice, counts: p.counts} }

// addLoopTime records a loop time: the least one is kept.
func (p *patience) addLoopTime(d time.Duration) { p.least = min(p.least, d) }

// apart returns the least time between two messages of the partner after which they cannot be of the same moment
// on the wire.
func (p *patience) apart() time.Duration {
	if p.least == forever {
		return apartLeast
	}
	return max(p.least, apartLeast)
}

// addWait records a wait for an acknowledgement that surely shows the partner's delay. Two long waits in
// succession count at once, because a single long wait may be an accident; short waits count gradually.
func (p *patience) addWait(d time.Duration) {
	p.slow = max(min(d, p.wait), p.slow-max(0, p.slow-d)/8)
	p.wait = d
}

// addNeedless records a wait for an acknowledgement that seems to have caused a needless replay. The wait counts if the
// last wait was long, too: on a wire that loses frames, short waits (addWait) come in between.
func (p *patience) addNeedless(d time.Duration) { p.slow, p.wait = max(p.slow, min(d, p.wait)), d }

// begin handles the first frame that is sent after a time without outstanding frames: what was learned about slow
// acknowledgements is forgotten if it is old.
func (p *patience) begin(now wire.Time) {
	if now.Sub(p.at) > patienceForget {
		p.slow, p.wait = 0, 0
	}
}

// receivedTwice records the partner's count of frames that it has received twice, and reports whether the count shows
// that the last replay was needless.
func (p *patience) receivedTwice(count uint32) (needless bool) {
	p.twice, p.counts = count, true
	if p.maybe == 0 || count == p.before {
		return false
	}
	p.addNeedless(p.maybe)
	p.maybe = 0
	return true
}

// usual returns one and a half times the time that the partner usually takes to acknowledge a frame; a loop time must
// be known. The last wait counts, not only the least: a frame may wait in a queue before it is on the wire.
func (p *patience) usual() time.Duration {
	d := max(p.least, p.wait, p.slow)
	return d + d/2
}

// overdueAt returns when a sending is overdue, or wire.Never: the partner, which usually acknowledges sooner, must then
// have received a later frame.
func (p *patience) overdueAt(f *sending) wire.Time {
	if p.least == forever {
		return wire.Never
	}
	return after(f.at, p.usual()+idleMargin)
}
