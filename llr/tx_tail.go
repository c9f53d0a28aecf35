package llr

import (
	"time"

	"uelink/wire"
)

// How much later than usual the partner may acknowledge: on an idle link, and at the latest, if each time something
// arrives before the link counts as idle.
const (
	idleMargin = 60 * time.Microsecond
	ackMargin  = ackDelayMax + 10*time.Microsecond
)

// tail is the probe of the last frame before a pause. No later frame shows that it is lost, so without an
// acknowledgement in the usual time a copy is sent, once: it is accepted, or the answer shows what is missing. A
// partner that has the frame receives a duplicate, and counts it: then it was only slow, and is probed later the next
// time. The replay timer, which lasts much longer, takes care of a lost probe. A probe is no replay: neither TX_REPLAY
// nor REPLAY_COUNT_MAX counts it.
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
// Clauses: SAI-LLR/replay-timer.1.
func (t *Tx) probeAt() wire.Time {
	if t.tail.probed || !t.port.carrier || t.state != TxAdvance || t.window.outstanding() == 0 || !t.probes() {
		return wire.Never
	}
	return after(max(t.tail.sent, t.busy), max(t.patience.usual()+ackMargin, t.loop.late))
}

// probes reports whether the last frame is ever probed. In go-back-N that needs a partner that counts duplicates, and
// has acknowledged a frame: to others each copy would be a replay before its time.
func (t *Tx) probes() bool {
	p := &t.patience
	return p.least != forever && (t.sel.on || p.counts && p.wait > 0)
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
	if t.sel.on {
		t.sending(position).copied = true
	}
	t.replay.repeatedTo = t.window.tail
	t.count.TxTailProbe++
	t.countAgain(f)
	return f.slot
}
