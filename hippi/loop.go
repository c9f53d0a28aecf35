package hippi

import (
	"time"

	"uelink/wire"
)

// Bounds of the automatic ACK indication timeout.
const (
	firstACKTimeout = 10 * time.Millisecond // before a loop is measured
	minACKTimeout   = 100 * time.Microsecond
	maxACKTimeout   = 200 * time.Millisecond
)

// Without success the timeout doubles, up to 4 times, and further up to patientTimeout: so all 100 retries of the
// profile of ends in software take more than a second, and a partner without its CPU meanwhile shuts no link down.
const (
	maxBackoff     = 8 // doublings
	boundedBackoff = 4 // doublings of a timeout that is long already
	patientTimeout = 16 * time.Millisecond
)

// loop measures the time from a micropacket to its acknowledgement. One micropacket is timed at a time.
type loop struct {
	mean, spread time.Duration // smoothed; mean 0 = not measured
	least        time.Duration // about the shortest loop of late without a retransmission; 0 = none
	sent         wire.Time     // of the timed micropacket
	again        wire.Time     // when the timed micropacket was last sent again, Never = not at all
	seq          uint8         // of the timed micropacket
	timing       bool
	backoff      uint8 // doublings of the timeout, one for each retransmission without success
}

// begin starts to measure the loop time (from sending a micropacket to its acknowledgement) with micropacket seq,
// unless a measurement runs.
func (l *loop) begin(seq uint8, now wire.Time) {
	if !l.timing {
		l.timing, l.seq, l.sent, l.again = true, seq, now, wire.Never
	}
}

// end records the acknowledgement of the timed micropacket. Behind a retransmission it is unknown which copy was
// acknowledged: the last, unless the answer came sooner than half the shortest loop after it. With half the mean loop,
// a mean that was too long took every loss for a slow partner, and stayed too long. Such a measurement lengthens the
// loop only: if it was of the wrong copy it is too short. The spread grows faster than it shrinks: a partner that had
// to wait for a CPU once will have to wait again. A loop longer than any ACK timeout, without a retransmission, means
// that this end was stopped (SIGSTOP, a paused VM), and says nothing of the partner. A loop of 3 s in the mean would
// make the timeout 200 ms for the next 60 loops.
func (l *loop) end(now wire.Time) {
	l.timing = false
	sample := now.Sub(l.sent)
	if l.again == wire.Never && l.mean > 0 && sample > max(maxACKTimeout, 4*l.mean) {
		return
	}
	switch last := now.Sub(l.again); {
	case l.again == wire.Never && (l.least == 0 || sample < l.least):
		l.least = sample
	case l.again == wire.Never:
		l.least += (sample - l.least) / 64
	case l.mean > 0 && last >= l.least/2:
		sample = max(last, l.mean)
	}
	if l.mean == 0 {
		l.mean, l.spread = max(sample, 1), sample/2
		return
	}
	off := sample - l.mean
	l.mean = max(l.mean+off/8, 1)
	if off = max(off, -off); off > l.spread {
		l.spread += (off - l.spread) / 4
	} else {
		l.spread -= (l.spread - off) / 16
	}
}

// retransmitted records a retransmission, and doubles the automatic ACK timeout until the next success.
func (l *loop) retransmitted(now wire.Time) {
	l.again = now
	l.backoff = min(l.backoff+1, maxBackoff)
}

// timeout returns the automatic ACK indication timeout: at least twice the measured loop time.
func (l *loop) timeout() time.Duration {
	t := firstACKTimeout
	if l.mean > 0 {
		t = max(2*l.mean, l.mean+4*l.spread, minACKTimeout)
	}
	return min(t<<l.backoff, max(t<<boundedBackoff, patientTimeout), maxACKTimeout)
}

// LoopTime returns the smoothed time from a micropacket to its acknowledgement, 0 before the first.
func (s *Source) LoopTime() time.Duration { return s.loop.mean }
