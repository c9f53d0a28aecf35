package hippi

import (
	"uelink/wire"
	"uelink/wire/micropacket"
)

// Receive handles one micropacket from the partner, in the order of HIPPI-6400 §9.1. h is what Hear has returned for
// its frame, or Whole. m may be changed.
// Clauses: HIPPI-6400/crc.2, HIPPI-6400/destination.1.
func (l *Link) Receive(now wire.Time, m *micropacket.Micropacket, h Hearing) {
	l.Counters.RxMicropackets++
	switch m.CheckLCRC() {
	case micropacket.Good:
	case micropacket.Stomped:
		l.Counters.RxStomped++
		return
	case micropacket.Bad:
		if l.logs(h) {
			l.Events.LCRCError.add()
		}
		return
	}
	l.hear(now)
	t := m.Control.Type()
	if !t.LinkControl() && !l.logs(h) {
		l.Counters.RxUnheard++
		return
	}
	if !t.LinkControl() {
		l.met = true // the partner is in Normal, or it would send link control
	}
	switch register, ok := l.checked(m, h); {
	case !ok:
	case t.LinkControl():
		l.control(now, t, h)
	default:
		l.take(now, m, register)
	}
}

// hear records that a micropacket of the partner has arrived.
func (l *Link) hear(now wire.Time) {
	if l.activity.hear(now) {
		l.timers.due = min(l.timers.due, l.activity.next(&l.profile))
	}
}

// logs reports whether micropackets other than link control are handled and their errors logged: only in state Normal
// (12.1, 12.2, 13.2), and only in frames of the partner's present epoch.
// Clauses: HIPPI-6400/reset.5.
func (l *Link) logs(h Hearing) bool { return l.state == Normal && l.activity.indicated && h.All }

// checked checks TSEQ and ECRC (9.1.2, 9.1.3) and returns the ECRC register behind m. A micropacket out of sequence may
// come from a partner that lacks our RSEQ. If both ends lack each other's RSEQ, each discards the retransmissions of
// the other, and the RSEQ in them, again and again: so a Null repeats the RSEQ. HIPPI-6400 has Nulls in every gap.
// Clauses: HIPPI-6400/crc.7, HIPPI-6400/destination.2.
func (l *Link) checked(m *micropacket.Micropacket, h Hearing) (register uint16, ok bool) {
	if !l.dst.inSequence(m.Control) {
		l.dst.repeat = l.dst.repeat || m.Control.Type().Sequenced()
		if l.logs(h) && !l.dst.silenced {
			l.Events.TSEQError.add()
			l.dst.silenced = true
		}
		return 0, false
	}
	register, ok = l.dst.ecrcGood(m)
	if !ok && l.logs(h) {
		l.Events.ECRCError.add()
	}
	return register, ok
}

// take handles a micropacket without errors in state Normal: an undefined TYPE is logged (9.1.4), a sequenced
// micropacket goes through the Message protocol and is acknowledged, and its ACK indication and credit go to the
// sending half. Only sequenced micropackets carry credit (table 2).
// Clauses: HIPPI-6400/fields.4, HIPPI-6400/source.2, HIPPI-6400/destination.4,11.
func (l *Link) take(now wire.Time, m *micropacket.Micropacket, register uint16) {
	c := m.Control
	t, vc := c.Type(), c.VC()
	if !t.Defined() {
		l.Events.UndefinedTypeError[vc].add()
		l.Events.UndefinedTypeValue = t
	}
	stores := false
	if t.Sequenced() {
		if t.Buffered() {
			outcome := l.store(m, now)
			if outcome == overflow {
				l.Events.RxVCBufferOverflow[vc].add()
				l.shutdown(now)
				return
			}
			stores = outcome == storedIt
		}
		l.dst.accept(c, register)
		if !l.credited(now, c) {
			return
		}
	}
	if l.acknowledged(now, c.RSEQ()); stores {
		l.deliver(vc, now)
	}
}

// credited adds the credit update of an accepted micropacket to its virtual channel. Too many credits begin a Link
// Reset (8.1); then it returns false.
func (l *Link) credited(now wire.Time, c micropacket.Control) bool {
	if l.src.addCredit(c.VCR(), c.CR()) {
		return true
	}
	l.Events.CreditOverflowError[c.VCR()].add()
	l.beginReset(now)
	return false
}

// acknowledged handles the ACK indication rseq of a received micropacket; an illegal one begins a retransmission
// (8.2).
// Clauses: HIPPI-6400/source.5.
func (l *Link) acknowledged(now wire.Time, rseq uint8) {
	switch v, took := l.src.acknowledge(rseq, now, l.ACKTimeout); v {
	case ackNothing:
	case ackNews:
		if took > 0 {
			l.Counters.Loops++
			l.Counters.LoopsTime += uint64(took)
		}
		l.timers.due = min(l.timers.due, l.src.timer)
	case ackIllegal:
		l.Events.RSEQOutOfRangeError.add()
		l.retransmit(now)
	}
}
