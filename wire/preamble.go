package wire

import (
	"encoding/binary"
	"fmt"
)

// Dialect is the layout of the LLR preamble image.
type Dialect uint8

// The dialects.
const (
	DialectSeed Dialect = iota // MII form: 55 55 55 | SFD | sequence 24 | flags
	DialectUE1                 // FB | seq[19:16],7 | seq[15:8] | seq[7:0] | 55 55 55 | D5
)

// String returns the dialect's name in the configuration: seed or ue1.
func (d Dialect) String() string {
	if d == DialectUE1 {
		return "ue1"
	}
	return "seed"
}

// MarshalText returns the dialect's name in the configuration (seed, ue1) as octets. The error is always nil.
func (d Dialect) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText sets the dialect from its name in the configuration: seed or ue1. Any other text is an error.
func (d *Dialect) UnmarshalText(text []byte) error {
	for _, dialect := range [...]Dialect{DialectSeed, DialectUE1} {
		if dialect.String() == string(text) {
			*d = dialect
			return nil
		}
	}
	return fmt.Errorf("%q is no dialect: want %v or %v", text, DialectSeed, DialectUE1)
}

// Other returns the other of the two dialects.
func (d Dialect) Other() Dialect { return d ^ 1 }

// PreambleLen is the length of a preamble image in octets.
const PreambleLen = 8

// Octets of the images. An image is read and written as one big-endian word.
const (
	sfdStandard = 0xD5
	sfdLLR      = 0xDD     // UE-LINK §3.1
	nibbleLLR   = 0x07     // low nibble of octet 1 of an eligible ue1 preamble
	fill        = 0x555555 // three octets of preamble

	plainUE1 = 0xFB_555555_555555_D5 // the ue1 image of a frame that is neither sequenced nor flagged
	fixedUE1 = 0xFF_000000_FFFF00_FF // the constant bits of plainUE1

	fixedSeed = 0xFFFFFF_F7_000000_00 // the constant bits of an image of the dialect seed; the SFD is D5 or DD
)

// Control flags of a data frame's preamble image.
// Clauses: UE-LINK/preamble.6.
const (
	flagFCS       = 0x80 // an FCS image follows the carried frame
	flagAddressed = 0x40 // the outer addresses are the link's
	flagPartner   = 0x20 // the carried frame is for the partner itself
	flagsVC       = 0x1F // the bits of the virtual channel
)

// Preamble is the content of the preamble image of a data frame.
type Preamble struct {
	Seq       uint32 // sequence number, 0..SeqMask; 0 when not sequenced
	Sequenced bool   // LLR-eligible: the frame has a sequence number, and LLR sends it again if it is lost
	FCS       bool   // an FCS image follows the carried frame
	To
}

// To is a frame's destination on a link and its form of addressing. To is a part of Preamble
// because Go keeps a struct in registers only if it has at most four fields.
// Clauses: UE-LINK/overview.6.
type To struct {
	VC        uint8 // virtual channel, 0..31
	Partner   bool  // the carried frame is for the partner itself, and is never forwarded
	Addressed bool  // the whole carried frame follows, addresses too: the outer addresses are the link's
}

// flags returns the octet of the shim with the virtual channel and the flags of the preamble.
func (p Preamble) flags() byte {
	f := p.VC & flagsVC
	if p.FCS {
		f |= flagFCS
	}
	if p.Addressed {
		f |= flagAddressed
	}
	if p.Partner {
		f |= flagPartner
	}
	return f
}

// PutPreamble writes the preamble image of p into the first PreambleLen octets of b. The ue1 image
// has no flags octet: the flags are combined with fill octet 6 by exclusive or, so that flags of 0
// leave the plain image.
// Clauses: UE-LINK/preamble.2-4,6, SAI-LLR/overview.2.
func PutPreamble(b []byte, d Dialect, p Preamble) {
	binary.BigEndian.PutUint64(b, preambleImage(d, p))
}

// preambleImage returns the preamble image of p in dialect d, as a big-endian word.
func preambleImage(d Dialect, p Preamble) uint64 {
	if d == DialectUE1 {
		return imageUE1(p)
	}
	return imageSeed(p)
}

// imageSeed returns the preamble image of p in the dialect seed: the SFD says whether p is sequenced.
func imageSeed(p Preamble) uint64 {
	sfd := uint64(sfdStandard)
	if p.Sequenced {
		sfd = sfdLLR
	}
	return fill<<40 | sfd<<32 | uint64(p.Seq&SeqMask)<<8 | uint64(p.flags())
}

// imageUE1 returns the preamble image of p in the dialect ue1: if p is sequenced, the number and LLR's nibble replace
// three octets of fill.
func imageUE1(p Preamble) uint64 {
	image := uint64(plainUE1)
	if p.Sequenced {
		seq := uint64(p.Seq & SeqMask)
		image = image&^(0xFFFFFF<<32) | seq>>16<<52 | nibbleLLR<<48 | seq&0xFFFF<<32
	}
	return image ^ uint64(p.flags())<<8
}

// ParsePreamble reads the preamble image in the first PreambleLen octets of b. Faults: FaultTruncated, FaultSFD,
// FaultReserved.
// Clauses: UE-LINK/preamble.2-4,6.
func ParsePreamble(b []byte, d Dialect) (Preamble, Fault) {
	if len(b) < PreambleLen {
		return Preamble{}, FaultTruncated
	}
	image := binary.BigEndian.Uint64(b)
	if d == DialectUE1 {
		return parseUE1(image)
	}
	sfd := byte(image >> 32)
	if image>>40 != fill || sfd != sfdStandard && sfd != sfdLLR {
		return Preamble{}, FaultSFD
	}
	return checked(uint32(image>>8)&0xFFFFFF, sfd == sfdLLR, byte(image))
}

// parseUE1 reads a preamble image of UE 1.0.1: with LLR's nibble and a sequence number, or with fill instead of both.
// Faults: FaultSFD for any other image, and those of checked.
func parseUE1(image uint64) (Preamble, Fault) {
	if (image^plainUE1)&fixedUE1 != 0 {
		return Preamble{}, FaultSFD
	}
	flags := byte((image ^ plainUE1) >> 8)
	switch start := uint32(image>>32) & 0xFFFFFF; {
	case start>>16&0x0F == nibbleLLR:
		return checked(start>>20<<16|start&0xFFFF, true, flags)
	case start == fill:
		return checked(0, false, flags)
	}
	return Preamble{}, FaultSFD
}

// checked returns the preamble with a sequence number and the octet of flags. The fault is FaultReserved for a number
// beyond SeqMask, or a number in a preamble that is not sequenced.
func checked(seq uint32, sequenced bool, flags byte) (Preamble, Fault) {
	if seq > SeqMask || !sequenced && seq != 0 {
		return Preamble{}, FaultReserved
	}
	to := To{VC: flags & flagsVC, Partner: flags&flagPartner != 0, Addressed: flags&flagAddressed != 0}
	return Preamble{Seq: seq, Sequenced: sequenced, FCS: flags&flagFCS != 0, To: to}, NoFault
}

// PutPreambleBlock writes the preamble p into b in the 64B/66B form of UE-LINK §3.2: sequence 24, control flags 8,
// reserved 32. The form cannot express "not sequenced".
// Clauses: UE-LINK/preamble-block.1.
func PutPreambleBlock(b []byte, p Preamble) {
	binary.BigEndian.PutUint64(b, uint64(p.Seq&SeqMask)<<40|uint64(p.flags())<<32)
}

// ParsePreambleBlock reads a preamble in the 64B/66B form that PutPreambleBlock writes. Faults: FaultTruncated,
// FaultReserved.
// Clauses: UE-LINK/preamble-block.1.
func ParsePreambleBlock(b []byte) (Preamble, Fault) {
	if len(b) < PreambleLen {
		return Preamble{}, FaultTruncated
	}
	image := binary.BigEndian.Uint64(b)
	if uint32(image) != 0 {
		return Preamble{}, FaultReserved
	}
	return checked(uint32(image>>40), true, byte(image>>32))
}
