package llr

import (
	"time"

	"uelink/wire"
)

// receivedInitEcho handles an LLR_INIT_ECHO: with the init_seq and init_data of the LLR_INIT it "confirms
// initialization" (UE-LINK §2.3). INIT ends, a loop time is measured, the kind of replay is settled, and frames still
// outstanding are replayed.
//
// After a restart with a bookmark, the LLR_INIT may have the same init_seq as the last, which the partner's
// predecessor has echoed. So the echo counts only if its frame is vouched for by the partner's present start id.
// Clauses: UE-LINK/init.9.
func (t *Tx) receivedInitEcho(c wire.CtlOS, vouched bool, now wire.Time) {
	t.now = now
	if !t.hello.echoed(c) || t.resume.on && !vouched {
		t.count.RxInitEchoMismatch++
		return
	}
	if t.state == TxInit {
		t.loop.handshake, t.loop.sure = t.hello.loopTime(now)
		if t.loop.sure {
			t.patience.addLoopTime(t.loop.handshake)
		}
		t.adapt()
		t.replay.restartWait(now)
		t.hold = hold{heard: now}
		t.state, t.resume.on = TxAdvance, false
		t.sel.start(&t.profile, &t.window)
		if t.window.outstanding() > 0 {
			t.beginReplay(now)
		}
	}
}

// partnerInitializes handles an LLR_INIT of the partner: since the partner is there, our LLR_INIT follows soon.
// Clauses: UE-LINK/init.12.
func (t *Tx) partnerInitializes(now wire.Time) {
	t.now = now
	if t.state == TxInit {
		t.hello.hurry(now)
	}
}

// partnerLive handles what the partner's STATION says about its receiver: live means initialised. While LLR runs, the
// partner counts as having lost our numbers when both are true: two STATIONs, a loop time apart, say that its receiver
// is not initialised, and a replay has brought no acknowledgement of outstanding frames. LLR then initialises again.
// One STATION is not enough: it may be an old one that was repeated.
func (t *Tx) partnerLive(live bool, now wire.Time) {
	switch {
	case live || !t.running():
		t.notLive = wire.Never
	case t.notLive == wire.Never:
		t.notLive = now
	case now >= after(t.notLive, t.patience.apart()) && (t.window.outstanding() == 0 || t.replay.row > 0):
		t.initialiseAgain(reinitNotLive, now)
	}
}

// busyFor is how long the partner counts as busy after a STATION that says so; the partner repeats it sooner.
const busyFor = 100 * time.Millisecond

// partnerBusy handles what the partner's STATION says about its room: busy means that it accepts no frames at
// present. While it is busy no timer starts a replay and no replay counts: a replay would achieve nothing. Afterwards
// the replay timer starts anew.
func (t *Tx) partnerBusy(busy bool, now wire.Time) {
	switch {
	case busy:
		t.busy = after(now, busyFor)
	case now < t.busy:
		t.busy, t.timer = now, now
		t.replay.restartWait(now)
	}
}

// partnerHeard records that an undamaged message or frame of the partner's present start has arrived.
func (t *Tx) partnerHeard(now wire.Time) {
	if t.replay.count > 0 && !t.hold.forgiven && t.hold.longSilent(&t.profile, t.limits.timeout, now) {
		t.replay.count, t.replay.countFrom, t.hold.forgiven = 0, now, true
	}
	t.hold.heard = now
}

// PartnerSilent handles an unexpected stop of the partner's frames. If nothing is outstanding the handshake starts
// again, so that INIT_LLR_FRAME_ACTION applies to frames for a successor of the partner.
func (t *Tx) PartnerSilent(now wire.Time) {
	if t.running() && t.window.outstanding() == 0 {
		t.initialiseAgain(reinitSilent, now)
	}
}

// receivedTwice handles the partner's count of frames that it has received twice: if the count has grown, the last
// probe or the last replay was needless.
func (t *Tx) receivedTwice(count uint32) {
	if count != t.patience.twice {
		t.tail.recordNeedless(&t.patience)
	}
	if t.patience.receivedTwice(count) {
		t.replay.timed = false
	}
}

// partnerRestarted handles a restart of the partner. With a valid bookmark (the receiver's position before the
// restart) in the control frame list, the frames that the partner's predecessor had not accepted stay outstanding
// and are sent again after the next handshake. Without a bookmark all outstanding frames are dropped and LLR
// initialises again.
func (t *Tx) partnerRestarted(list []wire.CtlOS, now wire.Time) {
	if b, ok := findBookmark(list); ok && t.partnerResumed(b, now) {
		return
	}
	t.now = now
	t.initialiseAgain(reinitRestarted, now)
}

// partnerResumed makes the next LLR_INIT continue at the partner's bookmark, its receiver's position before the
// restart. It reports whether the bookmark is valid: Origin is the init_seq of this transmitter's last LLR_INIT,
// and Next lies in the window. Frames that the predecessor accepted and did not acknowledge are counted in
// TxUnconfirmed: the predecessor may have ended before forwarding them.
func (t *Tx) partnerResumed(b Bookmark, now wire.Time) bool {
	taken := t.space.distance(t.acked(), t.space.add(b.Next, -1))
	if t.state == TxOff || t.state == TxFlush || !t.hello.sent || b.Origin != t.hello.seq ||
		taken > t.window.outstanding() {
		return false
	}
	t.count.PartnerResumed++
	t.count.TxUnconfirmed += uint64(taken)
	t.count.TxReinit++
	t.ended.reinits++
	t.ended.reinitReason = reinitResumed
	t.window.release(taken)
	t.beginInit(now)
	t.replay.repeatedTo = t.window.tail
	t.hello.seq, t.resume.on, t.resume.since = b.Next, true, now
	t.hello.sent = false
	t.hello.sendNow(now)
	return true
}
