package wire

// Sizes of Ethernet, in octets, all without the FCS.
const (
	AddrLen     = 6
	HeaderLen   = 14 // DA, SA, EtherType
	MinFrameLen = 60
	FCSLen      = 4
)

// EtherTypes that the link knows.
const (
	EtherTypeData    uint16 = 0x88B5 // default of the shim data frame: IEEE 802 local experimental 1
	EtherTypeControl uint16 = 0x88B6 // default of the control frame: IEEE 802 local experimental 2
	EtherTypeLLDP    uint16 = 0x88CC
)

// MAC is an Ethernet address.
type MAC = [AddrLen]byte

// ControlDA is the destination of control frames: the nearest bridge group,
// which no bridge forwards.
var ControlDA = MAC{0x01, 0x80, 0xC2, 0x00, 0x00, 0x0E}

// EtherType is octets 12 and 13 of a frame of at least HeaderLen octets.
func EtherType(frame []byte) uint16 { return uint16(frame[12])<<8 | uint16(frame[13]) }

func putEtherType(frame []byte, t uint16) { frame[12], frame[13] = byte(t>>8), byte(t) }
