package path

import (
	"fmt"
	"net"
	"time"

	"uelink/dataplane/model"
	"uelink/dataplane/partner"
	"uelink/internal/events"
	"uelink/llr"
	"uelink/wire"
)

// reported is the state of a link as last reported by events. REPLAY counts as ADVANCE and NACK as SEND_ACKS, because
// both come and go with every lost frame.
type reported struct {
	tx         llr.TxState
	rxOff      bool
	hasPartner bool
	start      uint32 // the partner's start id, as last announced; 0: never
	problem    partner.Problem
	flushes    uint64
	reinits    uint64
	stalled    bool
	busy       bool
	away       bool
	mac        wire.MAC // the partner's address, when last known
	other      bool     // a station other than the partner has sent control frames to this end
}

// linkReports is the state of a link as last reported by events, and what their rate limit needs.
type linkReports struct {
	last       reported  // state as last reported
	flushes    uint64    // number of LLR flushes, as last read
	flushed    string    // text of the frame that was not acknowledged before the last flush
	stallSince wire.Time // begin of the replays without progress; 0: there is progress
	calmAt     wire.Time // begin of the time without a problem, while the last problem does not count as over yet; else 0
	reportedTo wire.Time // for the rate limit: each report moves this time on by reportEvery, from now at the earliest
}

// A link reports its changes at most once each reportEvery in the long run, and at most reportsAtOnce times in a row,
// because received frames alone can cause changes in every round. Changes beyond this rate are delayed, and then
// reported by the latest state.
const (
	reportEvery   = 100 * time.Millisecond
	reportsAtOnce = 16
)

// report publishes events about the changes of a link since the last report, on average once in reportEvery, and up to
// reportsAtOnce times in a row. The events about credits have a rate limit of their own.
func (l *Link) report(h *model.Hub, now wire.Time) {
	current := reported{
		tx: l.LLR.Tx.State(), rxOff: l.LLR.Rx.State() == llr.RxOff,
		hasPartner: l.Partner.Present(), problem: l.lastingProblem(l.Partner.Problem(), now), flushes: l.reports.flushes,
	}
	current.reinits, _ = l.LLR.Tx.Reinits()
	stalled := l.updateStall(now)
	current.stalled, current.busy, current.away = stalled >= stallNoticed, l.Partner.Busy(), l.absence.away
	if current.tx == llr.TxReplay {
		current.tx = llr.TxAdvance
	}
	current.other = l.heardOther(now)
	if current.mac = l.reports.last.mac; current.hasPartner {
		current.mac = l.Partner.MAC()
	}
	if current.start = l.reports.last.start; l.Partner.SendsStation() {
		current.start = l.Partner.Start()
	}
	if current != l.reports.last && now > l.reports.reportedTo.Add(-reportsAtOnce*reportEvery) {
		l.reports.reportedTo = max(l.reports.reportedTo, now).Add(reportEvery)
		if current.stalled != l.reports.last.stalled {
			l.reportStall(h, current)
		}
		l.reportChange(h, current)
		l.reports.last = current
	}
	l.creditReports.report(l, h, now)
}

// calmLast is the time without a problem after which the last problem counts as over. Forged frames can make a problem
// come and go many times; with calmLast that causes at most one event a second.
const calmLast = 2 * time.Second

// lastingProblem returns the problem with the partner that events are to know. A problem that has just gone may come
// back: the last reported problem counts until there has been none for calmLast.
func (l *Link) lastingProblem(p partner.Problem, now wire.Time) partner.Problem {
	switch {
	case p != partner.None || l.reports.last.problem == partner.None:
		l.reports.calmAt = 0
		return p
	case l.reports.calmAt == 0:
		l.reports.calmAt = now
	case now.Sub(l.reports.calmAt) >= calmLast:
		return p
	}
	return l.reports.last.problem
}

// otherLast is the time without a frame of another station after which no other station counts as speaking to a link.
const otherLast = 10 * time.Second

// heardOther reports whether a station other than the partner sends control frames to this end.
func (l *Link) heardOther(now wire.Time) bool {
	if n := l.Port.Counters.RxOtherStation; n != l.strangers.otherSeen {
		l.strangers.otherSeen, l.strangers.otherAt = n, now
	}
	return l.strangers.otherStation != wire.MAC{} && now.Sub(l.strangers.otherAt) < otherLast
}

// reportChange publishes an event for each difference between last, the reported state of the link, and current, its
// present state.
// Clauses: SAI-LLR/error-status.1.
func (l *Link) reportChange(h *model.Hub, current reported) {
	last, name := l.reports.last, l.Port.settings.Name
	if current.busy != last.busy {
		text := "the partner takes frames again"
		if current.busy {
			text = "the partner takes no frames now: its edge stands still, or it reopens its sockets; frames for the partner " +
				"wait at this end"
		}
		h.PublishAt(model.WarnIf(current.busy), name, model.EventPartner, text)
	}
	if current.away != last.away {
		h.PublishAt(model.WarnIf(current.away), name, model.EventPartner, l.absence.text(&l.Partner))
	}
	if current.flushes > last.flushes {
		h.PublishAt(events.Error, name, model.EventLLRTxStatus, l.flushedText())
	}
	if current.reinits > last.reinits {
		_, reason := l.LLR.Tx.Reinits()
		h.PublishAt(events.Warning, name, model.EventLLRTxStatus, "initialised again: "+reason)
	}
	if current.tx != last.tx && current.tx != llr.TxFlush {
		h.PublishAt(model.WarnIf(last.tx == llr.TxAdvance), name, model.EventLLRTxStatus, current.tx.String())
	}
	if current.rxOff != last.rxOff {
		h.PublishAt(model.WarnIf(current.rxOff), name, model.EventLLRRxStatus, l.LLR.Rx.State().String())
	}
	if current.hasPartner != last.hasPartner {
		text := "the partner is forgotten: it has sent no control frame for 3 s"
		if current.hasPartner {
			mac := l.Partner.MAC()
			text = "the partner is known: " + net.HardwareAddr(mac[:]).String()
		}
		h.PublishAt(model.WarnIf(!current.hasPartner), name, model.EventPartner, text)
	}
	if current.mac != last.mac && current.hasPartner && last.hasPartner {
		h.Publish(name, model.EventPartner, "the partner has the address "+net.HardwareAddr(current.mac[:]).String()+" now")
	}
	switch {
	case current.other == last.other:
	case !current.other:
		h.Publish(name, model.EventPartner, "over: no other station sends to this port any more")
	default:
		h.PublishAt(events.Warning, name, model.EventPartner,
			"another station sends to this port, which ignores that station (rx_other_station): "+
				net.HardwareAddr(l.strangers.otherStation[:]).String()+"; to choose the partner, set its address (partner)")
	}
	if current.start != last.start && last.start != 0 {
		h.Publish(name, model.EventStart, "the partner has restarted")
	}
	switch {
	case current.problem == last.problem:
	case current.problem != partner.None:
		h.PublishAt(events.Warning, name, model.EventPartner, l.remedy().String())
	default:
		h.Publish(name, model.EventPartner, noProblem)
	}
}

// noProblem is the text of the event that the problem with the partner is over.
const noProblem = "over: no problem with the partner any more"

// noteFlush records, after LLR has flushed its frames, the frame that did not get through. The caller must call it
// before the slots are freed, because they hold the frame's addresses.
func (l *Link) noteFlush() {
	if n := l.LLR.Tx.Flushes(); n != l.reports.flushes {
		l.reports.flushes = n
		l.reports.flushed = l.frameText(l.LLR.Tx.FlushedFrame())
	}
}

// frameText returns in words the length and the addresses of a frame held by LLR; empty if no frame is held.
func (l *Link) frameText(f llr.Stuck) string {
	if f.Length == 0 || !l.Port.Attached() {
		return ""
	}
	addr := l.Port.Slots.addr(f.Slot)
	octets := l.Port.sources[0].area[addr:]
	if p, fault := wire.ParsePreamble(octets[wire.HeaderLen:], l.Port.settings.Dialect); fault == wire.NoFault {
		at, _ := p.CarriedParts()
		octets = octets[at:]
	}
	octets = octets[:wire.AddressesLen]
	return fmt.Sprintf("%d octets from %v to %v", f.Length,
		net.HardwareAddr(octets[wire.AddrLen:]), net.HardwareAddr(octets[:wire.AddrLen]))
}

// flushText returns in words why LLR has flushed its frames the last time, and which frame was not acknowledged;
// empty after the text was cleared.
func (l *Link) flushText() string {
	reason := l.LLR.Tx.FlushReason()
	if reason == "" || l.reports.flushed == "" {
		return reason
	}
	return fmt.Sprintf("%s: a frame of %s was not acknowledged", reason, l.reports.flushed)
}

// flushedText returns the text of the event about an LLR FLUSH (frames given up): its reason, and the number of
// frames lost by flushes so far.
func (l *Link) flushedText() string {
	return fmt.Sprintf("FLUSH: %s; frames lost by flushes so far (tx_flushed): %d", l.flushText(),
		l.LLR.Counters().TxFlushedFrames)
}

// stallNoticed is the time for which replays must bring no progress until the link counts as stalled. A busy host that
// does not acknowledge for some milliseconds is nothing that an operator can mend.
const stallNoticed = 100 * time.Millisecond

// updateStall notes since when replays bring no progress, and returns for how long; 0 while there is progress.
func (l *Link) updateStall(now wire.Time) time.Duration {
	if _, replays := l.LLR.Tx.Stalled(); replays == 0 {
		l.reports.stallSince = 0
		return 0
	}
	if l.reports.stallSince == 0 {
		l.reports.stallSince = now
	}
	return now.Sub(l.reports.stallSince)
}

// reportStall publishes an event when the link has begun to stall, or its end: by an acknowledgement, or because LLR
// has given the frames up.
func (l *Link) reportStall(h *model.Hub, current reported) {
	text := "over: the partner acknowledges this port's frames as before"
	switch {
	case current.stalled:
		text = l.stalledText()
	case current.tx != llr.TxAdvance:
		text = fmt.Sprintf("over: LLR is in %s, and no longer sends the unacknowledged frame again", current.tx)
	}
	h.PublishAt(model.WarnIf(current.stalled), l.Port.settings.Name, model.EventLLRStalled, text)
}

// stalledText returns in words the frame that replays do not get through to the partner; empty if there is none.
func (l *Link) stalledText() string {
	f, replays := l.LLR.Tx.Stalled()
	if replays == 0 {
		return ""
	}
	return fmt.Sprintf("a frame of %s is not acknowledged: %d replays without progress", l.frameText(f), replays)
}
