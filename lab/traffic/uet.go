package traffic

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"uelink/wire"
	"uelink/wire/layout"
	"uelink/wire/uet"
)

// everyKind stands for all kinds of UET packets of a dialect.
const everyKind = "all"

// maxKinds is above the number of kinds of any dialect.
const maxKinds = 32

// UET makes the frames Ultra Ethernet Transport over IPv4. The zero value is plain frames.
type UET struct {
	// Kinds of packets: names of the header under test, as in package uet, or "all". Each kind is a flow, so its loss
	// and order are counted separately.
	Kinds   []string
	Dialect wire.Dialect
	OverIP  bool  // UET is directly over IP, protocol 253, with the entropy header; else in UDP, port 4793
	DSCP    uint8 // 0..63
}

// kinds returns the header under test of each kind of packet to send; a single nil for plain frames. Errors: a
// kind unknown in the dialect, a kind given twice, a DSCP above 63.
func (u *UET) kinds() ([]*uet.Format, error) {
	all := uet.Kinds(u.Dialect)
	switch {
	case u.DSCP > 63:
		return nil, fmt.Errorf("DSCP %d: want 0 to 63", u.DSCP)
	case len(u.Kinds) == 0 && (u.Dialect != 0 || u.OverIP || u.DSCP != 0):
		return nil, errors.New("a dialect, a DSCP or IP without UDP is for UET packets: name their kinds with --uet")
	case len(u.Kinds) == 0:
		return []*uet.Format{nil}, nil
	case len(u.Kinds) == 1 && u.Kinds[0] == everyKind:
		return all, nil
	}
	var list []*uet.Format
	for _, name := range u.Kinds {
		i := slices.IndexFunc(all, func(f *uet.Format) bool { return f.Name == name })
		if i < 0 || slices.Contains(list, all[i]) {
			return nil, fmt.Errorf("UET kind %q is unknown or given twice: dialect %v has %s, and %s for every kind",
				name, u.Dialect, strings.Join(kindNames(u.Dialect), ", "), everyKind)
		}
		list = append(list, all[i])
	}
	return list, nil
}

// kindNames returns the names of all kinds of UET packets in a dialect.
func kindNames(d wire.Dialect) (names []string) {
	for _, f := range uet.Kinds(d) {
		names = append(names, f.Name)
	}
	return names
}

// Addresses of the two ends: of the network for benchmarks (RFC 2544, appendix C.2.2).
var addresses = [2][4]byte{{198, 18, 0, 1}, {198, 18, 0, 2}}

// Values of the headers in front of UET, and lengths of headers in octets.
const (
	etherTypeIPv4 = 0x0800
	ipv4Len       = 20
	udpLen        = 8
	protocolUDP   = 17
	firstFlowPort = 0xC000 // first of the dynamic ports; networks spread flows by the source port
)

// packet is the head of a UET packet's frame, up to and including the 6 octets that mark a frame of this program
// (identity). Some fields depend on the length and the number of a frame.
type packet struct {
	head    []byte
	ip      int     // index of the octet where IPv4 begins
	sum     uint32  // sum of the 16-bit words of the IPv4 header without its length, for the checksum
	udp     int     // index of the octet where UDP begins; 0: no UDP
	payload int     // index of the octet where the payload of UET begins
	numbers []place // fields with the number of the frame
	lengths []place // fields with the length of the payload, octets
}

// place is a field of one of the headers in packet.head.
type place struct {
	header layout.Header
	field  *layout.Field
}

// newPacket makes the headers that all packets of one kind begin with. link is the addresses and the VLAN tags;
// from is the sending end, 0 or 1. The UDP source port or the entropy comes from the stream, so that networks
// spread the flows.
func newPacket(link []byte, u UET, kind *uet.Format, from int, stream uint32) *packet {
	p := &packet{head: binary.BigEndian.AppendUint16(slices.Clone(link), etherTypeIPv4)}
	p.ip = len(p.head)
	protocol, headers := uint8(protocolUDP), kind.Build(u.Dialect)
	if u.OverIP {
		protocol = uet.DefaultProtocol
	}
	p.putIPv4(protocol, u.DSCP, from)
	p.putSpread(u.OverIP, firstFlowPort|uint16(stream)&^firstFlowPort)
	at := len(p.head)
	for _, h := range headers {
		p.head = append(p.head, h.Octets...)
	}
	p.payload = len(p.head)
	p.head = append(p.head, identity...)
	for _, h := range headers {
		h.Octets = p.head[at : at+len(h.Octets)]
		at += len(h.Octets)
		p.places(h)
	}
	return p
}

// putIPv4 appends the IPv4 header to the packet's head, without its length and its checksum. from is the sending
// end, 0 or 1.
func (p *packet) putIPv4(protocol, dscp uint8, from int) {
	const version, dontFragment, hops = 0x45, 0x4000, 64
	h := make([]byte, ipv4Len)
	h[0], h[1], h[8], h[9] = version, dscp<<2, hops, protocol
	binary.BigEndian.PutUint16(h[6:], dontFragment)
	copy(h[12:], addresses[from][:])
	copy(h[16:], addresses[1-from][:])
	for i := 0; i < ipv4Len; i += 2 {
		p.sum += uint32(binary.BigEndian.Uint16(h[i:]))
	}
	p.head = append(p.head, h...)
}

// putSpread appends the header by which networks spread flows to the packet's head: the entropy header if overIP,
// else UDP without its length. spread is the entropy, or the UDP source port. UDP over IPv4 needs no checksum.
func (p *packet) putSpread(overIP bool, spread uint16) {
	if overIP {
		p.head = append(binary.BigEndian.AppendUint16(p.head, spread), 0, 0)
		return
	}
	p.udp = len(p.head)
	p.head = binary.BigEndian.AppendUint16(p.head, spread)
	p.head = binary.BigEndian.AppendUint16(p.head, uet.DefaultPort)
	p.head = append(p.head, 0, 0, 0, 0)
}

// places remembers which fields of a header depend on the frame: its number, and the length of its payload.
func (p *packet) places(h uet.Header) {
	if f := h.Counter(); f != nil {
		p.numbers = append(p.numbers, place{h.Header, f})
	}
	if f := h.PayloadLength(); f != nil {
		p.lengths = append(p.lengths, place{h.Header, f})
	}
}

// headOf returns the headers of the frame with a length and a number: it writes both, and the checksum of the IP
// header, into the packet's head. The result is valid until the next call.
func (p *packet) headOf(length int, number uint64) []byte {
	total := uint16(length - p.ip)
	sum := p.sum + uint32(total)
	for sum > 0xFFFF {
		sum = sum>>16 + sum&0xFFFF
	}
	binary.BigEndian.PutUint16(p.head[p.ip+2:], total)
	binary.BigEndian.PutUint16(p.head[p.ip+10:], ^uint16(sum))
	if p.udp > 0 {
		binary.BigEndian.PutUint16(p.head[p.udp+4:], uint16(length-p.udp))
	}
	for _, n := range p.numbers {
		n.header.Set(n.field, number)
	}
	for _, l := range p.lengths {
		l.header.Set(l.field, min(uint64(length-p.payload), l.field.Max()))
	}
	return p.head
}
