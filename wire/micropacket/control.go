package micropacket

import "encoding/binary"

// Sizes of a micropacket, in octets (HIPPI-6400 §4.3).
const (
	DataLen    = 32                   // data octets DB00 to DB31
	ControlLen = 8                    // control bits c63 to c00
	Len        = DataLen + ControlLen // octets of a whole micropacket, as Put writes it
)

// VCs is the number of virtual channels in each direction of a link (4.2, 6.2).
const VCs = 4

// MaxCR is the largest number of credits that one micropacket grants (6.5).
const MaxCR = 63

// NoSeq, as TSEQ, marks a micropacket without a number; as RSEQ it acknowledges nothing (6.4, table 2).
const NoSeq = 0xFF

// Micropacket is the unit of transfer of a link (4.3).
// Clauses: HIPPI-6400/overview.3.
type Micropacket struct {
	Data    [DataLen]byte // DB00 to DB31
	Control Control
}

// Control is the 64 control bits, c63 the most significant (HIPPI-6400 §6.1, figure 11):
//
//	c63-c48 LCRC | c47-c32 ECRC | c31-c24 TSEQ | c23-c16 RSEQ | c15-c10 CR | c09-c08 VCR | c07 ERROR | c06 TAIL |
//	c05-c02 TYPE | c01-c00 VC
//
// Clauses: HIPPI-6400/fields.1.
type Control uint64

// The places of the fields in a Control.
const (
	shiftVC    = 0
	shiftType  = 2
	shiftTail  = 6
	shiftError = 7
	shiftVCR   = 8
	shiftCR    = 10
	shiftRSEQ  = 16
	shiftTSEQ  = 24
	shiftECRC  = 32
	shiftLCRC  = 48
)

// Fields are the control bits by name, without the CRCs.
type Fields struct {
	VC    uint8 // virtual channel, 0..3
	Type  Type  // 0..15
	Tail  bool  // the last micropacket of a Message
	Error bool  // damaged upstream: the ECRC is not checked
	VCR   uint8 // the virtual channel that CR credits, 0..3
	CR    uint8 // credits granted, 0..MaxCR
	RSEQ  uint8 // ACK indication, NoSeq = none
	TSEQ  uint8 // number of the micropacket, NoSeq = none
}

// Control returns the 64 control bits of a micropacket with these fields, and with both CRCs 0. Excess bits of a
// field are cut off.
func (f Fields) Control() Control {
	c := Control(f.VC&3)<<shiftVC | Control(f.Type&15)<<shiftType | Control(f.VCR&3)<<shiftVCR |
		Control(f.CR&MaxCR)<<shiftCR | Control(f.RSEQ)<<shiftRSEQ | Control(f.TSEQ)<<shiftTSEQ
	if f.Tail {
		c |= 1 << shiftTail
	}
	if f.Error {
		c |= 1 << shiftError
	}
	return c
}

// Fields returns the fields of a micropacket's control bits, without the CRCs.
func (c Control) Fields() Fields {
	return Fields{VC: c.VC(), Type: c.Type(), Tail: c.Tail(), Error: c.Error(), VCR: c.VCR(), CR: c.CR(), RSEQ: c.RSEQ(),
		TSEQ: c.TSEQ()}
}

// VC returns the micropacket's virtual channel, 0..3 (HIPPI-6400 §6.2).
func (c Control) VC() uint8 { return uint8(c>>shiftVC) & 3 }

// Type returns the micropacket's TYPE, 0..15 (HIPPI-6400 §6.3).
func (c Control) Type() Type { return Type(c>>shiftType) & 15 }

// Tail reports whether TAIL is 1: the last micropacket of a Message.
func (c Control) Tail() bool { return c>>shiftTail&1 != 0 }

// Error reports whether ERROR is 1: the Message was damaged upstream.
func (c Control) Error() bool { return c>>shiftError&1 != 0 }

// VCR returns the virtual channel, 0..3, to which the micropacket's credit update CR is added (HIPPI-6400 §6.5).
func (c Control) VCR() uint8 { return uint8(c>>shiftVCR) & 3 }

// CR returns the number of credits, 0..MaxCR, that the micropacket grants to its receiver (HIPPI-6400 §6.5).
func (c Control) CR() uint8 { return uint8(c>>shiftCR) & MaxCR }

// RSEQ returns the micropacket's ACK indication: the last sequence number that its sender has accepted (HIPPI-6400
// §6.4).
func (c Control) RSEQ() uint8 { return uint8(c >> shiftRSEQ) }

// TSEQ returns the micropacket's own sequence number (HIPPI-6400 §6.4).
func (c Control) TSEQ() uint8 { return uint8(c >> shiftTSEQ) }

// ECRC returns the micropacket's end-to-end CRC as it is in the control bits (HIPPI-6400 §6.6.3).
func (c Control) ECRC() uint16 { return uint16(c >> shiftECRC) }

// LCRC returns the micropacket's link CRC as it is in the control bits (HIPPI-6400 §6.6.2).
func (c Control) LCRC() uint16 { return uint16(c >> shiftLCRC) }

// WithError returns the control bits c with ERROR set to 1: the Message is damaged.
func (c Control) WithError() Control { return c | 1<<shiftError }

// WithTail returns the control bits c with TAIL set to 1: the last micropacket of a Message.
func (c Control) WithTail() Control { return c | 1<<shiftTail }

// WithRSEQ returns the control bits c with the ACK indication replaced by rseq.
func (c Control) WithRSEQ(rseq uint8) Control { return c&^(0xFF<<shiftRSEQ) | Control(rseq)<<shiftRSEQ }

// WithECRC returns the control bits c with the end-to-end CRC replaced by ecrc.
func (c Control) WithECRC(ecrc uint16) Control {
	return c&^(0xFFFF<<shiftECRC) | Control(ecrc)<<shiftECRC
}

// WithLCRC returns the control bits c with the link CRC replaced by lcrc.
func (c Control) WithLCRC(lcrc uint16) Control {
	return c&^(0xFFFF<<shiftLCRC) | Control(lcrc)<<shiftLCRC
}

// Put writes m into the first Len octets of b: DB00 to DB31, then the control bits, c63 to c56 first. HIPPI-6400 orders
// bits on signal lines (tables 3 and 4), not octets; the order of the control octets is our own.
func (m *Micropacket) Put(b []byte) {
	b = b[:Len:Len]
	copy(b, m.Data[:])
	binary.BigEndian.PutUint64(b[DataLen:], uint64(m.Control))
}

// Parse reads m from the first Len octets of b. Every value is a micropacket; Check finds damage.
func (m *Micropacket) Parse(b []byte) {
	b = b[:Len:Len]
	m.Data = [DataLen]byte(b)
	m.Control = Control(binary.BigEndian.Uint64(b[DataLen:]))
}
