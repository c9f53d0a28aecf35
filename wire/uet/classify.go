package uet

import (
	"encoding/binary"

	"uelink/wire"
)

// Defaults of a Classifier. UET directly over IP has no assigned protocol number: 253 is the number
// for experiments (RFC 3692), used by the reference provider.
const (
	DefaultPort     uint16 = 4793
	DefaultProtocol uint8  = 253
)

// Class is the kind of packet in a frame.
type Class uint8

// The classes of packets.
const (
	NotUET          Class = iota // the frame has no UET, or a fragment, or a packet encrypted by IPsec
	Request                      // RUD, ROD, RUDI and UUD requests
	Acknowledgement              // ACK, NACK and RUDI responses
	Control                      // CTRL
	Secure                       // encrypted by TSS
	Unknown                      // UET of an unknown packet type, or truncated before the type
	numClasses
)

// String returns the class of a packet: none (no UET), request, acknowledgement, control, secure or unknown.
func (c Class) String() string {
	return [...]string{"none", "request", "acknowledgement", "control", "secure", "unknown", "?"}[min(c, numClasses)]
}

// classes are the classes of the known packet types.
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

// Summary is the result of Classify. The zero value is a frame without UET.
type Summary struct {
	Class   Class
	Type    uint8  // packet type of PDS, 0 to 31
	DSCP    uint8  // 0 to 63
	Trimmed bool   // the packet was trimmed: its DSCP says so, or UDP's length exceeds IP's
	Entropy bool   // UET is directly over IP: an entropy header precedes PDS
	Start   uint32 // octet of the frame where the packet begins: entropy, PDS or TSS
	PDS     uint32 // octet of the frame where PDS or TSS begins
	End     uint32 // octet of the frame after the packet: padding follows
}

// NewClassifier returns a Classifier with the default port and protocol number, and no DSCP of
// trimmed packets.
func NewClassifier() Classifier { return Classifier{Port: DefaultPort, Protocol: DefaultProtocol} }

// Numbers and lengths (octets) of the headers in front of UET: Ethernet, VLAN tags, IP and UDP.
const (
	etherTypeIPv4 = 0x0800
	etherTypeIPv6 = 0x86DD
	etherTypeVLAN = 0x8100
	etherTypeQinQ = 0x88A8
	etherTypeOld  = 0x9100 // pre-standard S-VLAN tags

	tagLen     = 4
	tagsMax    = 2  // maximum number of VLAN tags to skip
	ipv4Len    = 20 // without options
	ipv6Len    = 40
	udpLen     = 8
	entropyLen = 4

	protocolHopByHop    = 0
	protocolUDP         = 17
	protocolRouting     = 43
	protocolDestination = 60
	extensionsMax       = 8 // maximum number of IPv6 extension headers to skip
)

// Classify returns whether an Ethernet frame without FCS carries UET, and which kind of packet. It skips up to two
// VLAN tags, IPv4 options, and up to 8 extension headers of IPv6.
func (c *Classifier) Classify(frame []byte) Summary {
	if len(frame) < wire.HeaderLen+ipv4Len {
		return Summary{}
	}
	kind, at := binary.BigEndian.Uint16(frame[12:]), wire.HeaderLen
	if kind != etherTypeIPv4 {
		kind, at = skipTags(frame, kind)
	}
	var p payload
	var ok bool
	switch kind {
	case etherTypeIPv4:
		p, ok = c.ipv4(frame, at)
	case etherTypeIPv6:
		p, ok = c.ipv6(frame, at)
	}
	if !ok {
		return Summary{} // most frames without UET end here
	}
	return c.summary(frame[:p.end], p)
}

// payload is the payload of an IP packet, from an octet of the frame to the end of IP. It may be too short for its
// header. Methods return a payload where they could return a Summary, because a Summary is long: each call that returns
// one takes 10 ns.
type payload struct {
	at, end        int   // offsets in the frame of its first octet, and of the octet after its last
	protocol, dscp uint8 // IP protocol number and DSCP of the packet
}

// skipTags skips up to two VLAN tags of a frame. first is the frame's EtherType. kind is the EtherType after the
// tags, and at the offset of the octet after it.
func skipTags(frame []byte, first uint16) (kind uint16, at int) {
	kind, at = first, wire.HeaderLen
	for range tagsMax {
		if kind != etherTypeVLAN && kind != etherTypeQinQ && kind != etherTypeOld || len(frame) < at+tagLen {
			break
		}
		kind = binary.BigEndian.Uint16(frame[at+2:])
		at += tagLen
	}
	return kind, at
}

// mayBeUET reports whether an IP payload at offset at of the frame has UET's protocol number, or UDP with UET's
// port. Most frames without UET are rejected here, before more checks.
func (c *Classifier) mayBeUET(frame []byte, at int, protocol uint8) bool {
	if protocol != protocolUDP {
		return protocol == c.Protocol
	}
	return len(frame) >= at+udpLen && binary.BigEndian.Uint16(frame[at+2:]) == c.Port
}

// ipv4 parses an IPv4 packet at offset at of the frame and returns its UET payload; ok is false if it carries no
// UET.
func (c *Classifier) ipv4(frame []byte, at int) (p payload, ok bool) {
	if len(frame) < at+ipv4Len {
		return p, false
	}
	ip := frame[at:]
	head := int(ip[0]&0x0F) * 4
	if !c.mayBeUET(ip, head, ip[9]) {
		return p, false
	}
	total := int(binary.BigEndian.Uint16(ip[2:]))
	fragment := binary.BigEndian.Uint16(ip[6:])&0x3FFF != 0 // more fragments, or an offset
	if ip[0]>>4 != 4 || head < ipv4Len || total < head || total > len(ip) || fragment {
		return p, false
	}
	return payload{at: at + head, end: at + total, protocol: ip[9], dscp: ip[1] >> 2}, true
}

// ipv6 parses an IPv6 packet at offset at of the frame and returns its UET payload; ok is false if it carries no
// UET.
func (c *Classifier) ipv6(frame []byte, at int) (p payload, ok bool) {
	if len(frame) < at+ipv6Len {
		return p, false
	}
	ip := frame[at:]
	end := at + ipv6Len + int(binary.BigEndian.Uint16(ip[4:]))
	if ip[0]>>4 != 6 || end > len(frame) {
		return p, false
	}
	p = payload{end: end, protocol: ip[6], dscp: uint8(binary.BigEndian.Uint16(ip) >> 6 & 0x3F)}
	at += ipv6Len
	for range extensionsMax {
		if p.protocol != protocolHopByHop && p.protocol != protocolRouting && p.protocol != protocolDestination {
			p.at = at
			return p, c.mayBeUET(frame[:end], at, p.protocol) // fragments and IPsec have other protocol numbers
		}
		if end < at+8 {
			return p, false
		}
		p.protocol, at = frame[at], at+8+8*int(frame[at+1])
	}
	return p, false
}

// summary returns what Classify finds of a UET packet that mayBeUET has accepted: class, type, trimming and places. The
// frame is cut at the end of IP.
func (c *Classifier) summary(frame []byte, p payload) Summary {
	at, s := p.at, Summary{Class: Unknown, DSCP: p.dscp, Trimmed: c.Trimmed>>p.dscp&1 != 0}
	if p.protocol == protocolUDP {
		if len(frame) < at+udpLen {
			return Summary{}
		}
		end := at + int(binary.BigEndian.Uint16(frame[at+4:]))
		at += udpLen
		s.Start = uint32(at)
		if end > len(frame) {
			s.Trimmed = true // a trimming switch leaves UDP's length unchanged
		} else if end >= at {
			frame = frame[:end]
		}
	} else {
		s.Entropy, s.Start = true, uint32(min(at, len(frame)))
		at += entropyLen
	}
	s.PDS, s.End = uint32(min(at, len(frame))), uint32(len(frame))
	if len(frame) >= at+2 {
		s.Type = frame[at] >> 3
		if class := classes[s.Type]; class != NotUET {
			s.Class = class
		}
	}
	return s
}
