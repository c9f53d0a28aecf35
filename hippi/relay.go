package hippi

import (
	"uelink/wire"
	"uelink/wire/micropacket"
)

// Take removes and returns the oldest micropacket of a VC buffer of an intermediate device (Profile.Intermediate),
// for Forward on another link; ok is false if there is none. Its credit goes back to the partner. If a Message lacks
// its end, a Data micropacket of zeros with TAIL 1 and ERROR 1 is returned in its place (HIPPI-6400 §9.2.3, 9.2.4).
func (l *Link) Take(vc uint8, now wire.Time) (m micropacket.Micropacket, ok bool) {
	b := &l.dst.vc[vc&3]
	switch front := b.front(); {
	case front != nil:
		m = *front
		b.pop()
	case b.cutShort():
		m.Control = micropacket.Fields{VC: vc, Type: micropacket.Data, Tail: true, Error: true,
			TSEQ: micropacket.NoSeq, RSEQ: micropacket.NoSeq}.Control().WithECRC(emptyECRC)
	default:
		return m, false
	}
	l.emptied(b, now)
	return m, true
}

// Forward hands over a micropacket of another link: Header, Data, Admin or an undefined TYPE from B on. Data octets,
// VC, TYPE, TAIL, ERROR and ECRC stay; a wrong ECRC sets ERROR (6.6.3). During a shutdown the micropacket is
// discarded. ok is false for another TYPE, while the virtual channel has something else to send, and while a Link Reset
// or Initialize runs or the signal is gone.
func (l *Link) Forward(m *micropacket.Micropacket, now wire.Time) (ok bool) {
	vc := m.Control.VC()
	switch {
	case !l.activity.indicated || !m.Control.Type().Buffered() || l.confirm[vc].phase != confirmNone ||
		l.src.waiting>>vc&1 != 0:
		return false
	case l.state == Shutdown:
		l.Counters.TxShutdownDiscard++
		return true
	case !l.Ready():
		return false
	}
	o := &l.src.origins[vc]
	f := m.Control.Fields()
	f.VCR, f.CR, f.TSEQ, f.RSEQ = 0, 0, 0, 0
	o.kind, o.left = originForwarded, 1
	o.single.Data, o.single.Control = m.Data, f.Control().WithECRC(m.Control.ECRC())
	l.src.offer(vc, now, l.profile.Credit)
	l.timers.due = min(l.timers.due, l.src.starved[vc])
	return true
}
