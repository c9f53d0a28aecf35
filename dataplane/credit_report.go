package dataplane

import (
	"fmt"
	"time"

	"uelink/cbfc"
)

// creditsTold is what the events of a link have told of its credits.
type creditsTold struct {
	moving  uint32 // channels on their way, as of the last look
	counted uint32 // and those under credits
	at      int64  // when the next look is due, ns
	losses  uint64 // what the last look saw of lossAllowed
	live    bool   // LLR was live then
	tooLong dropping
	vc      [cbfc.VCs]channelTold
}

// channelTold is what was told of one channel.
type channelTold struct {
	phase    cbfc.Phase
	failure  cbfc.Failure
	timeouts uint64
	overruns dropping
	drift    drift
}

// drift is credits that CC_Update repairs though LLR loses nothing: then the two ends count
// differently. The first repair after something may have been lost is none, and one repair alone
// may be of a frame that is never sequenced.
type drift struct {
	seen    uint64 // on the counters
	excused bool   // something may have been lost that was not repaired yet
	suspect bool   // there was one repair without excuse
	told    bool
}

// look compares with the counters; begins is whether to tell it.
func (d *drift) look(count uint64, lost bool) (begins bool) {
	was := d.seen
	d.seen = count
	if lost {
		d.excused, d.suspect = true, false
	}
	switch {
	case count < was: // cleared
		*d = drift{seen: count, excused: d.excused}
	case count == was:
	case d.excused:
		d.excused = false
	case d.suspect && !d.told:
		d.told = true
		return true
	default:
		d.suspect = true
	}
	return false
}

// lossAllowed counts what may be lost of what the partner has charged, though LLR is live: it has begun
// anew, and frames that have come damaged from where the partner got them.
func (l *link) lossAllowed() uint64 {
	c := l.llr.Counters()
	return c.RxInitCtlOS + c.RxExpectedSeqPoisoned + c.PartnerRestart + l.counters.RxBareBadFCS + l.counters.RxVC
}

// reportCredits tells what has changed of the channels: at once where one comes under credits or
// leaves them, else each dropsEvery.
func (l *link) reportCredits(h *hub, now int64) {
	t := &l.creditsTold
	moving, counted := l.cbfc.Moving(), l.cbfc.Tx.Counted()
	if moving == t.moving && counted == t.counted && (now < t.at || !l.settings.CBFC.On) {
		return
	}
	losses, live := l.lossAllowed(), l.llr.Rx.Live()
	lost := losses != t.losses || !live || !t.live
	t.moving, t.counted, t.at, t.losses, t.live = moving, counted, now+dropsEvery, losses, live
	if t.tooLong.look(l.cbfc.Count.TooLong, now, dropsLast) {
		h.emit(l.settings.Name, EventCredits, "frames are dropped that cost more credits than the limit of their channel "+
			"(tx_drop_over_limit): have the partner raise it, or lower the MTU of the edge")
	}
	for vc := range uint8(l.vcs()) {
		l.reportChannel(h, vc, lost || l.settings.NoLLR>>vc&1 != 0, now)
	}
}

func (l *link) reportChannel(h *hub, vc uint8, lost bool, now int64) {
	t := &l.creditsTold.vc[vc]
	tell := func(kind, format string, args ...any) {
		h.emit(l.settings.Name, kind, fmt.Sprintf("VC %d: ", vc)+fmt.Sprintf(format, args...))
	}
	phase, failure, c := l.cbfc.Channel(vc)
	if phase != t.phase || failure != t.failure {
		retries := failure != cbfc.NoFailure && failure == t.failure && phase != cbfc.Lossless
		if t.phase, t.failure = phase, failure; !retries {
			tell(EventVC, "%s", phaseText(phase, failure, l.cbfc.Why(vc)))
		}
	}
	if c.Timeouts > t.timeouts {
		text := "the partner has returned no credits for %v, and a frame waits"
		if l.settings.CBFC.Reset {
			text += ": the channel begins anew"
		}
		tell(EventCredits, text, time.Duration(l.settings.CBFC.Timeout))
	}
	t.timeouts = c.Timeouts
	if t.overruns.look(c.Overruns, now, dropsLast) {
		tell(EventCredits, "the partner sends more than its credits: what has no room is dropped, "+
			"and the channel begins anew")
	}
	if t.drift.look(c.Repaired+c.CCBackwards, lost) {
		size := l.settings.CBFC.Size
		tell(EventCredits, "the two ends count differently, for LLR loses nothing and credits are missing: "+
			"has the partner another credit size than %d, or another overhead than %d?", size.Credit, size.Overhead)
	}
}

// phaseText is where a channel is, and why it is not lossless.
func phaseText(p cbfc.Phase, f cbfc.Failure, why string) string {
	if f == cbfc.NoFailure || p != cbfc.BestEffort && (p != cbfc.Asking || f != cbfc.StillHeld) {
		return p.String()
	}
	return p.String() + ": " + why
}

// differ is the channels whose credits the two ends seem to count differently.
func (t *creditsTold) differ() (vcs uint32) {
	for vc := range t.vc {
		if t.vc[vc].drift.told {
			vcs |= 1 << vc
		}
	}
	return vcs
}
