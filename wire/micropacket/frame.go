package micropacket

import (
	"encoding/binary"

	"uelink/wire"
	"uelink/wire/crc"
)

// An Ethernet frame of micropackets. HIPPI-6400 has no such frame; the format is our own:
//
//	 0  6  DA
//	 6  6  SA
//	12  2  EtherType of data
//	14  2  48 36, at the place of an LLR preamble image and never within two bits of an image
//	16  1  version 1; bit 7: an FCS image ends the frame; bit 6: the sender takes Messages on VC3
//	17  1  n, micropackets, 1..255
//	18  4  number of the frame, modulo 2^32
//	22  2  epoch of the sender
//	24  2  epoch of the receiver as the sender knows it, 0 = unknown
//	26  40 n micropackets
//	 …  4  FCS image: CRC-32 of IEEE 802.3 over everything before it
//
// The columns are the first octet, the number of octets, and their meaning.
const (
	markAt    = wire.HeaderLen
	versionAt = markAt + 2
	countAt   = versionAt + 1
	numberAt  = countAt + 1
	fromAt    = numberAt + 4
	toAt      = fromAt + 2

	// FrameHeadLen is the number of octets before the first micropacket of a frame.
	FrameHeadLen = toAt + 2

	frameMark    = 0x4836 // "H6", octets 14 and 15
	frameVersion = 1      // octet 16 without its flags
	frameFCS     = 0x80   // flag of octet 16: an FCS image ends the frame
	frameVC3     = 0x40   // flag of octet 16: the sender takes Messages on VC3
)

// MaxPerFrame is the largest number of micropackets in a frame.
const MaxPerFrame = 255

// FrameHead is the head of a frame of micropackets behind its EtherType.
type FrameHead struct {
	N      uint8  // micropackets, 1..MaxPerFrame
	FCS    bool   // an FCS image ends the frame
	VC3    bool   // the sender takes Messages on VC3 (HIPPI-6400 §6.2)
	Number uint32 // grows by 1 with each frame of the sender, modulo 2^32
	From   uint16 // epoch of the sender, not 0: a new one at each Link Reset and Initialize
	To     uint16 // epoch of the receiver that the sender answers, 0 = unknown
}

// FrameLen returns the length in octets of a frame that carries n micropackets, with or without an FCS image.
func FrameLen(n int, fcs bool) int {
	octets := FrameHeadLen + n*Len
	if fcs {
		octets += wire.FCSLen
	}
	return octets
}

// InFrame returns how many micropackets fit into a frame of at most octets octets, 0..MaxPerFrame; fcs is whether the
// frame has an FCS image.
func InFrame(octets int, fcs bool) int {
	return min(max(0, (octets-FrameLen(0, fcs))/Len), MaxPerFrame)
}

// At returns the octets of micropacket i, from 0, of a frame of micropackets.
func At(frame []byte, i int) []byte { return frame[FrameHeadLen+i*Len:][:Len] }

// PutFrame completes a frame whose micropackets are in place: it writes addresses, EtherType, h, and the FCS image if h
// asks for one, and returns the frame's length. b has room for FrameLen octets.
func PutFrame(b []byte, outer *wire.Addresses, etherType uint16, h FrameHead) int {
	n := FrameLen(int(h.N), h.FCS)
	b = b[:n:n]
	copy(b, outer[:])
	binary.BigEndian.PutUint16(b[markAt-2:], etherType)
	binary.BigEndian.PutUint16(b[markAt:], frameMark)
	b[versionAt] = frameVersion
	b[countAt] = h.N
	binary.BigEndian.PutUint32(b[numberAt:], h.Number)
	binary.BigEndian.PutUint16(b[fromAt:], h.From)
	binary.BigEndian.PutUint16(b[toAt:], h.To)
	if h.VC3 {
		b[versionAt] |= frameVC3
	}
	if h.FCS {
		b[versionAt] |= frameFCS
		end := n - wire.FCSLen
		binary.LittleEndian.PutUint32(b[end:], crc.Checksum(b[:end]))
	}
	return n
}

// IsFrame reports whether a frame has, after its EtherType, the mark of a frame of micropackets. The caller has
// checked that the EtherType is that of the link's data frames.
func IsFrame(frame []byte) bool {
	return len(frame) >= versionAt && binary.BigEndian.Uint16(frame[markAt:]) == frameMark
}

// ParseFrame reads the head of a frame of micropackets and checks that all of them are there. Octets behind the last
// one are ignored. Faults: FaultTruncated, FaultSFD (without the mark), FaultVersion, FaultCount, FaultReserved (an
// epoch of the sender of 0), and FaultCRC.
func ParseFrame(frame []byte) (FrameHead, wire.Fault) {
	if len(frame) < FrameHeadLen {
		return FrameHead{}, wire.FaultTruncated
	}
	if !IsFrame(frame) {
		return FrameHead{}, wire.FaultSFD
	}
	h := FrameHead{
		N: frame[countAt], FCS: frame[versionAt]&frameFCS != 0, VC3: frame[versionAt]&frameVC3 != 0,
		Number: binary.BigEndian.Uint32(frame[numberAt:]),
		From:   binary.BigEndian.Uint16(frame[fromAt:]), To: binary.BigEndian.Uint16(frame[toAt:]),
	}
	switch {
	case frame[versionAt]&^(frameFCS|frameVC3) != frameVersion:
		return h, wire.FaultVersion
	case h.N == 0:
		return h, wire.FaultCount
	case len(frame) < FrameLen(int(h.N), h.FCS):
		return h, wire.FaultTruncated
	}
	if end := FrameLen(int(h.N), false); h.FCS && binary.LittleEndian.Uint32(frame[end:]) != crc.Checksum(frame[:end]) {
		return h, wire.FaultCRC
	}
	if h.From == 0 {
		return h, wire.FaultReserved
	}
	return h, wire.NoFault
}
