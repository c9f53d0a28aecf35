package decode

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"

	"uelink/wire"
)

// EtherTypes, the length of a VLAN tag in octets, and values in MAC Control frames: opcodes, and the company identifier
// in a CC_Update.
const (
	etherTypeIPv4 = 0x0800
	etherTypeIPv6 = 0x86DD
	tagLen        = 4

	ccOpcode = 0xFFFE // MAC Control: extension
	ccCID    = 0xFA7ACB

	opcodePause = 0x0001
	opcodePFC   = 0x0101
)

// ethernet decodes the Ethernet frame b and adds its layers. From its EtherType on, octet i of b is octet shift+i
// of the outermost frame; the addresses of a carried frame may be elsewhere. depth is how many levels of carried
// frames may still be decoded.
func (w *walker) ethernet(b []byte, shift, depth int) {
	if len(b) < wire.HeaderLen {
		w.fault("eth", fmt.Sprintf("truncated: a frame of %d octets", len(b)))
		return
	}
	title, kind, at := ethernetHeader(b)
	l := w.layer("eth", title, shift, at)
	l.add("eth.type", uint64(kind), "")
	switch {
	case kind == w.options.Data && at == wire.HeaderLen && depth > 0:
		w.data(b, shift, depth)
	case kind == w.options.Control && at == wire.HeaderLen:
		w.control(b, shift)
	case kind == wire.EtherTypeLLDP:
		w.lldp(b[at:], shift+at)
	case kind == wire.EtherTypeMACControl:
		w.macControl(b, at, shift)
	case kind == etherTypeIPv4 || kind == etherTypeIPv6:
		w.ip(b, at, shift, kind)
	}
}

// ethernetHeader reads the addresses and the VLAN tags of a frame of 14 octets or more; title has them as text.
// kind is the EtherType behind the last tag, and the payload begins at octet at.
func ethernetHeader(b []byte) (title string, kind uint16, at int) {
	kind, at = wire.EtherType(b), wire.HeaderLen
	title = fmt.Sprintf("Ethernet %s > %s", net.HardwareAddr(b[6:12]), net.HardwareAddr(b[:6]))
	for len(b) >= at+tagLen && (kind == 0x8100 || kind == 0x88A8 || kind == 0x9100) {
		title += fmt.Sprintf(", VLAN %d priority %d", binary.BigEndian.Uint16(b[at:])&wire.VIDMask, b[at]>>5)
		kind = binary.BigEndian.Uint16(b[at+2:])
		at += tagLen
	}
	return title, kind, at
}

// macControl decodes a MAC Control frame (CC_Update, PAUSE or PFC) and adds its layer. b begins with the Ethernet
// header; the opcode is at octet at of b, which is octet shift+at of the outermost frame.
func (w *walker) macControl(b []byte, at, shift int) {
	c := b[at:]
	if len(c) < 2 {
		w.fault("macc", "truncated")
		return
	}
	switch opcode := binary.BigEndian.Uint16(c); {
	case opcode == ccOpcode && len(c) >= 6 && binary.BigEndian.Uint32(c[2:])>>8 == ccCID:
		if l := w.table(ProtocolCBFC, &ccUpdateUE1, c, shift+at); l == nil {
			w.fault(ProtocolCBFC, "truncated")
		} else if half := c[5]; half != 1 && half != 2 {
			w.fault(ProtocolCBFC, "unknown type")
		}
	case opcode == opcodePause:
		w.table("macc", &pause, c, shift+at)
		w.pauseFault(b)
	case opcode == opcodePFC:
		w.table("macc", &pfc, c, shift+at)
		w.pauseFault(b)
	default:
		w.layer("macc", "MAC Control", shift+at, len(c)).add("macc.opcode", uint64(opcode), "")
	}
}

// pauseFault adds a fault to the decoded frame if the codec finds one in this PAUSE or PFC frame.
func (w *walker) pauseFault(frame []byte) {
	if _, fault := wire.ParsePFC(frame); fault != wire.NoFault {
		w.fault("macc", fault.String())
	}
}

// ip adds a layer with the addresses of an IP packet and decodes UET in the packet. b begins with the Ethernet
// header; the IP header is at octet at of b, which is octet shift+at of the outermost frame. kind is the
// EtherType.
func (w *walker) ip(b []byte, at, shift int, kind uint16) {
	switch ip := b[at:]; {
	case kind == etherTypeIPv4 && len(ip) >= 20:
		w.addresses("IPv4", ip[12:16], ip[16:20], ip[9], shift+at)
	case kind == etherTypeIPv6 && len(ip) >= 40:
		w.addresses("IPv6", ip[8:24], ip[24:40], ip[6], shift+at)
	}
	w.uet(b, shift)
}

// addresses adds a layer for an IP header, which begins at octet at of the outermost frame: the addresses as its title,
// and the number of the protocol that the packet carries.
func (w *walker) addresses(version string, source, destination []byte, protocol uint8, at int) {
	s, _ := netip.AddrFromSlice(source)
	d, _ := netip.AddrFromSlice(destination)
	l := w.layer("ip", fmt.Sprintf("%s %v > %v", version, s, d), at, 0)
	l.add("ip.proto", uint64(protocol), "")
}
