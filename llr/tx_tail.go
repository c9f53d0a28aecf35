package llr

import (
	"time"

	"uelink/wire"
)

// tailMargin is longer than the partner waits before it acknowledges on an idle link.
const tailMargin = 60 * time.Microsecond

// tail is the probe of the last frame before a pause. No later frame shows that it is lost, so without an
// acknowledgement in the usual time a copy is sent, once: the answer shows what is missing. A partner that has the
// frame receives a duplicate, and counts it: then it was only slow, and is probed later the next time. The replay
// timer, which lasts much longer, takes care of a lost probe.
type tail struct {
	sent   wire.Time     // when the last frame was sent, or the last progress after a probe
	probed bool          // it was sent again since
	due    bool          // the probe waits to be posted
	wait   time.Duration // from the last frame to its acknowledgement, which came after a probe; 0 = none, or counted
}

// sentLast records that a frame is sent after which no other may follow.
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

// probeAt returns when the last frame is sent again, or wire.Never.
func (t *Tx) probeAt() wire.Time {
	if !t.sel.on || t.tail.probed || !t.carrier || t.state != TxAdvance || t.window.outstanding() == 0 {
		return wire.Never
	}
	return after(max(t.tail.sent, t.busy), t.patience.usual())
}

// beginProbe makes Replay return the slot of the last frame once.
func (t *Tx) beginProbe() { t.tail.probed, t.tail.due = true, true }

// countedTwice records that the partner has received n more frames twice: a probe that was answered by now was
// needless, and the time of its answer is the partner's.
func (t *Tx) countedTwice(n uint32) {
	if n > 0 && t.tail.wait > 0 {
		t.patience.addNeedless(t.tail.wait)
		t.tail.wait = 0
	}
}

// probe returns the slot of the last frame. A probe has no serial of its own: of the two sendings nobody knows which is
// answered.
func (t *Tx) probe() (slot uint32) {
	t.tail.due = false
	position := t.window.tail - 1
	f := t.window.at(position)
	t.sending(position).copied = true
	t.replay.again = t.window.tail
	t.count.TxTailProbe++
	t.countAgain(f)
	return f.slot
}
