package hippi

import "uelink/wire/micropacket"

// origin is a VC buffer of the Source: the Message, Admin micropacket or forwarded micropacket that is next on its
// virtual channel.
type origin struct {
	kind   originKind
	data   []byte                  // of a Message: the payload
	at     int                     // of a Message: octets of data that have left; -1: the Header has not left
	single micropacket.Micropacket // the Admin or forwarded micropacket
	head   micropacket.Head        // of a Message: its header
	left   uint32                  // micropackets that have to leave, 0 = empty
	ecrc   uint16                  // ECRC register of the Message up to the last micropacket that left
	damage bool                    // a micropacket of the forwarded Message had a wrong ECRC, which is logged once
	open   bool                    // the last forwarded micropacket had TAIL 0: its Message goes on
}

// forwards reports whether a forwarded Message has begun and its end has not come yet.
func (o *origin) forwards() bool { return o.kind == originForwarded && o.open }

// originKind is what an origin holds.
type originKind uint8

// The kinds of an origin.
const (
	originMessage originKind = iota
	originAdmin
	originForwarded
)

// LongestMessage returns the largest payload of a Message on a virtual channel in octets (HIPPI-6400 §6.2): 8 octets
// ride in the Header. M_len, which counts the LLC/SNAP header too, bounds VC3.
// Clauses: HIPPI-6400/fields.2.
func LongestMessage(vc uint8) int64 {
	data := [VCs]int64{68, 4100, 4100, 134_217_728}[vc&3]
	return min(micropacket.HeaderPayload+data*micropacket.DataLen, 1<<32-1-micropacket.SNAPLen)
}

// fill writes the next micropacket of a request into m, without TSEQ, RSEQ, credit and LCRC. damaged is true if a
// forwarded Message is found to have a wrong ECRC, the first time.
func (o *origin) fill(vc uint8, m *micropacket.Micropacket) (damaged bool) {
	o.left--
	switch o.kind {
	case originAdmin:
		m.Data = o.single.Data
		m.Control = micropacket.Fields{VC: vc, Type: micropacket.Admin, Tail: true}.Control().
			WithECRC(m.ECRC(micropacket.ECRCInit))
	case originForwarded:
		*m = o.single
		return o.checkForwarded(m)
	case originMessage:
		o.fillMessage(vc, m)
	}
	return false
}

// fillMessage writes the next micropacket of a Message into m (7): the Header with 8 octets of data, or 32 octets of
// data, the last ones padded with zeros. left must be counted down before: the micropacket has TAIL if left is 0.
// Clauses: HIPPI-6400/overview.4, HIPPI-6400/fields.8, HIPPI-6400/message.1.
func (o *origin) fillMessage(vc uint8, m *micropacket.Micropacket) {
	f := micropacket.Fields{VC: vc, Type: micropacket.Data, Tail: o.left == 0}
	to := m.Data[:]
	if o.at < 0 {
		f.Type, o.at, o.ecrc = micropacket.Header, 0, micropacket.ECRCInit
		o.head.Put(&m.Data)
		to = micropacket.Payload(&m.Data)[:]
	}
	n := copy(to, o.data[o.at:])
	clear(to[n:])
	o.at += n
	o.ecrc = m.ECRC(o.ecrc)
	m.Control = f.Control().WithECRC(o.ecrc)
}

// checkForwarded follows the ECRC of a forwarded Message, and sets ERROR of a micropacket m with a wrong ECRC (6.6.3):
// without ERROR the partner would discard the micropacket at each retransmission. damaged is true for the first such
// micropacket of a Message.
// Clauses: HIPPI-6400/crc.4,7.
func (o *origin) checkForwarded(m *micropacket.Micropacket) (damaged bool) {
	register := micropacket.ECRCInit
	if t := m.Control.Type(); t.Accumulates() {
		if t != micropacket.Header && o.open {
			register = o.ecrc
		} else {
			o.damage = false
		}
		register = m.ECRC(register)
		o.ecrc, o.open = register, !m.Control.Tail()
	} else {
		register, o.damage = m.ECRC(register), false
	}
	if m.Control.Error() || m.Control.ECRC() == register {
		return false
	}
	m.Control = m.Control.WithError()
	damaged = !o.damage
	o.damage = true
	return damaged
}
