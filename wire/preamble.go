package wire

// Dialect says which of two layouts the LLR preamble image has.
type Dialect uint8

// The dialects.
const (
	DialectSeed Dialect = iota // MII form: 55 55 55 | SFD | sequence 24 | flags
	DialectUE1                 // FB | seq[19:16],7 | seq[15:8] | seq[7:0] | 55 55 55 | D5
)

// String is the dialect's name in the configuration.
func (d Dialect) String() string {
	if d == DialectUE1 {
		return "ue1"
	}
	return "seed"
}

// Other is the dialect that d is not.
func (d Dialect) Other() Dialect { return d ^ 1 }

// PreambleLen is the length of a preamble image in octets.
const PreambleLen = 8

const (
	preambleFill = 0x55
	sfdStandard  = 0xD5
	sfdLLR       = 0xDD // seed 000 §3.1
	startControl = 0xFB // /S/
	nibbleLLR    = 0x07 // low nibble of octet 1 of an eligible ue1 preamble
)

// Control flags of a data frame's preamble image.
const (
	flagFCS       = 0x80
	flagsReserved = 0x60
	flagsVC       = 0x1F
)

// Preamble is what a preamble image says of the frame behind it.
type Preamble struct {
	Seq       uint32 // 0..SeqMask; 0 when not sequenced
	Sequenced bool   // LLR-eligible
	FCS       bool   // an FCS image follows the frame
	VC        uint8  // virtual channel, 0..31
}

func (p Preamble) flags() byte {
	f := p.VC & flagsVC
	if p.FCS {
		f |= flagFCS
	}
	return f
}

// PutPreamble writes the preamble image of p into the first PreambleLen octets
// of b. The ue1 image has no flags octet: there the flags are laid over the fill
// octet 6 by exclusive or, so that flags of 0 leave the plain image.
func PutPreamble(b []byte, d Dialect, p Preamble) {
	_ = b[7]
	if d == DialectUE1 {
		putPreambleUE1(b, p)
		return
	}
	b[0], b[1], b[2], b[3] = preambleFill, preambleFill, preambleFill, sfdStandard
	if p.Sequenced {
		b[3] = sfdLLR
	}
	b[4], b[5], b[6] = byte(p.Seq>>16), byte(p.Seq>>8), byte(p.Seq)
	b[7] = p.flags()
}

func putPreambleUE1(b []byte, p Preamble) {
	b[0], b[1], b[2], b[3] = startControl, preambleFill, preambleFill, preambleFill
	if p.Sequenced {
		b[1], b[2], b[3] = byte(p.Seq>>16)<<4|nibbleLLR, byte(p.Seq>>8), byte(p.Seq)
	}
	b[4], b[5], b[6], b[7] = preambleFill, preambleFill, preambleFill^p.flags(), sfdStandard
}

// ParsePreamble reads the first PreambleLen octets of b. Faults: FaultTruncated,
// FaultSFD, FaultReserved.
func ParsePreamble(b []byte, d Dialect) (Preamble, Fault) {
	if len(b) < PreambleLen {
		return Preamble{}, FaultTruncated
	}
	if d == DialectUE1 {
		return parsePreambleUE1(b)
	}
	if b[0] != preambleFill || b[1] != preambleFill || b[2] != preambleFill || b[3] != sfdStandard && b[3] != sfdLLR {
		return Preamble{}, FaultSFD
	}
	seq := uint32(b[4])<<16 | uint32(b[5])<<8 | uint32(b[6])
	return checked(seq, b[3] == sfdLLR, b[7])
}

func parsePreambleUE1(b []byte) (Preamble, Fault) {
	if b[0] != startControl || b[4] != preambleFill || b[5] != preambleFill || b[7] != sfdStandard {
		return Preamble{}, FaultSFD
	}
	flags := b[6] ^ preambleFill
	if b[1]&0x0F == nibbleLLR {
		return checked(uint32(b[1]>>4)<<16|uint32(b[2])<<8|uint32(b[3]), true, flags)
	}
	if b[1] != preambleFill || b[2] != preambleFill || b[3] != preambleFill {
		return Preamble{}, FaultSFD
	}
	return checked(0, false, flags)
}

func checked(seq uint32, sequenced bool, flags byte) (Preamble, Fault) {
	if seq > SeqMask || !sequenced && seq != 0 || flags&flagsReserved != 0 {
		return Preamble{}, FaultReserved
	}
	return Preamble{Seq: seq, Sequenced: sequenced, FCS: flags&flagFCS != 0, VC: flags & flagsVC}, NoFault
}

// PutPreambleBlock writes the 64B/66B form of seed 000 §3.2: sequence 24,
// control flags 8, reserved 32. It cannot say "not sequenced".
func PutPreambleBlock(b []byte, p Preamble) {
	_ = b[7]
	b[0], b[1], b[2], b[3] = byte(p.Seq>>16), byte(p.Seq>>8), byte(p.Seq), p.flags()
	b[4], b[5], b[6], b[7] = 0, 0, 0, 0
}

// ParsePreambleBlock reads the form that PutPreambleBlock writes. Faults:
// FaultTruncated, FaultReserved.
func ParsePreambleBlock(b []byte) (Preamble, Fault) {
	if len(b) < PreambleLen {
		return Preamble{}, FaultTruncated
	}
	if b[4]|b[5]|b[6]|b[7] != 0 {
		return Preamble{}, FaultReserved
	}
	return checked(uint32(b[0])<<16|uint32(b[1])<<8|uint32(b[2]), true, b[3])
}
