package trim

import (
	"encoding/binary"
	"fmt"
	"net"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"uelink/wire"
)

// testSettings trims DSCP 8 to 16. Size is 0, so that the table alone says what stays.
func testSettings() *Settings {
	return &Settings{
		Trimmable: DSCPs(0).Including(8), Control: DSCPs(0).Including(46), DSCP: 16, RewriteIP: true,
		UDPPort: DefaultUDPPort, Protocol: DefaultProtocol,
	}
}

const (
	testDSCP = 8
	testECN  = 2 // ECT(0)
)

// row is a row of UE 1.0.1 table 4-1. What is not UET, or too deep inside, has none.
type row struct {
	name  string
	least int // octets of IP payload that have to stay; 0: it is not in the table
	build builder
}

// builder makes a payload of IP: headers, and n octets.
type builder func(t *testing.T, n int) (protocol layers.IPProtocol, payload []byte)

// rows is the table, and kinds of frames that it does not have.
func rows() []row {
	return []row{
		{"uet-ip", 20, uetIP},
		{"uet-udp-ip", 24, uetUDP},
		{"vxlan-uet-ipv4", 70, vxlan(false, uetIP)},
		{"vxlan-uet-ipv6", 90, vxlan(true, uetIP)}, // UE-LINK §6.2 lists IPv4 only
		{"vxlan-uet-udp-ipv4", 74, vxlan(false, uetUDP)},
		{"vxlan-uet-udp-ipv6", 94, vxlan(true, uetUDP)},
		{"tcp", 0, tcp},
		{"udp", 0, udpTo(53)},
		{"vxlan-tcp", 0, vxlan(false, tcp)},
		{"vxlan-vxlan-uet", 0, vxlan(false, vxlan(false, uetUDP))},
	}
}

// counted is n octets that differ.
func counted(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return b
}

// uetIP is UET over IP: entropy, PDS, and n octets.
func uetIP(_ *testing.T, n int) (layers.IPProtocol, []byte) {
	return DefaultProtocol, counted(entropyLen + pdsLen + n)
}

func uetUDP(t *testing.T, n int) (layers.IPProtocol, []byte) {
	return udpTo(DefaultUDPPort)(t, pdsLen+n)
}

// udpTo is UDP to a port, with a checksum as if it were for other addresses: nobody looks.
func udpTo(port layers.UDPPort) builder {
	return func(t *testing.T, n int) (layers.IPProtocol, []byte) {
		header := &layers.UDP{SrcPort: 49152, DstPort: port, Checksum: 0xBEEF}
		return layers.IPProtocolUDP, octets(t, header, gopacket.Payload(counted(n)))
	}
}

func tcp(t *testing.T, n int) (layers.IPProtocol, []byte) {
	header := &layers.TCP{SrcPort: 1, DstPort: 2, ACK: true, Seq: 3, Window: 4}
	return layers.IPProtocolTCP, octets(t, header, gopacket.Payload(counted(n)))
}

// vxlan is a frame of Ethernet in UDP.
func vxlan(six bool, inner builder) builder {
	return func(t *testing.T, n int) (layers.IPProtocol, []byte) {
		protocol, payload := inner(t, n)
		carried := shape{six: six, dscp: 0}.frame(t, protocol, payload)
		header := &layers.UDP{SrcPort: 49153, DstPort: vxlanPort}
		return layers.IPProtocolUDP, octets(t, header, &layers.VXLAN{ValidIDFlag: true, VNI: 77}, gopacket.Payload(carried))
	}
}

// shape is what is around the payload of IP.
type shape struct {
	six     bool
	tags    int
	dscp    uint8
	options bool // options of IPv4, a hop-by-hop header of IPv6
}

// String is the shape's name.
func (s shape) String() string {
	return fmt.Sprintf("ipv%d-tags%d", map[bool]int{false: 4, true: 6}[s.six], s.tags)
}

// shapes is IPv4 and IPv6 behind 0 to 2 VLAN tags.
func shapes() (list []shape) {
	for _, six := range []bool{false, true} {
		for tags := range tagsMax + 1 {
			list = append(list, shape{six: six, tags: tags, dscp: testDSCP})
		}
	}
	return list
}

// frame has gopacket write a frame: addresses, tags, IP and its payload.
func (s shape) frame(t *testing.T, protocol layers.IPProtocol, payload []byte) []byte {
	t.Helper()
	types := []layers.EthernetType{layers.EthernetTypeIPv4}
	if s.six {
		types[0] = layers.EthernetTypeIPv6
	}
	for i := range s.tags {
		types = append(types, []layers.EthernetType{layers.EthernetTypeDot1Q, layers.EthernetTypeQinQ}[i])
	}
	ethernet := &layers.Ethernet{
		DstMAC: net.HardwareAddr{2, 0, 0, 0, 0, 1}, SrcMAC: net.HardwareAddr{2, 0, 0, 0, 0, 2}, EthernetType: types[s.tags],
	}
	list := []gopacket.SerializableLayer{ethernet}
	for i := range s.tags {
		list = append(list, &layers.Dot1Q{Priority: 3, VLANIdentifier: uint16(100 + i), Type: types[s.tags-1-i]})
	}
	ip := octets(t, append(s.ip(protocol), gopacket.Payload(payload))...)
	f := octets(t, append(list, gopacket.Payload(ip))...)
	return f[:addressesLen+tagLen*s.tags+2+len(ip)] // without the padding of Ethernet
}

// ip is the headers of IP.
func (s shape) ip(protocol layers.IPProtocol) []gopacket.SerializableLayer {
	if !s.six {
		ip := &layers.IPv4{
			Version: 4, TTL: 64, Id: 4711, Flags: layers.IPv4DontFragment, TOS: s.dscp<<2 | testECN, Protocol: protocol,
			SrcIP: net.IPv4(192, 0, 2, 1), DstIP: net.IPv4(192, 0, 2, 2),
		}
		if s.options { // router alert
			ip.Options = []layers.IPv4Option{{OptionType: 148, OptionLength: 4, OptionData: []byte{0, 0}}}
		}
		return []gopacket.SerializableLayer{ip}
	}
	ip := &layers.IPv6{
		Version: 6, HopLimit: 64, FlowLabel: 0xFEDCB, TrafficClass: s.dscp<<2 | testECN, NextHeader: protocol,
		SrcIP: net.ParseIP("2001:db8::1"), DstIP: net.ParseIP("2001:db8::2"),
	}
	if !s.options {
		return []gopacket.SerializableLayer{ip}
	}
	ip.NextHeader = hopByHop
	return []gopacket.SerializableLayer{ip, gopacket.Payload([]byte{byte(protocol), 0, 5, 2, 0, 0, 1, 0})}
}

// octets has gopacket write layers, with their lengths and the checksum of IPv4.
func octets(t *testing.T, list ...gopacket.SerializableLayer) []byte {
	t.Helper()
	buffer := gopacket.NewSerializeBuffer()
	for i := len(list) - 1; i >= 0; i-- {
		_, isIP := list[i].(*layers.IPv4)
		o := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: isIP}
		if err := list[i].SerializeTo(buffer, o); err != nil {
			t.Fatal(err)
		}
	}
	return buffer.Bytes()
}

// payloadAt is where the payload of IP begins in a frame of a shape.
func (s shape) payloadAt() int {
	at := addressesLen + tagLen*s.tags + 2 + ipv4Len
	if s.six {
		at += ipv6Len - ipv4Len
	}
	switch {
	case s.options && s.six:
		return at + 8
	case s.options:
		return at + 4
	}
	return at
}

// trimmed is what a frame has become.
func (s *Settings) trimmed(t *testing.T, f []byte) []byte {
	t.Helper()
	p, ok := s.PlanFor(f)
	if !ok {
		t.Fatalf("not to be trimmed: %x", f)
	}
	out := make([]byte, p.Len)
	if n := s.Put(out, f, p, s.DSCP, wire.Retag{}); n != p.Len {
		t.Fatalf("%d octets, want %d", n, p.Len)
	}
	return out
}

// checksumRight reports whether the checksum of the IPv4 header at ip is right (RFC 791 §3.1).
func checksumRight(f []byte, ip int) bool {
	sum := uint32(0)
	for at := ip; at < ip+int(f[ip]&15)*4; at += 2 {
		sum += uint32(binary.BigEndian.Uint16(f[at:]))
	}
	for sum > 0xFFFF {
		sum = sum>>16 + sum&0xFFFF
	}
	return sum == 0xFFFF
}
