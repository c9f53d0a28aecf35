package wire

import "encoding/binary"

// Fields of the tag control information of an 802.1Q tag.
const (
	VIDMask  = 0x0FFF  // VLAN identifier; 0 in a priority tag, which names no VLAN
	DEIBit   = 1 << 12 // drop eligible
	PCPShift = 13      // priority, 0 to 7
)

// ParseVLAN reads the 802.1Q tag with which the octets of a frame behind its addresses may
// begin. There are at least 2 of them. A tag of another EtherType, as that of a service
// provider, is no tag here. FaultTruncated: there is a tag, but not all of it, or no
// EtherType behind it.
func ParseVLAN(rest []byte) (tci uint16, tagged bool, fault Fault) {
	if binary.BigEndian.Uint16(rest) != etherTypeCVLAN {
		return 0, false, NoFault
	}
	if len(rest) < VLANTagLen+2 {
		return 0, true, FaultTruncated
	}
	return binary.BigEndian.Uint16(rest[2:]), true, NoFault
}

// RetagOp says what becomes of the outer 802.1Q tag of a frame.
type RetagOp uint8

// What may become of it.
const (
	RetagKeep    RetagOp = iota // the frame stays as it is
	RetagPush                   // a tag is put before its EtherType
	RetagPop                    // its tag is taken away
	RetagReplace                // its tag gets other control information
)

// Retag is the edit of a frame's outer 802.1Q tag, done while the frame is copied. The zero
// Retag leaves it alone. Pop and Replace are for a frame in which ParseVLAN has found a tag.
type Retag struct {
	Op  RetagOp
	TCI uint16 // of the tag that Push and Replace write
}

// Len is the length that a frame of n octets has after the edit.
func (r Retag) Len(n int) int {
	switch r.Op {
	case RetagPush:
		return n + VLANTagLen
	case RetagPop:
		return n - VLANTagLen
	}
	return n
}

// Put copies a frame of at least HeaderLen octets into b with the edit done, and returns its
// length, Len. It is not padded. b and carried may not overlap.
func (r Retag) Put(b, carried []byte) int {
	n := r.Len(len(carried))
	b = b[:n:n]
	*(*Addresses)(b) = Addresses(carried)
	r.putRest(b[AddressesLen:], carried[AddressesLen:])
	return n
}

// putRest is Put for what is behind the addresses.
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
