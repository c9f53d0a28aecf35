package wire

import (
	"encoding/binary"
	"math/bits"

	"uelink/wire/crc"
)

// ShimLen is the length of the shim between the addresses and the EtherType of the carried frame:
// an EtherType and the preamble image.
const ShimLen = 2 + PreambleLen

// Overhead is the maximum difference in length between a data frame without outer addresses of the
// link and the carried frame.
const Overhead = ShimLen + FCSLen

// AddressesLen is by how much an addressed data frame is longer: it begins with the addresses of the link's two ends,
// and the whole carried frame, its own addresses included, follows the preamble image.
const AddressesLen = 2 * AddrLen

// FCS is the state of a received frame's check sequence.
type FCS uint8

// The states of a check sequence.
const (
	FCSGood     FCS = iota // right
	FCSPoisoned            // inverted: the sender knew that the frame was damaged
	FCSBad                 // wrong: the frame was damaged on the wire
)

// Addresses are DA and SA of a frame.
type Addresses [AddressesLen]byte

// AddressesOf returns the two address fields of a frame from sa to da.
func AddressesOf(da, sa MAC) (a Addresses) {
	copy(a[:], da[:])
	copy(a[AddrLen:], sa[:])
	return a
}

// DataLen returns the length of a data frame that carries n octets, without outer addresses of the
// link.
func DataLen(n int, fcs bool) int { return Preamble{FCS: fcs}.DataLen(n) }

// DataLen returns the length of a data frame with the preamble image p that carries a frame of n octets, padded to
// MinFrameLen.
func (p Preamble) DataLen(n int) int {
	n = max(n, MinFrameLen) + ShimLen
	if p.Addressed {
		n += AddressesLen
	}
	if p.FCS {
		n += FCSLen
	}
	return n
}

// headLen is the length of a data frame's head: addresses and shim.
const headLen = 2*AddrLen + ShimLen

// head is the head of a data frame as little-endian words; the third has six octets.
type head struct{ first, second, third uint64 }

// newHead returns the first octets of a data frame, as words: the given addresses, the EtherType and the preamble
// image of p.
func newHead(addresses []byte, etherType uint16, d Dialect, p Preamble) head {
	image := bits.ReverseBytes64(preambleImage(d, p))
	return head{
		binary.LittleEndian.Uint64(addresses),
		uint64(binary.LittleEndian.Uint32(addresses[8:])) | uint64(bits.ReverseBytes16(etherType))<<32 | image<<48,
		image >> 16,
	}
}

// headOf returns the first octets of a data frame, addresses to preamble image, as words.
func headOf(frame []byte) head {
	return head{
		binary.LittleEndian.Uint64(frame),
		binary.LittleEndian.Uint64(frame[8:]),
		binary.LittleEndian.Uint64(frame[headLen-8:]) >> 16,
	}
}

// put writes the head to the first headLen octets of b.
func (h head) put(b []byte) {
	binary.LittleEndian.PutUint64(b, h.first)
	binary.LittleEndian.PutUint64(b[8:], h.second)
	binary.LittleEndian.PutUint64(b[headLen-8:], h.second>>48|h.third<<16)
}

// sum returns the CRC-32 of the head's octets.
func (h head) sum() uint32 { return crc.Of22(h.first, h.second, h.third) }

// PutData writes into b the data frame that carries the frame carried (at least HeaderLen octets), with the link's
// EtherType and the preamble image of p in dialect d, and returns the data frame's length, DataLen. The carried frame's
// addresses come first. b and carried must not overlap. A poisoned frame gets the inverted FCS image.
// Clauses: UE-LINK/preamble.1, SAI-LLR/tx.2.
func PutData(b, carried []byte, etherType uint16, d Dialect, p Preamble, poisoned bool) int {
	p.Addressed = false
	n := p.DataLen(len(carried))
	put(b[:n:n], newHead(carried, etherType, d, p), carried[AddressesLen:], p.FCS, poisoned)
	return n
}

// PutAddressed writes a data frame as PutData does, but with outer addresses of the link's two ends, and with the
// whole carried frame after the preamble image.
func PutAddressed(
	b, carried []byte, outer *Addresses, etherType uint16, d Dialect, p Preamble, poisoned bool,
) int {
	p.Addressed = true
	n := p.DataLen(len(carried))
	put(b[:n:n], newHead(outer[:], etherType, d, p), carried, p.FCS, poisoned)
	return n
}

// put fills b, a data frame, with its head, the octets that follow, zero padding, and the FCS image if fcs is set;
// inverted if poisoned is set.
func put(b []byte, h head, follows []byte, fcs, poisoned bool) {
	h.put(b)
	rest := b[headLen:]
	if !fcs {
		clear(rest[copy(rest, follows):])
		return
	}
	sum := crc.Copy(rest, follows, h.sum())
	if padding := rest[len(follows) : len(rest)-FCSLen]; len(padding) > 0 {
		clear(padding)
		sum = crc.Update(sum, padding)
	}
	if poisoned {
		sum = ^sum
	}
	binary.LittleEndian.PutUint32(b[len(b)-FCSLen:], sum)
}

// Readdress replaces the outer addresses of an addressed data frame, and updates the FCS image: a poisoned frame stays
// poisoned, and a bad frame is not changed. ParseData must have accepted the frame.
func Readdress(frame []byte, outer *Addresses, fcs bool) {
	if !fcs {
		copy(frame, outer[:])
		return
	}
	state := CheckFCS(frame)
	if state == FCSBad {
		return
	}
	copy(frame, outer[:])
	putFCS(frame, state == FCSPoisoned)
}

// Poison gives a data frame whose octets have changed the EtherType, the preamble image of p and a poisoned FCS image.
// The frame must have room for an FCS image at its end.
func Poison(frame []byte, etherType uint16, d Dialect, p Preamble) {
	binary.BigEndian.PutUint16(frame[AddressesLen:], etherType)
	PutPreamble(frame[HeaderLen:], d, p)
	putFCS(frame, true)
}

// PutFCS writes the FCS image of a data frame at its end, with the bits of difference flipped: 0 makes a good frame,
// all ones a poisoned one, anything else a bad one. The preamble image must say that there is an FCS image.
func PutFCS(frame []byte, difference uint32) {
	end := len(frame) - FCSLen
	binary.LittleEndian.PutUint32(frame[end:], crc.Checksum(frame[:end])^difference)
}

// putFCS writes the FCS image of a data frame at its end; inverted if poisoned is set.
func putFCS(frame []byte, poisoned bool) {
	difference := uint32(0)
	if poisoned {
		difference = ^difference
	}
	PutFCS(frame, difference)
}

// ParseData reads the preamble image of a data frame and checks that the frame is long enough. The
// caller has checked the EtherType. Faults: those of ParsePreamble.
// Clauses: UE-LINK/preamble.1.
func ParseData(frame []byte, d Dialect) (Preamble, Fault) {
	if len(frame) < HeaderLen+PreambleLen {
		return Preamble{}, FaultTruncated
	}
	p, fault := ParsePreamble(frame[HeaderLen:], d)
	if fault == NoFault && len(frame) < p.DataLen(0) {
		fault = FaultTruncated
	}
	return p, fault
}

// LooksLikeShim reports whether a frame with another EtherType may be a data frame of the dialect
// with a damaged EtherType: the first three octets of the preamble image are right, or all its
// constant bits except for two bits at most.
func LooksLikeShim(frame []byte, d Dialect) bool {
	if len(frame) < HeaderLen+PreambleLen {
		return false
	}
	image := binary.BigEndian.Uint64(frame[HeaderLen:])
	if d == DialectUE1 {
		start := image >> 40
		return start>>16 == plainUE1>>56 && (start>>8&0x0F == nibbleLLR || start&0xFFFF == fill&0xFFFF) ||
			bits.OnesCount64((image^plainUE1)&fixedUE1) <= 2
	}
	return image>>40 == fill || bits.OnesCount64((image^imageSeed(Preamble{Sequenced: true}))&fixedSeed) <= 2
}

// CheckFCS returns whether the FCS image at the end of a data frame is right, inverted (poisoned) or wrong.
// ParseData must have found an FCS image.
func CheckFCS(frame []byte) FCS {
	return compareFCS(frame, crc.Checksum(frame[:len(frame)-FCSLen]))
}

// compareFCS returns whether the FCS image at the end of a data frame is that of sum, the checksum of the rest,
// inverted (poisoned) or wrong.
func compareFCS(frame []byte, sum uint32) FCS {
	switch binary.LittleEndian.Uint32(frame[len(frame)-FCSLen:]) {
	case sum:
		return FCSGood
	case ^sum:
		return FCSPoisoned
	}
	return FCSBad
}

// JudgeFCS returns whether a data frame that ParseData has accepted is good, poisoned or bad by its FCS image. A
// frame without an FCS image is good, or bad if every frame of the link must have one (required): the flag for the
// FCS image is a single bit, and a flip of that bit must not deliver a damaged frame.
// Clauses: UE-LINK/nack.6, SAI-LLR/go-back-n.2.
func JudgeFCS(frame []byte, p Preamble, required bool) FCS {
	switch {
	case p.FCS:
		return CheckFCS(frame)
	case required:
		return FCSBad
	}
	return FCSGood
}

// CarriedLen returns the length of the frame carried by a data frame of n octets without outer
// addresses of the link.
func CarriedLen(n int, fcs bool) int { return Preamble{FCS: fcs}.CarriedLen(n) }

// CarriedLen returns the length of the frame carried by a data frame of n octets with the preamble
// image p.
func (p Preamble) CarriedLen(n int) int { return n - p.DataLen(0) + MinFrameLen }

// CarriedParts returns where the carried frame lies in a data frame, as offsets in octets: of its addresses, and
// of the octets after them.
func (p Preamble) CarriedParts() (addresses, rest int) {
	if p.Addressed {
		return headLen, headLen + AddressesLen
	}
	return 0, headLen
}

// Carried copies the frame carried by a data frame into b, which has room for CarriedLen octets, and returns
// whether the data frame is good, poisoned or bad (JudgeFCS). Copy and checksum are one pass.
func Carried(b, frame []byte, p Preamble, required bool) FCS {
	n := p.CarriedLen(len(frame))
	b = b[:n:n]
	if !p.Addressed {
		*(*Addresses)(b) = Addresses(frame)
		b = b[AddressesLen:]
	}
	if !p.FCS {
		copy(b, frame[headLen:])
		return JudgeFCS(frame, p, required)
	}
	return compareFCS(frame, crc.Copy(b, frame[headLen:headLen+len(b)], headOf(frame).sum()))
}
