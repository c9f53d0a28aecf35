package lldp

import (
	"fmt"

	"uelink/wire"
)

// The destination group addresses of LLDP frames (802.1AB table 7-1), in the order of their reach,
// nearest first.
var (
	NearestBridge         = wire.MAC{0x01, 0x80, 0xC2, 0x00, 0x00, 0x0E}
	NearestNonTPMRBridge  = wire.MAC{0x01, 0x80, 0xC2, 0x00, 0x00, 0x03}
	NearestCustomerBridge = wire.MAC{0x01, 0x80, 0xC2, 0x00, 0x00, 0x00}
)

// DestinationName returns the name of a group address in a configuration: "nearest-bridge",
// "nearest-non-tpmr-bridge", "nearest-customer-bridge", or the address in hexadecimal for any
// other.
func DestinationName(da wire.MAC) string {
	switch da {
	case NearestBridge:
		return "nearest-bridge"
	case NearestNonTPMRBridge:
		return "nearest-non-tpmr-bridge"
	case NearestCustomerBridge:
		return "nearest-customer-bridge"
	}
	return macText(da)
}

// DestinationByName returns the LLDP group address with a name, one of the three that DestinationName gives. Any
// other name is an error.
func DestinationByName(name string) (wire.MAC, error) {
	for _, da := range [...]wire.MAC{NearestBridge, NearestNonTPMRBridge, NearestCustomerBridge} {
		if DestinationName(da) == name {
			return da, nil
		}
	}
	return wire.MAC{}, fmt.Errorf("destination %q is none of nearest-bridge, nearest-non-tpmr-bridge, "+
		"nearest-customer-bridge", name)
}

func macText(m wire.MAC) string {
	return fmt.Sprintf("%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4], m[5])
}

// MaxFrameLen is the length of the longest frame that an agent sends, in octets.
const MaxFrameLen = wire.HeaderLen + MaxPDULen

// The EtherType of a VLAN tag, and the tag's length in octets.
const (
	etherTypeVLAN = 0x8100
	vlanTagLen    = 4
)

// Frame is a received frame, parsed up to the LLDPDU.
type Frame struct {
	Destination, Source wire.MAC
	PDU                 []byte // the LLDPDU and any padding
}

// ParseFrame reads the Ethernet header of an LLDP frame, up to the LLDPDU. A VLAN tag before the EtherType is skipped:
// 802.1AB sends LLDPDUs untagged, but some adapters add a priority tag (VID 0), and some switches tag their native
// VLAN. The only fault is FaultHeader.
func ParseFrame(b []byte) (Frame, Fault) {
	if len(b) < wire.HeaderLen {
		return Frame{}, FaultHeader
	}
	f := Frame{Destination: wire.MAC(b), Source: wire.MAC(b[wire.AddrLen:])}
	t, payload := wire.EtherType(b), b[wire.HeaderLen:]
	if t == etherTypeVLAN && len(payload) >= vlanTagLen {
		t, payload = wire.EtherType(b[vlanTagLen:]), payload[vlanTagLen:]
	}
	if t != wire.EtherTypeLLDP {
		return Frame{}, FaultHeader
	}
	f.PDU = payload
	return f, NoFault
}

// AppendFrame appends an LLDP frame with the LLDPDU p, padded to the minimum length of an Ethernet frame without
// FCS, and returns the number of TLVs without room (PDU.Append).
func AppendFrame(b []byte, destination, source wire.MAC, p *PDU) (out []byte, leftOut int) {
	start := len(b)
	b = append(append(b, destination[:]...), source[:]...)
	b = append(b, byte(wire.EtherTypeLLDP>>8), byte(wire.EtherTypeLLDP&0xFF))
	b, leftOut = p.Append(b)
	for len(b)-start < wire.MinFrameLen {
		b = append(b, 0)
	}
	return b, leftOut
}
