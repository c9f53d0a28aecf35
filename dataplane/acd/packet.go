package acd

import (
	"encoding/binary"

	"uelink/wire"
)

// Packet is an ARP packet that says who uses an IPv4 address: its sender.
type Packet struct {
	IP     uint32   // of the sender
	MAC    wire.MAC // hardware address of the sender
	Target uint32   // IP address of the target
	Kind   Kind
}

// Kind is the kind of an ARP packet, by what it shows of its sender.
type Kind uint8

// The kinds.
const (
	Asks      Kind = iota // a request: the sender speaks in its own name
	Announces             // the sender asks for, or answers with, its own address: a gratuitous ARP
	Answers               // a reply; perhaps of a proxy, which answers in the name of others
)

// Layout of an ARP packet for IPv4 over Ethernet (RFC 826), behind the EtherType.
const (
	packetLen = 28
	atOp      = 6
	atMAC     = 8
	atIP      = 14
	atTarget  = 24

	fixed   = 0x0001_0800_0604 // hardware Ethernet, protocol IPv4, lengths 6 and 4
	request = 1
	reply   = 2
)

// Parse reads an ARP packet, the octets behind the EtherType. ok is false if the packet is not of IPv4 over Ethernet,
// or names no user of an address: a probe (RFC 5227 1.1) has no sender, and nobody owns the address of a group.
func Parse(b []byte) (p Packet, ok bool) {
	if len(b) < packetLen || binary.BigEndian.Uint64(b)>>16 != fixed {
		return p, false
	}
	p.IP, p.MAC = binary.BigEndian.Uint32(b[atIP:]), wire.MAC(b[atMAC:])
	p.Target = binary.BigEndian.Uint32(b[atTarget:])
	op := binary.BigEndian.Uint16(b[atOp:])
	switch {
	case p.Target == p.IP:
		p.Kind = Announces
	case op == reply:
		p.Kind = Answers
	}
	return p, (op == request || op == reply) && unicast(p.IP) && p.MAC != wire.MAC{} && p.MAC[0]&1 == 0
}

// unicast reports whether an IPv4 address can be that of a host on a network: not 0.0.0.0/8, loopback, multicast,
// reserved or broadcast.
func unicast(ip uint32) bool { return ip>>24 != 0 && ip>>24 != 127 && ip>>24 < 224 }
