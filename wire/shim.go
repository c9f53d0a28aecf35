package wire

import (
	"encoding/binary"

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

// PutData writes into b the data frame that carries the given frame (at least
// HeaderLen octets) and returns its length, DataLen. b and carried may not
// overlap. A poisoned frame gets the inverted FCS image.
func PutData(b, carried []byte, etherType uint16, d Dialect, p Preamble, poisoned bool) int {
	n := DataLen(len(carried), p.FCS)
	b = b[:n:n]
	*(*addresses)(b) = addresses(carried)
	putEtherType(b, etherType)
	PutPreamble(b[HeaderLen:], d, p)
	end := ShimLen + len(carried)
	copy(b[HeaderLen+PreambleLen:], carried[2*AddrLen:])
	if end < MinFrameLen+ShimLen {
		clear(b[end : MinFrameLen+ShimLen])
	}
	if p.FCS {
		sum := crc.Checksum(b[:n-FCSLen])
		if poisoned {
			sum = ^sum
		}
		binary.LittleEndian.PutUint32(b[n-FCSLen:], sum)
	}
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

// CheckFCS compares the FCS image at the end of a data frame, which ParseData
// has found to be there, with the frame.
func CheckFCS(frame []byte) FCS {
	end := len(frame) - FCSLen
	switch sum := crc.Checksum(frame[:end]); binary.LittleEndian.Uint32(frame[end:]) {
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
// CarriedLen octets, and returns its length.
func Carried(b, frame []byte, fcs bool) int {
	n := CarriedLen(len(frame), fcs)
	b = b[:n:n]
	*(*addresses)(b) = addresses(frame)
	copy(b[2*AddrLen:], frame[2*AddrLen+ShimLen:])
	return n
}
