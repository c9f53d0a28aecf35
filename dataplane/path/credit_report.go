package path

import (
	"fmt"
	"time"

	"uelink/cbfc"
	"uelink/dataplane/model"
	"uelink/dataplane/trouble"
	"uelink/internal/events"
	"uelink/wire"
)

// creditReports is the state of a link's credits as last reported by events.
type creditReports struct {
	moving  uint32    // bitmap of the channels that were starting or stopping to use credits, at the last check
	counted uint32    // bitmap of the channels that used credits, at the last check
	at      wire.Time // time of the next check, unless a channel starts or stops before
	losses  uint64    // value of lossAllowed at the last check
	live    bool      // LLR was live at the last check
	tooLong trouble.Dropping
	trouble wire.Trouble // trouble that this end reports to the partner
	vc      [cbfc.VCs]channelReport
}

// channelReport is the state of one channel at the last check, and the state that events have last reported.
type channelReport struct {
	phase    cbfc.Phase
	failure  cbfc.Failure
	named    cbfc.Failure // the failure that the last event about the phase named
	timeouts uint64
	overruns trouble.Dropping
	drift    drift
}

// drift detects credits repaired by CC_Update although LLR loses nothing, a sign that the two ends count differently.
// The first repair after a possible loss is excused. A single repair may belong to a frame that is never sequenced, so
// one repair alone is not reported.
type drift struct {
	seen     uint64    // number of repairs, at the last check
	excused  bool      // a possible loss has not been repaired yet
	suspect  bool      // one repair came without a possible loss before it
	reported bool      // an event has reported the drift, and no event has reported its end yet
	at       wire.Time // time of the last repair
}

// driftLast is the time without a repair after which a drift is over.
const driftLast = 30 * time.Second

// update records count, the number of credit repairs so far. lost is true if frames may have been lost since the last
// call. begins is true when repairs without such a loss show that the two ends count credits differently, over when
// there was no repair for driftLast after that.
func (d *drift) update(count uint64, lost bool, now wire.Time) (begins, over bool) {
	before := d.seen
	if d.seen = count; count > before {
		d.at = now
	}
	if lost {
		d.excused, d.suspect = true, false
	}
	switch {
	case count < before: // cleared
		d.suspect = false
	case count == before:
		if over = d.reported && now.Sub(d.at) >= driftLast; over {
			d.reported, d.suspect = false, false
		}
	case d.excused:
		d.excused = false
	case d.suspect:
		begins = !d.reported
		d.reported = true
	default:
		d.suspect = true
	}
	return begins, over
}

// lossAllowed returns how many frames may have been lost on the link for a known reason, although LLR is on: at
// restarts of an end, and frames that were already damaged before the partner sent them. More credit repairs than
// that show a difference between the two ends' counts.
func lossAllowed(l *Link) uint64 {
	c := l.LLR.Counters()
	return c.RxInitCtlOS + c.RxExpectedSeqPoisoned + c.PartnerRestart + l.Port.Counters.RxBareBadFCS + l.Port.Counters.RxVC
}

// report publishes events about changed channels: at once when a channel starts or ends using credits, at most once in
// dropsEvery for other changes. It also publishes when frames begin to be dropped because they cost more than their
// channel's limit, and when that is over; and it updates the trouble that this end reports to the partner.
func (t *creditReports) report(l *Link, h *model.Hub, now wire.Time) {
	moving, counted := l.cbfc.Moving(), l.cbfc.Tx.Counted()
	if moving == t.moving && counted == t.counted && (now < t.at || !l.Port.settings.CBFC.On) {
		return
	}
	losses, live := lossAllowed(l), l.LLR.Rx.Live()
	lost := losses != t.losses || !live || !t.live
	t.moving, t.counted, t.at, t.losses, t.live = moving, counted, now.Add(dropsEvery), losses, live
	switch began, over := t.tooLong.Changes(l.cbfc.Count.TooLong, int64(now), dropsLast); {
	case began:
		h.Publish(l.Port.settings.Name, model.EventCredits,
			"frames are dropped that cost more credits than the limit of their channel (tx_drop_over_limit): raise the limit "+
				"at the partner, or lower the MTU of the edge")
	case over:
		h.PublishAt(events.Info, l.Port.settings.Name, model.EventCredits, fmt.Sprintf("over: frames are no longer dropped "+
			"(tx_drop_over_limit); %d were dropped", t.tooLong.Lost()))
	}
	for vc := range uint8(l.vcs()) {
		t.vc[vc].report(l, h, vc, lost || l.Port.settings.NoLLR>>vc&1 != 0, now)
	}
	t.trouble = l.creditTrouble()
}

// report publishes events about the channel vc: a new phase or failure, credits not returned in time, a partner that
// sends beyond its credits, and ends that count differently. A channel that tries again after a failure causes no
// further event until it is lossless or fails for another reason. lost: frames charged by the partner may be lost.
func (t *channelReport) report(l *Link, h *model.Hub, vc uint8, lost bool, now wire.Time) {
	tell := func(level events.Level, kind, format string, args ...any) {
		h.PublishAt(level, l.Port.settings.Name, kind, fmt.Sprintf("VC %d: ", vc)+fmt.Sprintf(format, args...))
	}
	phase, failure, c := l.cbfc.Channel(vc)
	if phase != t.phase || failure != t.failure {
		retries := failure != cbfc.NoFailure && failure == t.named && phase != cbfc.Lossless
		if t.phase, t.failure = phase, failure; !retries {
			t.named = cbfc.NoFailure
			if saysWhy(phase, failure) {
				t.named = failure
			}
			tell(model.WarnIf(saysWhy(phase, failure)), model.EventVC, "%s",
				phaseText(phase, failure, l.cbfc.DescribeFailure(vc)))
		}
	}
	if c.Timeouts > t.timeouts {
		text := "the partner has returned no credits for %v, and a frame waits"
		if l.Port.settings.CBFC.Reset {
			text += ": the channel is initialised again"
		}
		tell(events.Warning, model.EventCredits, text, l.Port.settings.CBFC.Timeout)
	}
	t.timeouts = c.Timeouts
	switch began, over := t.overruns.Changes(c.Overruns, int64(now), dropsLast); {
	case over:
		tell(events.Info, model.EventCredits, "over: the partner sends no more than its credits again")
	case began:
		tell(events.Warning, model.EventCredits, "the partner sends more than its credits: frames without room are dropped, "+
			"and the channel is initialised again")
	}
	switch begins, over := t.drift.update(c.Repaired+c.CCBackwards, lost, now); {
	case over:
		tell(events.Info, model.EventCredits, "over: the two ends have counted the same credits for %v", driftLast)
	case begins:
		size := l.Port.settings.CBFC.Size
		tell(events.Warning, model.EventCredits,
			"the two ends count differently: credits are missing although LLR loses nothing: "+
				"does the partner use another credit size than %d, or another overhead than %d?", size.Credit, size.Overhead)
	}
}

// phaseText returns the phase of a channel in words, and why the channel is not lossless.
func phaseText(p cbfc.Phase, f cbfc.Failure, reason string) string {
	if !saysWhy(p, f) {
		return p.String()
	}
	return p.String() + ": " + reason
}

// saysWhy reports whether the text of phase p names failure f: a channel that asks again has not failed yet.
func saysWhy(p cbfc.Phase, f cbfc.Failure) bool {
	return f != cbfc.NoFailure && (p == cbfc.BestEffort || p == cbfc.Asking && f == cbfc.StillHeld)
}

// differ returns a bitmap of the channels whose credits the two ends seem to count differently.
func (t *creditReports) differ() (vcs uint32) {
	for vc := range t.vc {
		if t.vc[vc].drift.reported {
			vcs |= 1 << vc
		}
	}
	return vcs
}
