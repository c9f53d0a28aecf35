package uet

import (
	"encoding/binary"

	"uelink/wire"
)

// Defaults of a Classifier. The number of UET directly over IP is not assigned: 253 is the one
// for experiments (RFC 3692), which the reference provider uses.
const (
	DefaultPort     uint16 = 4793
	DefaultProtocol uint8  = 253
)

// Class is what kind of packet a frame carries.
type Class uint8

// The classes.
const (
	NotUET          Class = iota // or a fragment, or encrypted by IPsec: left alone
	Request                      // RUD, ROD, RUDI and UUD requests
	Acknowledgement              // ACK, NACK and RUDI responses
	Control                      // CTRL
	Secure                       // behind TSS
	Unknown                      // UET of an unknown type, or cut before its type
	numClasses
)

// String is the class in a word.
func (c Class) String() string {
	return [...]string{"none", "request", "acknowledgement", "control", "secure", "unknown", "?"}[min(c, numClasses)]
}

// classes is the class of each packet type that is known.
var classes = [32]Class{
	typeSecurity: Secure, typeRUDReq: Request, typeRODReq: Request, typeRUDIReq: Request, typeRUDIResp: Acknowledgement,
	typeUUDReq: Request, typeACK: Acknowledgement, typeACKCC: Acknowledgement, typeACKCCX: Acknowledgement,
	typeNACK: Acknowledgement, typeCTRL: Control, typeNACKCCX: Acknowledgement, typeRUDCCReq: Request,
	typeRODCCReq: Request,
}

// Classifier finds UET packets in Ethernet frames.
type Classifier struct {
	Port     uint16 // UDP destination port
	Protocol uint8  // IP protocol number of UET directly over IP
	Trimmed  uint64 // DSCPs of trimmed packets: bit n is DSCP n
}

// Summary is what a Classifier finds. Its zero value is a frame that is no UET.
type Summary struct {
	Class   Class
	Type    uint8  // of PDS, 0 to 31
	DSCP    uint8  // 0 to 63
	Trimmed bool   // by its DSCP, or because UDP tells of more than IP has
	Entropy bool   // UET directly over IP: the entropy header is before PDS
	Start   uint32 // octet of the frame at which the packet begins: entropy, PDS or TSS
	PDS     uint32 // octet of the frame at which PDS or TSS begins
	End     uint32 // octet of the frame behind the packet: what follows is padding
}

// NewClassifier has the default port and protocol number and knows no DSCP of trimmed packets.
func NewClassifier() Classifier { return Classifier{Port: DefaultPort, Protocol: DefaultProtocol} }

const (
	etherTypeIPv4 = 0x0800
	etherTypeIPv6 = 0x86DD
	etherTypeVLAN = 0x8100
	etherTypeQinQ = 0x88A8
	etherTypeOld  = 0x9100 // S-VLAN tags of before the standard

	tagLen     = 4
	tagsMax    = 2
	ipv4Len    = 20
	ipv6Len    = 40
	udpLen     = 8
	entropyLen = 4

	protocolHopByHop    = 0
	protocolUDP         = 17
	protocolRouting     = 43
	protocolDestination = 60
	extensionsMax       = 8 // extension headers of IPv6 that are looked through
)

// Classify finds out what an Ethernet frame without FCS is. It looks through up to two VLAN tags,
// through IPv4 options, and through up to 8 extension headers of IPv6.
func (c *Classifier) Classify(frame []byte) Summary {
	if len(frame) < wire.HeaderLen {
		return Summary{}
	}
	kind := binary.BigEndian.Uint16(frame[12:])
	at := wire.HeaderLen
	for range tagsMax {
		if kind == etherTypeIPv4 || kind != etherTypeVLAN && kind != etherTypeQinQ && kind != etherTypeOld ||
			len(frame) < at+tagLen {
			break
		}
		kind = binary.BigEndian.Uint16(frame[at+2:])
		at += tagLen
	}
	switch kind {
	case etherTypeIPv4:
		return c.ipv4(frame, at)
	case etherTypeIPv6:
		return c.ipv6(frame, at)
	}
	return Summary{}
}

// ipv4 looks into a packet of IPv4 that begins at an octet of the frame.
func (c *Classifier) ipv4(frame []byte, at int) Summary {
	if len(frame) < at+ipv4Len {
		return Summary{}
	}
	ip := frame[at:]
	if ip[9] != protocolUDP && ip[9] != c.Protocol {
		return Summary{} // most frames of others end here
	}
	head := int(ip[0]&0x0F) * 4
	total := int(binary.BigEndian.Uint16(ip[2:]))
	fragment := binary.BigEndian.Uint16(ip[6:])&0x3FFF != 0 // more fragments, or an offset
	if ip[0]>>4 != 4 || head < ipv4Len || total < head || total > len(ip) || fragment {
		return Summary{}
	}
	return c.upper(frame[:at+total], at+head, ip[9], ip[1]>>2)
}

// ipv6 looks into a packet of IPv6 that begins at an octet of the frame.
func (c *Classifier) ipv6(frame []byte, at int) Summary {
	if len(frame) < at+ipv6Len {
		return Summary{}
	}
	ip := frame[at:]
	total := ipv6Len + int(binary.BigEndian.Uint16(ip[4:]))
	if ip[0]>>4 != 6 || total > len(ip) {
		return Summary{}
	}
	next, frame := ip[6], frame[:at+total]
	dscp := uint8(binary.BigEndian.Uint16(ip) >> 6 & 0x3F)
	at += ipv6Len
	for range extensionsMax {
		if next != protocolHopByHop && next != protocolRouting && next != protocolDestination {
			return c.upper(frame, at, next, dscp) // a fragment or IPsec is none of ours
		}
		if len(frame) < at+8 {
			return Summary{}
		}
		next, at = frame[at], at+8+8*int(frame[at+1])
	}
	return Summary{}
}

// upper looks at what IP carries: frame ends where IP does, and the header that follows it is
// at an octet, where the frame may have ended before.
func (c *Classifier) upper(frame []byte, at int, protocol, dscp uint8) Summary {
	trimmed, start := false, at
	switch {
	case protocol == protocolUDP:
		if len(frame) < at+udpLen || binary.BigEndian.Uint16(frame[at+2:]) != c.Port {
			return Summary{}
		}
		length := int(binary.BigEndian.Uint16(frame[at+4:]))
		if length > len(frame)-at {
			trimmed = true // a switch that trims leaves UDP as it was
		} else if length >= udpLen {
			frame = frame[:at+length]
		}
		at += udpLen
		start = at
	case protocol == c.Protocol:
		at += entropyLen
	default:
		return Summary{}
	}
	s := Summary{Class: Unknown, DSCP: dscp, Trimmed: trimmed || c.Trimmed>>dscp&1 != 0, Entropy: start != at,
		Start: uint32(min(start, len(frame))), PDS: uint32(min(at, len(frame))), End: uint32(len(frame))}
	if len(frame) >= at+2 {
		s.Type = frame[at] >> 3
		if class := classes[s.Type]; class != NotUET {
			s.Class = class
		}
	}
	return s
}
