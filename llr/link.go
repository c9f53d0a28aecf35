package llr

import "uelink/wire"

// PollMax is the largest number of control ordered sets that one call of Poll appends.
const PollMax = echoesMax + 3 + 1 + gapsMax

// Link is one end of a link: transmitter, receiver, the control between both ends, and the counters. The two
// directions are independent, except that a restart of the partner resets both.
type Link struct {
	Tx *Tx
	Rx *Rx

	counters Counters
	timeline timeline
	restarts uint64 // restarts of the partner that were detected; never cleared
}

// NewLink returns an end of a link, transmitter and receiver, with both modes off. NewTx and NewRx describe the
// arguments.
func NewLink(p Profile, initSeq uint32, nonce [2]byte) *Link {
	l := &Link{Tx: NewTx(p, initSeq, nonce), Rx: NewRx(p)}
	l.Tx.count, l.Rx.count = &l.counters, &l.counters
	l.Clear()
	return l
}

// SetProfile replaces the profile of the transmitter and of the receiver, with effect at once.
// Clauses: SAI-LLR/profile.11.
func (l *Link) SetProfile(p Profile) {
	l.Tx.SetProfile(p)
	l.Rx.SetProfile(p)
}

// Counters returns the port's LLR statistics; the caller may clear them.
func (l *Link) Counters() *Counters { return &l.counters }

// ReceivedControl handles the control ordered sets of one control frame of the partner: STATION first, then ACK,
// NACK, INIT and INIT_ECHO. CF_Update belongs to cbfc and is skipped, as are the items of STATION that do not concern
// LLR.
// Clauses: UE-LINK/overview.2.
func (l *Link) ReceivedControl(now wire.Time, list ...wire.CtlOS) {
	l.Tick(now)
	vouched := false // an item before has the start id of the known partner
	for i := range list {
		if list[i].Type == wire.StationCtlOS {
			vouched = l.receivedStation(list[i], list, vouched, now)
		}
	}
	for i := range list {
		l.receivedCtlOS(list[i], list, vouched, now)
	}
}

// receivedCtlOS handles one LLR control ordered set (ACK, NACK, INIT, INIT_ECHO) of a control frame. An ACK or NACK
// with a report of selective replay goes to receivedReport, any other to receivedAck or receivedNack. vouched is true
// if the frame also carries the start id of the known partner.
func (l *Link) receivedCtlOS(c wire.CtlOS, frame []wire.CtlOS, vouched bool, now wire.Time) {
	switch c.Type {
	case wire.LLRAck:
		l.counters.RxAckCtlOS++
		l.timeline.received.add(now)
		if !l.Tx.receivedReport(c.Seq, frame, now) {
			l.Tx.receivedAck(c.Seq, now)
		}
	case wire.LLRNack:
		l.timeline.received.add(now)
		r := receivedOf(frame)
		if !l.Tx.receivedReport(c.Seq, frame, now) {
			l.Tx.receivedNack(c.Seq, r, now)
			return
		}
		l.Tx.countNack(r)
		l.Tx.nacked = r.Nack
	case wire.LLRInit:
		l.counters.RxInitCtlOS++
		l.receivedInit(c, frame, vouched, now)
	case wire.LLRInitEcho:
		l.counters.RxInitEchoCtlOS++
		l.Tx.receivedInitEcho(c, vouched, now)
	case wire.CFUpdate, wire.StationCtlOS, wire.ChannelCtlOS, wire.GapCtlOS:
	}
}

// receivedOf returns the partner's count of duplicates and number of its LLR_NACK (item StationTwice of STATION) in a
// control frame; zero if there is no such item.
func receivedOf(frame []wire.CtlOS) wire.Received {
	for i := range frame {
		if r, ok := frame[i].Received(); ok {
			return r
		}
	}
	return wire.Received{}
}

// receivedInit handles an LLR_INIT of a control frame. After an accepted one the transmitter hurries with its own
// LLR_INIT; if it shows a restart of the partner, the transmitter begins again. While LLR_MODE_LOCAL is off LLR_INIT is
// ignored.
// Clauses: SAI-LLR/port.1.
func (l *Link) receivedInit(c wire.CtlOS, frame []wire.CtlOS, vouched bool, now wire.Time) {
	if l.Rx.State() == RxOff {
		return
	}
	if p := &l.Rx.partner; p.started && !p.sendsStart(now) {
		l.partnerKeeps(0) // the partner may have restarted with an older version, which keeps no frames
	}
	s := l.Rx.receivedInit(c, vouched, l.Tx.acked(), now)
	switch s {
	case initRestarted:
		l.restarts++
		l.Tx.partnerRestarted(frame, now)
	case initAccepted:
		l.Tx.partnerInitializes(now)
	case initStale, initRepeated:
	}
}

// receivedStation handles one STATION item of a control frame and reports whether the frame is vouched for, that
// is, comes from the present start of the partner: by this item or, if vouched is true already, by an earlier one.
// A changed start id reveals a restart of the partner. The other items say how many frames the partner has received
// twice, whether its receiver is initialised, whether it is busy, and how many frames it keeps behind a gap.
func (l *Link) receivedStation(c wire.CtlOS, frame []wire.CtlOS, vouched bool, now wire.Time) bool {
	if received, ok := c.Received(); ok {
		l.Tx.receivedTwice(received.Twice)
		return vouched
	}
	var reported wire.Station
	reported.Update(c)
	switch c.Item {
	case wire.StationStart:
		restarted, believed := l.Rx.partner.receivedStart(reported.Start, l.Rx.next, l.Tx.acked(), now)
		if restarted {
			l.counters.PartnerRestart++
			l.restarts++
			l.Rx.partnerRestarted()
			l.partnerKeeps(0)
			l.Tx.partnerRestarted(frame, now)
		}
		if believed {
			l.Tx.partnerHeard(now)
		}
		return believed
	case wire.StationFrames:
		if vouched {
			l.Tx.partnerLive(reported.Live, now)
		}
	case wire.StationServices:
		if vouched {
			l.Tx.partnerBusy(reported.Busy, now)
		}
		if vouched || !l.Rx.partner.started {
			l.Rx.nack.numbered = reported.Nacks
			l.partnerKeeps(reported.Keeps)
		}
	case wire.StationTwice, wire.StationLeaves, wire.StationResumes, wire.StationTrouble:
	}
	return vouched
}

// partnerKeeps records, at both machines, the log2 of the frames that the partner keeps behind a gap. The kind of
// replay may have to change then.
func (l *Link) partnerKeeps(log uint8) {
	l.Rx.partner.keeps, l.Tx.sel.offer = log, log
	l.Tx.checkKind()
}

// PartnerStart returns the start id that the partner is believed to have; ok is false before the first start id
// was received.
func (l *Link) PartnerStart() (id uint32, ok bool) { return l.Rx.partner.start, l.Rx.partner.started }

// PartnerRestarts returns how often a restart of the partner was detected. Unlike the counter it is never cleared.
func (l *Link) PartnerRestarts() uint64 { return l.restarts }

// StationRequested reports, once, whether the caller should send STATION: the partner has shown that it does not know
// this end, or this end does not know the partner.
func (l *Link) StationRequested() bool {
	asks := l.Rx.asks
	l.Rx.asks = false
	return asks
}

// Expire runs the timers of the transmitter, as Poll does, when there is no room to send anything.
func (l *Link) Expire(now wire.Time) {
	l.Tick(now)
	l.reportFrames(now)
	l.Tx.now = now
	l.Tx.expire(now)
}

// reportFrames tells the transmitter that the partner is heard, if the receiver has received frames since the last
// call.
func (l *Link) reportFrames(now wire.Time) {
	if l.Rx.arrived() {
		l.Tx.partnerHeard(now)
	}
}

// Poll runs the timers and appends to out, at most PollMax, the control ordered sets to send now; none while the
// carrier is lost. idle means that nothing was received for a while: an owed LLR_ACK is then sent without further
// delay.
func (l *Link) Poll(now wire.Time, idle bool, out []wire.CtlOS) []wire.CtlOS {
	l.Tick(now)
	l.reportFrames(now)
	if l.Tx.port.carrier {
		n := len(out)
		if out = l.Rx.poll(now, idle, out); hasAck(out[n:]) {
			l.timeline.sent.add(now)
		}
	}
	return l.Tx.poll(now, out)
}

// hasAck reports whether an LLR_ACK or an LLR_NACK is in a list.
func hasAck(list []wire.CtlOS) bool {
	for i := range list {
		if t := list[i].Type; t == wire.LLRAck || t == wire.LLRNack {
			return true
		}
	}
	return false
}

// Deadline returns when to call Poll next if nothing arrives, or wire.Never. Calling Poll earlier is harmless.
// Past the Deadline, Poll may still have nothing to send.
func (l *Link) Deadline() wire.Time {
	d := l.Tx.deadline()
	if l.Tx.port.carrier {
		d = min(d, l.Rx.deadline())
	}
	return d
}
