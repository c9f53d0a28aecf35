package hippi

import (
	"time"

	"uelink/wire"
)

// Bounds of the automatic ACK indication timeout.
const (
	firstACKTimeout = 10 * time.Millisecond  // the timeout before a loop time is measured
	minACKTimeout   = 100 * time.Microsecond // the shortest timeout
	maxACKTimeout   = 200 * time.Millisecond // the longest timeout
)

// Without success the timeout doubles, up to 4 times, and further up to patientTimeout. So all 100 retries of the
// profile of ends in software take more than a second, and a partner that gets no CPU for so long does not shut the
// link down.
const (
	maxBackoff     = 8 // doublings at most
	boundedBackoff = 4 // doublings at most, if they make the timeout longer than patientTimeout
	patientTimeout = 16 * time.Millisecond
)

// longestStep is the longest loop time that counts after a retransmission, in ACK timeouts.
const longestStep = 8

// loop measures the time from a micropacket to its acknowledgement. One micropacket is timed at a time.
type loop struct {
	mean, spread time.Duration // smoothed loop time and its deviation; mean 0 = not measured
	least        time.Duration // about the shortest recent loop time without a retransmission; 0 = none
	sent         wire.Time     // when the timed micropacket was first sent
	resent       wire.Time     // when the timed micropacket was last sent again, Never = not at all
	seq          uint8         // TSEQ of the timed micropacket
	timing       bool          // a micropacket is timed
	backoff      uint8         // doublings of the timeout, one for each retransmission without success
}

// begin starts to measure the loop time (from sending a micropacket to its acknowledgement) with micropacket seq,
// unless a measurement runs.
func (l *loop) begin(seq uint8, now wire.Time) {
	if !l.timing {
		l.timing, l.seq, l.sent, l.resent = true, seq, now, wire.Never
	}
}

// end records the acknowledgement of the timed micropacket. After a retransmission it is unknown which copy was
// acknowledged. The last copy is assumed, unless the answer came sooner after it than half the shortest loop time.
// (With half the mean loop time, a mean that was too long took every loss for a slow partner, and stayed too long.)
// Such a measurement only lengthens the mean: if it was of the wrong copy it is too short. It counts as longestStep
// timeouts at most, since an end may have been stopped once (SIGSTOP, a paused VM): else a stop of 100 ms made the
// timeout 18 to 100 ms for the next 70 loops. The spread grows faster than it shrinks: a partner that had to wait for a
// CPU once will have to wait again.
func (l *loop) end(now wire.Time) {
	l.timing = false
	sample := now.Sub(l.sent)
	switch {
	case l.resent == wire.Never && (l.least == 0 || sample < l.least):
		l.least = sample
	case l.resent == wire.Never:
		l.least += (sample - l.least) / 64
	case l.mean > 0:
		if last := now.Sub(l.resent); last >= l.least/2 {
			sample = max(last, l.mean)
		}
		sample = min(sample, longestStep*l.patience())
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

// stopped ends the measurement without a result, because this end was stopped (SIGSTOP, a paused VM), not the partner
// slow. A loop of 100 ms would make the timeout 110 ms, and still 11 ms after 40 loops.
func (l *loop) stopped() { l.timing = false }

// retransmitted records a retransmission, and doubles the automatic ACK timeout until the next success.
func (l *loop) retransmitted(now wire.Time) {
	l.resent = now
	l.backoff = min(l.backoff+1, maxBackoff)
}

// timeout returns the automatic ACK indication timeout: at least twice the measured loop time, doubled for each
// retransmission without success as far as boundedBackoff, patientTimeout and maxACKTimeout allow.
func (l *loop) timeout() time.Duration {
	t := l.patience()
	return min(t<<l.backoff, max(t<<boundedBackoff, patientTimeout), maxACKTimeout)
}

// patience returns the automatic ACK indication timeout without doublings, as it is after a success.
func (l *loop) patience() time.Duration {
	if l.mean == 0 {
		return firstACKTimeout
	}
	return max(2*l.mean, l.mean+4*l.spread, minACKTimeout)
}

// LoopTime returns the smoothed time from a micropacket to its acknowledgement, 0 before the first.
func (s *Source) LoopTime() time.Duration { return s.loop.mean }
