package wire

import "encoding/binary"

// Sizes of Ethernet, in octets, all without the FCS.
const (
	AddrLen     = 6
	HeaderLen   = 14 // DA, SA, EtherType
	MinFrameLen = 60
	FCSLen      = 4
)

// EtherTypes used on the link.
const (
	EtherTypeData    uint16 = 0x88B5 // default of the shim data frame: IEEE 802 local experimental 1
	EtherTypeControl uint16 = 0x88B6 // default of the control frame: IEEE 802 local experimental 2
	EtherTypeLLDP    uint16 = 0x88CC
	EtherTypeARP     uint16 = 0x0806

	EtherTypeMACControl uint16 = 0x8808 // PAUSE, PFC

	etherTypeCVLAN uint16 = 0x8100 // IEEE 802.1Q tags
	etherTypeSVLAN uint16 = 0x88A8
	etherTypeQinQ  uint16 = 0x9100 // pre-standard S-VLAN tags
)

// VLANTagLen is the length of a VLAN tag, octets.
const VLANTagLen = 4

// vlanTagsMax is the maximum number of VLAN tags that TrueType skips.
const vlanTagsMax = 2

// MAC is an Ethernet address.
type MAC = [AddrLen]byte

// ControlDA is the destination of control frames: the nearest bridge group, which no bridge
// forwards.
var ControlDA = MAC{0x01, 0x80, 0xC2, 0x00, 0x00, 0x0E}

// DiscoveryDA is the destination of control frames on an addressed link with an unknown partner: a
// locally administered group address, which bridges forward.
var DiscoveryDA = MAC{0x03, 0x75, 0x65, 0x6C, 0x6E, 0x6B}

// EtherType returns octets 12 and 13 of a frame of at least HeaderLen octets.
func EtherType(frame []byte) uint16 { return uint16(frame[12])<<8 | uint16(frame[13]) }

// putEtherType writes t as the EtherType, octets 12 and 13, of a frame.
func putEtherType(frame []byte, t uint16) { frame[12], frame[13] = byte(t>>8), byte(t) }

// TrueType returns the EtherType after up to two VLAN tags of a frame of at least HeaderLen octets.
// If the frame ends with a tag, TrueType returns the tag's EtherType.
func TrueType(frame []byte) uint16 {
	t := EtherType(frame)
	end := min(len(frame), HeaderLen+vlanTagsMax*VLANTagLen)
	for at := HeaderLen + VLANTagLen; isVLAN(t) && at <= end; at += VLANTagLen {
		t = binary.BigEndian.Uint16(frame[at-2:])
	}
	return t
}

// isVLAN reports whether an EtherType is that of a VLAN tag.
func isVLAN(t uint16) bool { return t == etherTypeCVLAN || t == etherTypeSVLAN || t == etherTypeQinQ }

// reserved is the group addresses 01-80-C2-00-00-00 to 0F (IEEE 802.1Q table 8-1), which do not
// leave a link; the last four bits are free.
const reserved = 0x0180C2_000000

// Reserved reports whether the DA of a frame of at least HeaderLen octets is a group address that
// does not leave a link: bridges on the way may keep the frame.
func Reserved(frame []byte) bool {
	return binary.BigEndian.Uint64(frame)>>16&^0xF == reserved
}

// MACControl reports whether a frame of at least HeaderLen octets is for the MAC at the other end
// of its link (PAUSE, PFC), by EtherType or address. Such a frame is never forwarded.
func MACControl(frame []byte) bool {
	return TrueType(frame) == EtherTypeMACControl || binary.BigEndian.Uint64(frame)>>16 == reserved+1
}
