package llr

import (
	"time"

	"uelink/wire"
)

// How long the replay timer waits for a slow partner, and how far apart two sightings are at least that count as two.
const (
	patienceMax    = 16          // longest replay timer, in multiples of REPLAY_TIMER_MAX
	patienceForget = time.Second // after this time without traffic the partner's slowness is forgotten
	apartLeast     = initInterval / 2
)

// patience is the measured time from a frame to its acknowledgement. The measure is of frames sent once: of a frame
// sent again nobody knows which copy is acknowledged. A slow partner's frames may all be sent again, so a needless
// replay of the timer is a second source. A replay was needless if no other frames were sent again, and if the
// partner first acknowledges the frames and only then counts them as received twice. Losses sometimes look alike.
type patience struct {
	least time.Duration // shortest wait since LLR is up; forever = not known
	wait  time.Duration // the last wait
	slow  time.Duration // recent long waits, smoothed
	at    wire.Time     // time of the last progress

	twice  uint32        // frames received twice by the partner, by its count
	counts bool          // the partner has sent its count
	before uint32        // twice when the last timed replay began
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

// addNeedless records a wait for an acknowledgement that seems to have caused a needless replay. The wait counts
// if the last wait was long, too: on a wire that loses frames, certain waits, which are short, come in between.
func (p *patience) addNeedless(d time.Duration) { p.slow, p.wait = max(p.slow, min(d, p.wait)), d }

// begin handles the first frame that is sent after a time without outstanding frames: what was learned about slow
// acknowledgements is forgotten if it is old.
func (p *patience) begin(now wire.Time) {
	if now.Sub(p.at) > patienceForget {
		p.slow, p.wait = 0, 0
	}
}

// learn records the wait of an acknowledgement of the n oldest outstanding frames: the time since the first of these
// was pushed. The time of the last frame is a loop time, since that frame has only just arrived. The loop time
// replaces the wait where the first frame was sent again.
func (t *Tx) learn(n uint32, now wire.Time) {
	p, r := &t.patience, &t.replay
	if p.at = now; t.sel.on {
		return // measure has done so
	}
	first, last := t.window.first, t.window.first+n-1
	wait := now.Sub(t.window.at(first).pushed)
	switch {
	case int32(last-r.repeatedTo) >= 0:
		pushed := t.window.at(last).pushed
		t.addLoopTime(pushed, now)
		if int32(first-r.repeatedTo) < 0 {
			wait = now.Sub(pushed)
		}
		p.addWait(wait)
		p.maybe, r.timed = 0, false
	case !r.timed:
	case !t.overtakes(n):
		r.timed = false
	case t.knownLoss(now): // the acknowledged frames were sent before the replay, perhaps before many: one doubling a time
		p.addNeedless(min(wait, 2*max(p.slow, t.limits.timeout)))
	case p.counts && p.twice == p.before && p.maybe == 0:
		p.maybe = wait
	}
}

// overtakes reports whether an acknowledgement of n frames may show that the last replay was needless: it covers more
// frames than the replay has posted so far, or all outstanding frames, which ends the replay. A replay that goes on
// makes frames arrive twice however fast the partner is, and shows nothing.
func (t *Tx) overtakes(n uint32) bool {
	return n > t.replay.cursor-t.window.first || n == t.window.outstanding()
}

// addLoopTime records the loop time of a frame that was sent once, at pushed, and is acknowledged now. A time in
// which the partner was busy by its own word is no loop time. Nor is the time of a frame that was sent before the last
// replay: it waited for the replay, perhaps for the replay timer, which follows the loop time and would lengthen
// itself.
func (t *Tx) addLoopTime(pushed, now wire.Time) {
	t.patience.addLoopTime(now.Sub(pushed))
	if pushed < t.busy || t.replay.begun && pushed < t.replay.began {
		return
	}
	t.countLoopTime(now.Sub(pushed))
}

// countLoopTime counts a loop time among those that the advice follows.
func (t *Tx) countLoopTime(d time.Duration) {
	if t.loop.add(d); t.loop.total%adviseEvery == 0 {
		t.loop.late = time.Duration(t.loop.summary().P99)
		t.adapt()
	}
}

// receivedTwice handles the partner's count of frames that it has received twice: if the count has grown, the last
// replay was needless.
func (t *Tx) receivedTwice(count uint32) {
	p := &t.patience
	t.countedTwice(count - p.twice)
	p.twice, p.counts = count, true
	if p.maybe > 0 && count != p.before {
		p.addNeedless(p.maybe)
		p.maybe, t.replay.timed = 0, false
	}
}
