package wire

import (
	"encoding/binary"
	"math/bits"

	"uelink/wire/crc"
)

// ShimLen is what the shim puts between the addresses and the EtherType of the
// carried frame: its own EtherType and the preamble image.
const ShimLen = 2 + PreambleLen

// Overhead is the most that a data frame is longer than the frame it carries.
const Overhead = ShimLen + FCSLen

// FCS is what a receiver knows of a frame's check sequence.
type FCS uint8

// The states of a check sequence.
const (
	FCSGood     FCS = iota
	FCSPoisoned     // inverted: the sender knew that the frame was damaged
	FCSBad
)

// addresses are DA and SA, copied as one value.
type addresses [2 * AddrLen]byte

// DataLen is the length of the data frame that carries a frame of n octets.
func DataLen(n int, fcs bool) int {
	n = max(n, MinFrameLen) + ShimLen
	if fcs {
		n += FCSLen
	}
	return n
}

// headLen is what a data frame has before the rest of the frame it carries:
// addresses and shim.
const headLen = 2*AddrLen + ShimLen

// head is those octets as little-endian words, of which the last has six.
type head struct{ first, second, third uint64 }

// newHead makes the head of the data frame that carries the given one.
func newHead(carried []byte, etherType uint16, d Dialect, p Preamble) head {
	image := bits.ReverseBytes64(preambleImage(d, p))
	return head{
		binary.LittleEndian.Uint64(carried),
		uint64(binary.LittleEndian.Uint32(carried[8:])) | uint64(bits.ReverseBytes16(etherType))<<32 | image<<48,
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
// HeaderLen octets) and returns its length, DataLen. b and carried may not
// overlap. A poisoned frame gets the inverted FCS image.
func PutData(b, carried []byte, etherType uint16, d Dialect, p Preamble, poisoned bool) int {
	n := DataLen(len(carried), p.FCS)
	b = b[:n:n]
	h := newHead(carried, etherType, d, p)
	h.put(b)
	rest := b[headLen:]
	carried = carried[2*AddrLen:]
	if !p.FCS {
		clear(rest[copy(rest, carried):])
		return n
	}
	sum := crc.Copy(rest, carried, h.sum())
	if padding := rest[len(carried) : len(rest)-FCSLen]; len(padding) > 0 {
		clear(padding)
		sum = crc.Update(sum, padding)
	}
	if poisoned {
		sum = ^sum
	}
	binary.LittleEndian.PutUint32(b[n-FCSLen:], sum)
	return n
}

// ParseData reads the preamble image of a data frame, whose EtherType the caller
// has looked at, and checks that the frame is long enough for what it says.
// Faults: those of ParsePreamble.
func ParseData(frame []byte, d Dialect) (Preamble, Fault) {
	if len(frame) < HeaderLen+PreambleLen {
		return Preamble{}, FaultTruncated
	}
	p, fault := ParsePreamble(frame[HeaderLen:], d)
	if fault == NoFault && len(frame) < DataLen(0, p.FCS) {
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

// CarriedLen is the length of the frame that a data frame of n octets carries.
func CarriedLen(n int, fcs bool) int {
	if fcs {
		n -= FCSLen
	}
	return n - ShimLen
}

// Carried copies the frame that a data frame carries into b, which has room for
// CarriedLen octets, and returns its JudgeFCS, both in one pass.
func Carried(b, frame []byte, p Preamble, required bool) FCS {
	n := CarriedLen(len(frame), p.FCS)
	b = b[:n:n]
	*(*addresses)(b) = addresses(frame)
	b = b[2*AddrLen:]
	if !p.FCS {
		copy(b, frame[headLen:])
		return JudgeFCS(frame, p, required)
	}
	return judge(frame, crc.Copy(b, frame[headLen:headLen+len(b)], headOf(frame).sum()))
}
