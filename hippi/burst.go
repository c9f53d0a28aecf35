package hippi

import (
	"uelink/wire"
	"uelink/wire/micropacket"
)

// TransmitBurst writes what is Pending into b, one micropacket behind the other, and returns the number of
// micropackets: as many as Pending has, or as fit. They are the micropackets that Transmit would return one by one.
func (l *Link) TransmitBurst(now wire.Time, b []byte) (n int) {
	l.Expire(now)
	if !l.activity.carrier {
		return 0
	}
	for room := len(b) / micropacket.Len; n < room && l.Pending(now); {
		if k := l.run(now, b[n*micropacket.Len:]); k > 0 {
			n += k
			continue
		}
		if !l.Transmit(now, &l.scratch) {
			break
		}
		l.scratch.Put(b[n*micropacket.Len:])
		n++
	}
	return n
}

// run writes micropackets of the Message whose turn it is into b, as long as no other virtual channel has its turn,
// and returns their number. It returns 0 if anything else goes first: link control, a retransmission, an Admin or
// forwarded micropacket.
func (l *Link) run(now wire.Time, b []byte) (n int) {
	s := &l.src
	if l.answer != 0 || s.at < s.count {
		return 0
	}
	vc, ok := s.choose(now)
	o := &s.origins[vc]
	if !ok || o.kind != originMessage {
		return 0
	}
	k := min(s.turnOf(vc, now), o.left, uint32(len(b)/micropacket.Len)) // micropackets to write
	for i := range k {
		l.putNext(vc, o, b[i*micropacket.Len:])
	}
	l.ran(vc, k, now)
	return int(k)
}

// turnOf returns how many micropackets virtual channel vc, which choose has returned, can send before another channel
// has its turn, or credits or sequence numbers are used up: at least 1.
func (s *Source) turnOf(vc uint8, now wire.Time) uint32 {
	if s.ready(now)&^(1<<vc) != 0 {
		return 1 // another channel can send, too
	}
	reserved, n := uint8(s.space)-1-s.common, uint8(s.space)-1-s.count // n: free sequence numbers
	switch {
	case s.count < s.common:
		n = s.common - s.count // up to the reserve, where ready decides again
	case s.under[vc] < reserved && s.shares(vc, now):
		n = min(n, reserved-s.under[vc])
	}
	return uint32(min(n, s.credit[vc]))
}

// putNext moves the next micropacket of a Message to the output buffer, with a sequence number and the credits owed to
// the partner, and writes it to b. ran does the rest of sending for all micropackets of a run.
func (l *Link) putNext(vc uint8, o *origin, b []byte) {
	s, d := &l.src, &l.dst
	m, tseq := s.next()
	o.left--
	o.fillMessage(vc, m)
	c := micropacket.Fields{TSEQ: tseq, RSEQ: d.rseq}.Control()
	if d.owes() {
		vcr, cr := d.grant()
		c |= micropacket.Fields{VCR: vcr, CR: cr}.Control()
	}
	m.Control |= c
	m.Seal()
	m.Put(b)
	s.owner[tseq] = vc
	s.count++
}

// ran records that the last k micropackets of the output buffer, all of virtual channel vc, were sent for the first
// time: it spends their credits, counts them, and starts the ACK timeout and a measurement of the loop time if none
// runs.
func (l *Link) ran(vc uint8, k uint32, now wire.Time) {
	s, n := &l.src, uint8(k)
	s.turn, s.at = vc, s.count
	s.under[vc] += n
	if s.credit[vc] -= n; s.credit[vc] == 0 {
		s.funded &^= 1 << vc
	}
	first := s.space.add(s.first, s.count-n)
	if s.timer == wire.Never {
		s.timer = now.Add(l.ACKTimeout())
	}
	s.loop.begin(first, now)
	l.dst.sentRSEQ = l.dst.rseq
	l.moved(vc, &s.buffer[s.space.add(first, n-1)], now)
	l.timers.due = min(l.timers.due, s.timer)
	l.Counters.TxMicropackets += uint64(n)
	l.timers.keepAt = now.Add(l.profile.Keepalive)
}

// ReceiveBurst handles up to n micropackets from the partner, which lie one behind the other in b, as Receive would one
// by one, and returns how many. It stops behind each that begins or ends a Message: the Message may be Awaiting memory
// or its indication, and then the micropackets behind it need no place in the VC buffer.
func (l *Link) ReceiveBurst(now wire.Time, b []byte, n int, h Hearing) int {
	m := &l.scratch
	for i := range n {
		m.Parse(b[i*micropacket.Len:])
		c := m.Control
		if !l.continues(now, m, h) {
			l.Receive(now, m, h)
		}
		if c.Tail() || c.Type() == micropacket.Header {
			return i + 1
		}
	}
	return n
}

// continues handles a micropacket without errors that continues an arriving Message in its memory, and reports whether
// m was one. It changes nothing for any other micropacket, which Receive handles. The micropacket takes no place in the
// VC buffer.
func (l *Link) continues(now wire.Time, m *micropacket.Micropacket, h Hearing) bool {
	c := m.Control
	vc := c.VC()
	a, b, d := &l.arrival[vc], &l.dst.vc[vc], &l.dst
	if c.Type() != micropacket.Data || a.phase != arrivalFilling || !b.open || !b.empty() || b.full() ||
		c.TSEQ() != d.expected() || c.Error() || !l.met || !l.logs(h) {
		return false
	}
	register := m.ECRC(b.ecrc)
	if !b.summing || register != c.ECRC() || m.CheckLCRC() != micropacket.Good {
		return false
	}
	l.Counters.RxMicropackets++
	l.hear(now)
	d.accept(c, register)
	l.opened(b, c.Tail(), now)
	if !l.credited(now, c) {
		return true
	}
	if l.acknowledged(now, c.RSEQ()); l.state == Normal {
		b.owed++
		l.appendTo(a, m.Data[:], c)
	}
	return true
}
