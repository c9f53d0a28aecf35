package hippi

import (
	"uelink/wire"
	"uelink/wire/micropacket"
)

// Transmit writes the next micropacket to send into m, and returns false if there is none. First go link control and
// retransmissions, then by turns the virtual channels with a micropacket and credit, then credit alone (Credit-only),
// then an ACK indication alone (Null).
func (l *Link) Transmit(now wire.Time, m *micropacket.Micropacket) bool {
	l.Expire(now)
	if !l.activity.carrier || !l.next(now, m) {
		return false
	}
	m.Seal()
	l.Counters.TxMicropackets++
	l.timers.keepAt = now.Add(l.profile.Keepalive)
	return true
}

// next writes the next micropacket to send into m, without its LCRC, in the order that Transmit describes, and returns
// false if there is none. In Shutdown and without activity it sends only Nulls, in a Link Reset or Initialize only link
// control.
// Clauses: HIPPI-6400/reset.3, HIPPI-6400/activity.2.
func (l *Link) next(now wire.Time, m *micropacket.Micropacket) bool {
	switch {
	case !l.activity.indicated || l.state == Shutdown:
		return now >= l.timers.keepAt && l.null(m)
	case l.state != Normal:
		return now >= l.timers.turn && l.putControl(now, l.state.says(), m)
	case l.answer != 0:
		l.putControl(now, l.answer, m)
		l.answer = 0
		return true
	case !l.met:
		// Only Nulls are sent until the partner is in Normal, too. It would discard other micropackets (12, NOTE).
		if now < l.timers.turn {
			return false
		}
		l.timers.turn = now.Add(l.profile.Turn)
		return l.null(m)
	}
	return l.transmitRepeat(now, m) || l.first(now, m) || l.nullDue(now) && l.null(m)
}

// putControl writes a micropacket of link control with TYPE t (table 2) into m, and returns true.
func (l *Link) putControl(now wire.Time, t micropacket.Type, m *micropacket.Micropacket) bool {
	l.timers.turn = now.Add(l.profile.Turn)
	m.Data = [micropacket.DataLen]byte{}
	f := micropacket.Fields{Type: t, Tail: true, RSEQ: micropacket.NoSeq, TSEQ: micropacket.NoSeq}
	m.Control = f.Control().WithECRC(emptyECRC)
	return true
}

// emptyECRC is the ECRC of 32 octets of zeros.
const emptyECRC = 0x5897

// nullDue reports whether a Null micropacket must be sent: to bring a new ACK indication, to repeat one that the
// partner may lack, or as a keepalive.
// Clauses: HIPPI-6400/fields.7.
func (l *Link) nullDue(now wire.Time) bool {
	return l.dst.rseq != l.dst.sentRSEQ || l.dst.repeat || now >= l.timers.keepAt
}

// null writes a Null micropacket with the newest ACK indication into m (6.3.2, 8.3), and returns true.
func (l *Link) null(m *micropacket.Micropacket) bool {
	l.Counters.TxNull++
	l.dst.sentRSEQ, l.dst.repeat = l.dst.rseq, false
	m.Data = [micropacket.DataLen]byte{}
	f := micropacket.Fields{Type: micropacket.Null, RSEQ: l.dst.rseq, TSEQ: micropacket.NoSeq}
	m.Control = f.Control().WithECRC(emptyECRC)
	return true
}

// Pad writes a Null micropacket into m, which may stand anywhere (6.3.2): it makes a frame longer.
func (l *Link) Pad(m *micropacket.Micropacket) {
	l.null(m)
	m.Seal()
	l.Counters.TxMicropackets++
}

// transmitRepeat writes the next micropacket of a running retransmission into m, with only RSEQ and LCRC renewed (8.4),
// and returns false if there is none.
// Clauses: HIPPI-6400/source.7.
func (l *Link) transmitRepeat(now wire.Time, m *micropacket.Micropacket) bool {
	buffered := l.src.nextRepeat(now, l.ACKTimeout())
	if buffered == nil {
		return false
	}
	l.Counters.TxRetransmitted++
	l.put(buffered, m)
	l.timers.due = min(l.timers.due, l.src.timer)
	return true
}

// first writes the next sequenced micropacket that was not sent before into m, with a credit update for the partner,
// and returns false if there is none.
// Clauses: HIPPI-6400/fields.9.
func (l *Link) first(now wire.Time, m *micropacket.Micropacket) bool {
	if l.src.full() {
		return false
	}
	vc, ok := l.src.choose(now)
	if !ok && !l.dst.owes() {
		return false
	}
	buffered, tseq := l.src.next()
	if ok {
		l.move(vc, buffered, now)
	} else {
		vc = VCs
		l.Counters.TxCreditOnly++
		buffered.Data = [micropacket.DataLen]byte{}
		buffered.Control = micropacket.Fields{Type: micropacket.CreditOnly}.Control().WithECRC(emptyECRC)
	}
	vcr, cr := l.dst.grant()
	buffered.Control |= micropacket.Fields{VCR: vcr, CR: cr, TSEQ: tseq}.Control()
	l.src.sent(tseq, vc, now, l.ACKTimeout())
	l.put(buffered, m)
	l.timers.due = min(l.timers.due, l.src.timer)
	return true
}

// move moves the next micropacket of a virtual channel to the output buffer, for one credit (4.6).
// Clauses: HIPPI-6400/overview.6.
func (l *Link) move(vc uint8, buffered *micropacket.Micropacket, now wire.Time) {
	s := &l.src
	s.spend(vc)
	if s.origins[vc].fill(vc, buffered) {
		l.Events.ECRCSourceError.add()
	}
	l.moved(vc, buffered, now)
}

// moved records that micropackets of a virtual channel, of which last is the last, have moved to the output buffer: the
// origin is empty, or the next micropacket waits, perhaps for credit.
func (l *Link) moved(vc uint8, last *micropacket.Micropacket, now wire.Time) {
	s := &l.src
	if s.origins[vc].left == 0 {
		s.waiting &^= 1 << vc
		l.left(vc, last)
		return
	}
	if s.starve(vc, now, l.profile.Credit); s.starved[vc] < l.timers.due {
		l.timers.due = s.starved[vc]
	}
}

// put copies a micropacket of the output buffer to m, with the newest ACK indication.
// Clauses: HIPPI-6400/crc.7, HIPPI-6400/source.6,9.
func (l *Link) put(buffered, m *micropacket.Micropacket) {
	l.dst.sentRSEQ = l.dst.rseq
	m.Data = buffered.Data
	m.Control = buffered.Control.WithRSEQ(l.dst.rseq)
}

// Pending reports whether Transmit has more to send now than credit or an ACK indication alone: a retransmission, or a
// micropacket with credit and a free sequence number. Credit and ACK indications may wait for the next of these.
func (l *Link) Pending(now wire.Time) bool {
	s := &l.src
	return l.state == Normal && l.met && l.activity.indicated && (s.at < s.count || s.ready(now) != 0)
}
