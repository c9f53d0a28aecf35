package llr

import "uelink/wire"

// PollMax is the most control ordered sets that one Poll appends.
const PollMax = echoesMax + 3

// Link is one end of a link: both machines, the control between them and the
// partner's, and the counters. The two directions are independent of each other
// but that a partner that restarts forgets both.
type Link struct {
	Tx *Tx
	Rx *Rx

	counters Counters
	restarts uint64
}

// NewLink returns an end with both modes off: NewTx and NewRx say what the
// arguments are.
func NewLink(p Profile, initSeq uint32, nonce [2]byte) *Link {
	l := &Link{Tx: NewTx(p, initSeq, nonce), Rx: NewRx(p)}
	l.Tx.count, l.Rx.count = &l.counters, &l.counters
	return l
}

// SetProfile replaces the profile of both machines at once.
func (l *Link) SetProfile(p Profile) {
	l.Tx.SetProfile(p)
	l.Rx.SetProfile(p)
}

// Counters are the port's LLR statistics; the caller may clear them.
func (l *Link) Counters() *Counters { return &l.counters }

// Control takes the control ordered sets of one control frame of the partner, STATION
// first. CF_Update is not LLR's and passed over; of STATION it takes what concerns it.
func (l *Link) Control(now int64, list ...wire.CtlOS) {
	vouched := false
	for i := range list {
		if list[i].Type == wire.StationCtlOS {
			vouched = l.station(list[i], list, vouched, now)
		}
	}
	for i := range list {
		l.control(list[i], list, vouched, now)
	}
}

// control takes one of a control frame that is not STATION. vouched: the partner that is known to be there
// has said in the same frame who it is.
func (l *Link) control(c wire.CtlOS, frame []wire.CtlOS, vouched bool, now int64) {
	switch c.Type {
	case wire.LLRAck:
		l.counters.RxAckCtlOS++
		l.Tx.ack(c.Seq, now)
	case wire.LLRNack:
		l.counters.RxNackCtlOS++
		l.Tx.nack(c.Seq, now)
	case wire.LLRInit:
		l.counters.RxInitCtlOS++
		l.init(c, frame, vouched, now)
	case wire.LLRInitEcho:
		l.counters.RxInitEchoCtlOS++
		l.Tx.echo(c, vouched, now)
	}
}

// init takes an LLR_INIT of a control frame, which is ignored while LLR_MODE_LOCAL is off.
func (l *Link) init(c wire.CtlOS, frame []wire.CtlOS, vouched bool, now int64) {
	if l.Rx.State() == RxOff {
		return
	}
	s := l.Rx.receiveInit(c, vouched, l.Tx.acked(), now)
	switch s {
	case initRestarted:
		l.restarts++
		l.Tx.partnerRestarted(frame, now)
	case initTaken:
		l.Tx.partnerInit(now)
	}
}

// station takes one STATION of a control frame, and returns whether that or one before it in its frame
// vouches for the frame. A start id that has changed shows that the partner has
// restarted; another item tells whether its receiver is initialised.
func (l *Link) station(c wire.CtlOS, frame []wire.CtlOS, vouched bool, now int64) bool {
	if count, ok := c.Twice(); ok {
		l.Tx.partnerTwice(count)
		return vouched
	}
	var told wire.Station
	told.Update(c)
	switch c.Item {
	case wire.StationStart:
		restarted, believed := l.Rx.partner.begun(told.Start, l.Rx.next, l.Tx.acked(), now)
		if restarted {
			l.counters.PartnerRestart++
			l.restarts++
			l.Rx.forget()
			l.Tx.partnerRestarted(frame, now)
		}
		if believed {
			l.Tx.partnerHeard(now)
		}
		return believed
	case wire.StationFrames:
		if vouched {
			l.Tx.partnerLive(told.Live, now)
		}
	case wire.StationServices:
		if vouched {
			l.Tx.partnerBusy(told.Busy, now)
		}
	}
	return vouched
}

// PartnerStart is the start id of the partner that is believed to be there; ok is false
// if it has not said one.
func (l *Link) PartnerStart() (id uint32, ok bool) { return l.Rx.partner.start, l.Rx.partner.started }

// PartnerRestarts is how often the partner was found to have restarted; unlike the
// counter it is never cleared.
func (l *Link) PartnerRestarts() uint64 { return l.restarts }

// AsksForStation tells, once, whether the partner has shown that it does not know, or
// is not known: it is to be told by STATION.
func (l *Link) AsksForStation() bool {
	asks := l.Rx.asks
	l.Rx.asks = false
	return asks
}

// Expire lets the timers run, as Poll does, when there is no room to send anything.
func (l *Link) Expire(now int64) {
	l.noteFrames(now)
	l.Tx.now = now
	l.Tx.expire(now)
}

// noteFrames has the transmitter know that frames of the partner have come.
func (l *Link) noteFrames(now int64) {
	if l.Rx.came() {
		l.Tx.partnerHeard(now)
	}
}

// Poll lets the timers run and appends to out, at most PollMax, what is to be
// sent now; nothing while the carrier is lost. idle says that nothing has arrived
// for a while: then an LLR_ACK that is owed is not held back for more.
func (l *Link) Poll(now int64, idle bool, out []wire.CtlOS) []wire.CtlOS {
	l.noteFrames(now)
	if l.Tx.carrier {
		out = l.Rx.poll(now, idle, out)
	}
	return l.Tx.poll(now, out)
}

// Deadline is when Poll has something to do even if nothing arrives, or
// math.MaxInt64. To call earlier is harmless. A Deadline that has passed does
// not mean that Poll will send.
func (l *Link) Deadline() int64 {
	d := l.Tx.deadline()
	if l.Tx.carrier {
		d = min(d, l.Rx.deadline())
	}
	return d
}
