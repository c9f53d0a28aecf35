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
	if len(frame) < wire.HeaderLen+ipv4Len {
		return Summary{}
	}
	kind, at := binary.BigEndian.Uint16(frame[12:]), wire.HeaderLen
	if kind != etherTypeIPv4 {
		kind, at = behindTags(frame, kind)
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
		return Summary{} // most frames of others end here
	}
	return c.summary(frame[:p.end], p)
}

// payload is what IP carries, from an octet of the frame to where IP ends. It may be too short for its header.
// It is handed on in place of a Summary, which is long: each call that returns one takes 10 ns.
type payload struct {
	at, end        int
	protocol, dscp uint8
}

// behindTags looks through VLAN tags, of which the first would be the EtherType of the frame. at is where
// what has the EtherType kind begins.
func behindTags(frame []byte, first uint16) (kind uint16, at int) {
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

// mayBe tells whether what IP carries, which begins at an octet of the frame, has the protocol number and the
// port of UET. Most frames of others end here, before more is looked at.
func (c *Classifier) mayBe(frame []byte, at int, protocol uint8) bool {
	if protocol != protocolUDP {
		return protocol == c.Protocol
	}
	return len(frame) >= at+udpLen && binary.BigEndian.Uint16(frame[at+2:]) == c.Port
}

// ipv4 looks into a packet of IPv4 that begins at an octet of the frame; ok is false where it is no UET.
func (c *Classifier) ipv4(frame []byte, at int) (p payload, ok bool) {
	if len(frame) < at+ipv4Len {
		return p, false
	}
	ip := frame[at:]
	head := int(ip[0]&0x0F) * 4
	if !c.mayBe(ip, head, ip[9]) {
		return p, false
	}
	total := int(binary.BigEndian.Uint16(ip[2:]))
	fragment := binary.BigEndian.Uint16(ip[6:])&0x3FFF != 0 // more fragments, or an offset
	if ip[0]>>4 != 4 || head < ipv4Len || total < head || total > len(ip) || fragment {
		return p, false
	}
	return payload{at: at + head, end: at + total, protocol: ip[9], dscp: ip[1] >> 2}, true
}

// ipv6 looks into a packet of IPv6 that begins at an octet of the frame; ok is false where it is no UET.
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
			return p, c.mayBe(frame[:end], at, p.protocol) // a fragment or IPsec is none of ours
		}
		if end < at+8 {
			return p, false
		}
		p.protocol, at = frame[at], at+8+8*int(frame[at+1])
	}
	return p, false
}

// summary is what is known of a packet of which mayBe is true. The frame ends where IP does.
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
			s.Trimmed = true // a switch that trims leaves UDP as it was
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
