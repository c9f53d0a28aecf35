package llr

import (
	"time"

	"uelink/wire"
)

// How much later than usual the partner may acknowledge.
const (
	idleMargin = 60 * time.Microsecond             // while the link is idle
	ackMargin  = ackDelayMax + 10*time.Microsecond // at most, while frames keep arriving and the link is never idle
)

// tail is the probe of the last frame before a pause. No later frame shows that the last frame is lost, so without an
// acknowledgement in the usual time a copy is sent, once: the partner accepts the copy, or its answer shows which
// frames are missing. A partner that has the frame counts the copy as a duplicate: then the partner was only slow, and
// is probed later the next time. The replay timer, which lasts much longer, takes care of a lost probe. A probe is no
// replay: neither TX_REPLAY nor REPLAY_COUNT_MAX counts it.
type tail struct {
	sent   wire.Time     // when the last frame was sent, or the last progress after a probe
	probed bool          // the last frame was sent again after that, as a probe
	due    bool          // the probe was decided on, and Tx.Replay has not returned it yet
	wait   time.Duration // from the last frame to its acknowledgement, which came after a probe; 0 = none, or already counted
}

// sentLast records that a frame is sent, after which perhaps no other follows.
func (p *tail) sentLast(now wire.Time) { p.sent, p.probed, p.due = now, false, false }

// recordProgress records that acked_seq has advanced, and n frames are still outstanding: there may be another probe.
func (p *tail) recordProgress(n uint32, now wire.Time) {
	if p.probed {
		p.wait = now.Sub(p.sent)
	}
	if p.probed || n == 0 {
		p.sentLast(now)
	}
}

// begin makes Tx.Replay return the slot of the last frame once.
func (p *tail) begin() { p.probed, p.due = true, true }

// recordNeedless records that the partner has received more frames twice: a probe that was answered by now was
// needless, and the time of its answer shows how slow the partner is.
func (p *tail) recordNeedless(partner *patience) {
	if p.wait > 0 {
		partner.addNeedless(p.wait)
		p.wait = 0
	}
}

// probes reports whether the last frame is ever probed. In go-back-N that needs a partner that counts duplicates, and
// has acknowledged a frame: to others each copy would be a replay before its time.
func (p *patience) probes(selective bool) bool {
	return p.least != forever && (selective || p.counts && p.wait > 0)
}
