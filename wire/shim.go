package wire

import (
	"encoding/binary"
	"math/bits"

	"uelink/wire/crc"
)

// ShimLen is what the shim puts between the addresses and the EtherType of the
// carried frame: its own EtherType and the preamble image.
const ShimLen = 2 + PreambleLen

// Overhead is the most that a data frame is longer than the frame it carries, whose addresses
// stand outside.
const Overhead = ShimLen + FCSLen

// AddressesLen is by how much an addressed data frame is longer: it has addresses of the link
// outside, and the whole carried frame behind the preamble image.
const AddressesLen = 2 * AddrLen

// FCS is what a receiver knows of a frame's check sequence.
type FCS uint8

// The states of a check sequence.
const (
	FCSGood     FCS = iota
	FCSPoisoned     // inverted: the sender knew that the frame was damaged
	FCSBad
)

// Addresses are DA and SA of a frame.
type Addresses [AddressesLen]byte

// AddressesOf makes the addresses of a frame from one station to another.
func AddressesOf(da, sa MAC) (a Addresses) {
	copy(a[:], da[:])
	copy(a[AddrLen:], sa[:])
	return a
}

// DataLen is the length of the data frame that carries a frame of n octets whose addresses stand
// outside.
func DataLen(n int, fcs bool) int { return Preamble{FCS: fcs}.DataLen(n) }

// DataLen is the length of the data frame with that preamble image that carries a frame of n octets.
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

// headLen is what a data frame has before the rest of the frame it carries:
// addresses and shim.
const headLen = 2*AddrLen + ShimLen

// head is those octets as little-endian words, of which the last has six.
type head struct{ first, second, third uint64 }

// newHead makes the head of a data frame that begins with the given addresses.
func newHead(addresses []byte, etherType uint16, d Dialect, p Preamble) head {
	image := bits.ReverseBytes64(preambleImage(d, p))
	return head{
		binary.LittleEndian.Uint64(addresses),
		uint64(binary.LittleEndian.Uint32(addresses[8:])) | uint64(bits.ReverseBytes16(etherType))<<32 | image<<48,
		image >> 16,
	}
}

// headOf reads the head of a data frame.
func headOf(frame []byte) head {
	return head{
		binary.LittleEndian.Uint64(frame),
		binary.LittleEndian.Uint64(frame[8:]),
		binary.LittleEndian.Uint64(frame[headLen-8:]) >> 16,
	}
}

func (h head) put(b []byte) {
	binary.LittleEndian.PutUint64(b, h.first)
	binary.LittleEndian.PutUint64(b[8:], h.second)
	binary.LittleEndian.PutUint64(b[headLen-8:], h.second>>48|h.third<<16)
}

func (h head) sum() uint32 { return crc.Of22(h.first, h.second, h.third) }

// PutData writes into b the data frame that carries the given frame (at least
// HeaderLen octets) and returns its length, DataLen. The addresses stand outside.
// b and carried may not overlap. A poisoned frame gets the inverted FCS image.
func PutData(b, carried []byte, etherType uint16, d Dialect, p Preamble, poisoned bool) int {
	p.Addressed = false
	n := p.DataLen(len(carried))
	put(b[:n:n], newHead(carried, etherType, d, p), carried[AddressesLen:], p.FCS, poisoned)
	return n
}

// PutAddressed is PutData for a frame that is carried whole, between the two ends of a link whose
// addresses are outer.
func PutAddressed(
	b, carried []byte, outer *Addresses, etherType uint16, d Dialect, p Preamble, poisoned bool,
) int {
	p.Addressed = true
	n := p.DataLen(len(carried))
	put(b[:n:n], newHead(outer[:], etherType, d, p), carried, p.FCS, poisoned)
	return n
}

// put fills b with a head, what follows it, zeros, and the FCS image if there is one.
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

// Readdress gives an addressed data frame that ParseData accepts other addresses outside, and the
// FCS image that goes with them.
func Readdress(frame []byte, outer *Addresses, fcs bool) {
	copy(frame, outer[:])
	if fcs {
		end := len(frame) - FCSLen
		binary.LittleEndian.PutUint32(frame[end:], crc.Checksum(frame[:end]))
	}
}

// ParseData reads the preamble image of a data frame, whose EtherType the caller
// has looked at, and checks that the frame is long enough for what it says.
// Faults: those of ParsePreamble.
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

// LooksLikeShim tells whether a frame under another EtherType may be a data frame of the
// dialect whose EtherType was damaged: by the first three octets of the preamble image, or
// by all of it that never changes, but for two bits.
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

// CheckFCS compares the FCS image at the end of a data frame, which ParseData
// has found to be there, with the frame.
func CheckFCS(frame []byte) FCS {
	return judge(frame, crc.Checksum(frame[:len(frame)-FCSLen]))
}

// judge compares the FCS image at the end of a data frame with the sum of the rest.
func judge(frame []byte, sum uint32) FCS {
	switch binary.LittleEndian.Uint32(frame[len(frame)-FCSLen:]) {
	case sum:
		return FCSGood
	case ^sum:
		return FCSPoisoned
	}
	return FCSBad
}

// JudgeFCS is the state of the check sequence of a data frame that ParseData has
// accepted. A frame without an FCS image is good, or bad where the link carries
// one with every frame (required): the flag that tells is a single bit, and a
// flip of that bit must not deliver a damaged frame.
func JudgeFCS(frame []byte, p Preamble, required bool) FCS {
	switch {
	case p.FCS:
		return CheckFCS(frame)
	case required:
		return FCSBad
	}
	return FCSGood
}

// CarriedLen is the length of the frame that a data frame of n octets carries whose addresses
// stand outside.
func CarriedLen(n int, fcs bool) int { return Preamble{FCS: fcs}.CarriedLen(n) }

// CarriedLen is the length of the frame that a data frame of n octets with that preamble image carries.
func (p Preamble) CarriedLen(n int) int { return n - p.DataLen(0) + MinFrameLen }

// CarriedParts is where the frame that a data frame carries begins in it: its addresses, and what
// follows them, in octets.
func (p Preamble) CarriedParts() (addresses, rest int) {
	if p.Addressed {
		return headLen, headLen + AddressesLen
	}
	return 0, headLen
}

// Carried copies the frame that a data frame carries into b, which has room for
// CarriedLen octets, and returns its JudgeFCS, both in one pass.
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
	return judge(frame, crc.Copy(b, frame[headLen:headLen+len(b)], headOf(frame).sum()))
}
