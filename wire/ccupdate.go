package wire

import (
	"encoding/binary"
	"math/bits"
)

// CCUpdate holds counts of credits consumed, S_CC, by virtual channel.
type CCUpdate struct {
	VCs   uint32     // bit n: Count has the count of VC n
	Count [32]uint32 // by VC, CCBits low bits each
}

// The number of low bits of a count that a dialect carries.
const (
	CCBitsSeed = 15
	CCBitsUE1  = 20
)

// CCBits returns how many low bits of a credit count a CC_Update of the dialect carries.
func (d Dialect) CCBits() int {
	if d == DialectUE1 {
		return CCBitsUE1
	}
	return CCBitsSeed
}

// ccMessage is the message type of a CC_Update in the dialect seed: UE-LINK gives the message no number. A message of
// type 0 ends the list.
// Clauses: UE-LINK/cc.2.
const (
	ccMessage    = 1
	ccMessageLen = 8 // octets of a message: type, VC and count
)

// MaxCCUpdateLen is the longest CC_Update of either dialect, octets.
const MaxCCUpdateLen = HeaderLen + 32*ccMessageLen

// The ue1 CC_Update: a MAC Control frame with a number of the Ultra Ethernet Consortium.
const (
	macControlExtension = 0xFFFE     // opcode: the message of an organisation follows
	ccVCs               = 16         // virtual channels whose counts one frame has
	ccCountsAt          = 20         // octet of the frame where the counts begin, after opcode, CID and type
	uecCID              = 0xFA_7A_CB // company id of the Ultra Ethernet Consortium
)

// PutCCUpdate writes a CC_Update into b, which has room for MaxCCUpdateLen octets. The frame has no
// FCS and is carried to the partner by a data frame. PutCCUpdate returns the frame's length and the
// VCs in the frame: all of u, or for ue1 one half of them, since a ue1 frame has 16 VCs. etherType
// is the EtherType of the link's control frames; a CC_Update of the dialect seed has the same EtherType.
// Clauses: UE-LINK/overview.10, UE-LINK/credit.2, UE-LINK/cc.3-5.
func PutCCUpdate(b []byte, da, sa MAC, etherType uint16, d Dialect, u *CCUpdate) (n int, vcs uint32) {
	copy(b, da[:])
	copy(b[AddrLen:], sa[:])
	if d == DialectUE1 {
		return putCCUpdateUE1(b, u)
	}
	putEtherType(b, etherType)
	n = HeaderLen
	for rest := u.VCs; rest != 0; rest &= rest - 1 {
		vc := bits.TrailingZeros32(rest)
		message := uint64(ccMessage)<<56 | uint64(vc)<<51 | uint64(u.Count[vc]&(1<<CCBitsSeed-1))<<36
		binary.BigEndian.PutUint64(b[n:], message)
		n += ccMessageLen
	}
	return n, u.VCs
}

// putCCUpdateUE1 writes a CC_Update as a MAC control frame of UE 1.0.1 behind the addresses in b. The frame has the
// counts of 16 channels: those of the lower half if u.VCs names one of them, else those of the upper half. n is the
// frame's length, vcs the part of u.VCs that the frame carries.
func putCCUpdateUE1(b []byte, u *CCUpdate) (n int, vcs uint32) {
	half := 0
	if u.VCs&0xFFFF == 0 {
		half = 1
	}
	putEtherType(b, EtherTypeMACControl)
	binary.BigEndian.PutUint16(b[HeaderLen:], macControlExtension)
	binary.BigEndian.PutUint32(b[HeaderLen+2:], uecCID<<8|uint32(half+1))
	counts := u.Count[half*ccVCs:]
	for i, at := 0, ccCountsAt; i < ccVCs; i, at = i+2, at+5 {
		pair := uint64(counts[i]&SeqMask)<<20 | uint64(counts[i+1]&SeqMask)
		b[at] = byte(pair >> 32)
		binary.BigEndian.PutUint32(b[at+1:], uint32(pair))
	}
	return MinFrameLen, u.VCs & (0xFFFF << (half * ccVCs))
}

// ParseCCUpdate reads into u a CC_Update of dialect d carried by a data frame to the partner. rest begins at the
// carried frame's EtherType, which in the dialect seed must be etherType. A ue1 frame has counts of 16 VCs, used or
// not. Faults: FaultTruncated, FaultType (no CC_Update), FaultReserved.
// Clauses: UE-LINK/credit.2, UE-LINK/cc.2-6.
func ParseCCUpdate(rest []byte, etherType uint16, d Dialect, u *CCUpdate) Fault {
	u.VCs = 0
	if len(rest) < MinFrameLen-2*AddrLen {
		return FaultTruncated
	}
	found := binary.BigEndian.Uint16(rest)
	if d == DialectUE1 {
		if found != EtherTypeMACControl {
			return FaultType
		}
		return parseCCUpdateUE1(rest, u)
	}
	if found != etherType {
		return FaultType
	}
	for rest = rest[2:]; len(rest) >= ccMessageLen && rest[0] != 0; rest = rest[ccMessageLen:] {
		message := binary.BigEndian.Uint64(rest)
		switch {
		case rest[0] != ccMessage:
			return FaultType
		case message&(1<<36-1) != 0:
			return FaultReserved
		}
		vc := message >> 51 & 31
		u.VCs |= 1 << vc
		u.Count[vc] = uint32(message>>36) & (1<<CCBitsSeed - 1)
	}
	return NoFault
}

// parseCCUpdateUE1 reads a CC_Update of UE 1.0.1 into u; rest begins with the EtherType. u.VCs becomes the whole half
// of the channels whose counts the frame has. The only fault is FaultType, for another MAC Control frame.
func parseCCUpdateUE1(rest []byte, u *CCUpdate) Fault {
	id := binary.BigEndian.Uint32(rest[4:])
	half := int(id & 0xFF)
	if binary.BigEndian.Uint16(rest[2:]) != macControlExtension || id>>8 != uecCID || half != 1 && half != 2 {
		return FaultType
	}
	counts := u.Count[(half-1)*ccVCs:]
	for i, at := 0, ccCountsAt-2*AddrLen; i < ccVCs; i, at = i+2, at+5 {
		pair := uint64(rest[at])<<32 | uint64(binary.BigEndian.Uint32(rest[at+1:]))
		counts[i], counts[i+1] = uint32(pair>>20), uint32(pair)&SeqMask
	}
	u.VCs = 0xFFFF << ((half - 1) * ccVCs)
	return NoFault
}
