package wire

import "encoding/binary"

// Fields of the tag control information of an 802.1Q tag.
const (
	VIDMask  = 0x0FFF  // VLAN identifier; 0 in a priority tag
	DEIBit   = 1 << 12 // drop eligible
	PCPShift = 13      // priority, 0 to 7
)

// ParseVLAN reads the 802.1Q tag at the start of rest, if there is one, and returns its control information. rest
// is a frame after its addresses, at least 2 octets. Tags of other EtherTypes, such as a service provider's, are
// not read. FaultTruncated: the tag is incomplete, or no EtherType follows.
func ParseVLAN(rest []byte) (tci uint16, tagged bool, fault Fault) {
	if binary.BigEndian.Uint16(rest) != etherTypeCVLAN {
		return 0, false, NoFault
	}
	if len(rest) < VLANTagLen+2 {
		return 0, true, FaultTruncated
	}
	return binary.BigEndian.Uint16(rest[2:]), true, NoFault
}

// RetagOp is the kind of an edit of a frame's outer 802.1Q tag.
type RetagOp uint8

// The edits of an outer tag.
const (
	RetagKeep    RetagOp = iota // the frame stays unchanged
	RetagPush                   // a tag is inserted before the EtherType
	RetagPop                    // the tag is removed
	RetagReplace                // the tag's control information is replaced
)

// Retag is the edit of a frame's outer 802.1Q tag, done while the frame is copied. The zero Retag
// changes nothing. Pop and Replace require a frame in which ParseVLAN found a tag.
type Retag struct {
	Op  RetagOp
	TCI uint16 // tag control information for Push and Replace
}

// Len returns the length of a frame of n octets after the edit of its VLAN tag.
func (r Retag) Len(n int) int {
	switch r.Op {
	case RetagPush:
		return n + VLANTagLen
	case RetagPop:
		return n - VLANTagLen
	default:
		return n
	}
}

// Put copies a frame of at least HeaderLen octets into b with the edit of its VLAN tag, without padding, and
// returns the new length, Len. b and carried must not overlap.
func (r Retag) Put(b, carried []byte) int {
	n := r.Len(len(carried))
	b = b[:n:n]
	*(*Addresses)(b) = Addresses(carried)
	r.putRest(b[AddressesLen:], carried[AddressesLen:])
	return n
}

// putRest copies rest, the octets of a frame after its addresses, into b, with the edit of the VLAN tag: b is longer by
// a tag, shorter by a tag, or as long.
func (r Retag) putRest(b, rest []byte) {
	switch r.Op {
	case RetagPush:
		copy(b[VLANTagLen:], rest)
		binary.BigEndian.PutUint16(b, etherTypeCVLAN)
		binary.BigEndian.PutUint16(b[2:], r.TCI)
	case RetagPop:
		copy(b, rest[VLANTagLen:])
	case RetagReplace:
		copy(b, rest)
		binary.BigEndian.PutUint16(b[2:], r.TCI)
	default:
		copy(b, rest)
	}
}
