package hippi

import (
	"uelink/wire/micropacket"
)

// Destination is the receiving half of one end up to the VC buffers (HIPPI-6400 §9).
type Destination struct {
	space    space
	rseq     uint8         // TSEQ of the last accepted micropacket, NoSeq = none since the last reset (9.3)
	sentRSEQ uint8         // the RSEQ that this end has sent last, NoSeq = none
	repeat   bool          // the partner may lack our RSEQ: a Null has to carry it
	silenced bool          // a TSEQ_Error was logged, and no micropacket was accepted since (9.1.2)
	vc       [VCs]vcBuffer // VC buffers
}

// reset empties the VC buffers (12.1, 12.2) and returns the number of lost Messages, those that had begun in them.
func (d *Destination) reset() (lost uint64) {
	for vc := range d.vc {
		lost += d.vc[vc].reset()
	}
	d.rseq, d.sentRSEQ, d.silenced, d.repeat = micropacket.NoSeq, micropacket.NoSeq, false, false
	return lost
}

// RSEQ returns the TSEQ of the last accepted micropacket, micropacket.NoSeq if there was none since the last reset.
func (d *Destination) RSEQ() uint8 { return d.rseq }

// expected returns the TSEQ of the next micropacket: one more than that of the last accepted one.
func (d *Destination) expected() uint8 {
	if d.rseq == micropacket.NoSeq {
		return 0
	}
	return d.space.add(d.rseq, 1)
}

// inSequence reports whether a micropacket's TSEQ is right (9.1.2): the expected number, or NoSeq for a type without
// a sequence number.
// Clauses: HIPPI-6400/destination.2.
func (d *Destination) inSequence(c micropacket.Control) bool {
	if c.Type().Sequenced() {
		return c.TSEQ() == d.expected()
	}
	return c.TSEQ() == micropacket.NoSeq
}

// ecrcGood reports whether the end-to-end CRC of a micropacket is right (9.1.3), and returns the ECRC register of its
// virtual channel after it. A micropacket with ERROR 1 always passes.
// Clauses: HIPPI-6400/crc.3, HIPPI-6400/destination.3.
func (d *Destination) ecrcGood(m *micropacket.Micropacket) (register uint16, ok bool) {
	register = micropacket.ECRCInit
	if t := m.Control.Type(); t.Accumulates() && t != micropacket.Header {
		if b := &d.vc[m.Control.VC()]; b.summing {
			register = b.ecrc
		}
	}
	register = m.ECRC(register)
	return register, m.Control.Error() || register == m.Control.ECRC()
}

// accept records that a sequenced micropacket was accepted and will be acknowledged (9.3). register is the ECRC
// register after it.
// Clauses: HIPPI-6400/destination.12.
func (d *Destination) accept(c micropacket.Control, register uint16) {
	d.rseq, d.silenced = c.TSEQ(), false
	if c.Type().Accumulates() {
		b := &d.vc[c.VC()]
		b.ecrc, b.summing = register, !c.Tail()
	}
}

// grant takes from the credits owed, and returns, the credit update that the next sequenced micropacket carries (6.5):
// n credits for vc, the virtual channel to which most credits are owed; n is 0 if none are owed.
// Clauses: HIPPI-6400/fields.13.
func (d *Destination) grant() (vc, n uint8) {
	for i := range d.vc {
		if d.vc[i].owed > d.vc[vc].owed {
			vc = uint8(i)
		}
	}
	n = min(d.vc[vc].owed, micropacket.MaxCR)
	d.vc[vc].owed -= n
	return vc, n
}

// owes reports whether credits of any virtual channel are owed to the partner.
func (d *Destination) owes() bool {
	return d.vc[0].owed|d.vc[1].owed|d.vc[2].owed|d.vc[3].owed != 0
}

// Waiting returns the number of micropackets that wait in the VC buffer of a virtual channel.
func (d *Destination) Waiting(vc uint8) int { return int(d.vc[vc&3].n) }
