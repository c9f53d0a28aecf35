package wire

import (
	"encoding/binary"
	"math/bits"

	"uelink/wire/crc"
)

// Control frame: DA, SA, EtherType, version, count, count x CtlOS, CRC-32 over all octets before the CRC
// (in the octet order of an FCS), zero padding to MinFrameLen.
const (
	controlVersion   = 1
	controlHeaderLen = HeaderLen + 2
	// MaxCtlOS is the maximum number of control ordered sets in one control frame: an ACK or NACK,
	// INIT, INIT_ECHO and CF_Updates for 32 VCs need 19.
	MaxCtlOS = 32
	// MaxControlLen is the length of the longest control frame.
	MaxControlLen = controlHeaderLen + MaxCtlOS*CtlOSLen + FCSLen
)

// PutControl writes into b (room for MaxControlLen octets) a control frame to ControlDA with 1 to
// MaxCtlOS control ordered sets, and returns the frame's length.
// Clauses: UE-LINK/overview.4, UE-LINK/phy.3, SAI-LLR/overview.4, SAI-LLR/rx.3.
func PutControl(b []byte, sa MAC, etherType uint16, list []CtlOS) int {
	return PutControlTo(b, ControlDA, sa, etherType, list)
}

// PutControlTo writes a control frame as PutControl does, to another address: that of the partner
// on an addressed link.
func PutControlTo(b []byte, da, sa MAC, etherType uint16, list []CtlOS) int {
	end := controlHeaderLen + len(list)*CtlOSLen
	n := max(end+FCSLen, MinFrameLen)
	b = b[:n:n]
	copy(b, da[:])
	copy(b[AddrLen:], sa[:])
	putEtherType(b, etherType)
	b[14], b[15] = controlVersion, byte(len(list))
	for i, c := range list {
		PutCtlOS(b[controlHeaderLen+i*CtlOSLen:], ViewPCS, c)
	}
	SealControl(b, len(list))
	return n
}

// CtlOSAt returns the octets of control ordered set i, from 0, of a control frame that has one there.
func CtlOSAt(frame []byte, i int) []byte { return frame[controlHeaderLen+i*CtlOSLen:][:CtlOSLen] }

// SealControl completes a control frame whose first count control ordered sets are in place: it writes the count and
// the CRC-32, and zeros behind it. The frame keeps its length, which must have room for them.
func SealControl(frame []byte, count int) {
	frame[15] = byte(count)
	end := controlHeaderLen + count*CtlOSLen
	binary.LittleEndian.PutUint32(frame[end:], crc.Checksum(frame[:end]))
	clear(frame[end+FCSLen:])
}

// PadControl pads the control frame of n octets in b with zeros to length octets and returns the
// new length. b must have room for length octets.
func PadControl(b []byte, n, length int) int {
	if length <= n {
		return n
	}
	clear(b[n:length])
	return length
}

// LooksLikeControl reports whether a frame with another EtherType may be a control frame with a
// damaged EtherType and address: version and first octet of the first control ordered set are
// right, except for one bit at most.
func LooksLikeControl(frame []byte) bool {
	return len(frame) >= MinFrameLen &&
		bits.OnesCount8(frame[14]^controlVersion)+bits.OnesCount8(frame[controlHeaderLen]^byte(ViewPCS)) <= 1
}

// ParseControl reads a control frame into the caller's array; the caller has checked the EtherType.
// It returns the number of control ordered sets stored, and the number of ignored ones with an
// unknown type. A fault (FaultTruncated, FaultVersion, FaultCount, FaultCRC, FaultBlock,
// FaultReserved) discards the whole frame.
// Clauses: UE-LINK/overview.4.
func ParseControl(frame []byte, into *[MaxCtlOS]CtlOS) (n, unknown int, fault Fault) {
	if len(frame) < MinFrameLen {
		return 0, 0, FaultTruncated
	}
	if frame[14] != controlVersion {
		return 0, 0, FaultVersion
	}
	count := int(frame[15])
	if count == 0 || count > MaxCtlOS {
		return 0, 0, FaultCount
	}
	end := controlHeaderLen + count*CtlOSLen
	if len(frame) < end+FCSLen {
		return 0, 0, FaultTruncated
	}
	if binary.LittleEndian.Uint32(frame[end:]) != crc.Checksum(frame[:end]) {
		return 0, 0, FaultCRC
	}
	for i := range count {
		c, fault := ParseCtlOS(frame[controlHeaderLen+i*CtlOSLen:], ViewPCS)
		switch fault {
		case NoFault:
			into[n] = c
			n++
		case FaultType:
			unknown++
		default:
			return 0, 0, fault
		}
	}
	return n, unknown, NoFault
}
