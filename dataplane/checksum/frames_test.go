package checksum

import (
	"encoding/binary"
	"net"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// sample is a frame whose checksums gopacket has computed, and the place of the checksum that a host leaves
// unfinished: that of the last transport header.
type sample struct {
	name     string
	octets   []byte
	at       int // of the segment: transport header and payload
	end      int // of the segment
	protocol layers.IPProtocol
	from, to net.IP // of the pseudo header
}

// header is a layer that gopacket serializes.
type header = gopacket.SerializableLayer

// The addresses of the samples.
var (
	from4, to4 = net.IP{10, 9, 0, 1}, net.IP{10, 9, 0, 2}
	from6, to6 = net.ParseIP("fd09::1"), net.ParseIP("fd09::2")
	via6       = net.ParseIP("fd09::3")
)

// network is the part of a frame that the checksum of the transport depends on.
type network struct {
	headers  []header              // from Ethernet to IP and its extensions
	ip       gopacket.NetworkLayer // for gopacket's checksum
	from, to net.IP
}

// ethernet is an Ethernet header without the padding that gopacket adds to short frames.
func ethernet(t layers.EthernetType) gopacket.Payload {
	return binary.BigEndian.AppendUint16([]byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1}, uint16(t))
}

func ipv4(protocol layers.IPProtocol) *layers.IPv4 {
	return &layers.IPv4{Version: 4, TTL: 64, Id: 4711, Flags: layers.IPv4DontFragment, Protocol: protocol, SrcIP: from4,
		DstIP: to4}
}

func ipv6(next layers.IPProtocol) *layers.IPv6 {
	return &layers.IPv6{Version: 6, HopLimit: 64, NextHeader: next, SrcIP: from6, DstIP: to6}
}

func over4(protocol layers.IPProtocol, before ...header) network {
	ip := ipv4(protocol)
	return network{headers: append(before, ip), ip: ip, from: from4, to: to4}
}

func over6(protocol layers.IPProtocol, before ...header) network {
	ip := ipv6(protocol)
	return network{headers: append(before, ip), ip: ip, from: from6, to: to6}
}

// routed is IPv6 with a routing header, in front of a transport: the packet is under way to via6, and goes to to6.
func routed(protocol layers.IPProtocol, kind uint8, left uint8, addresses ...net.IP) network {
	n := over6(protocol, ethernet(layers.EthernetTypeIPv6))
	n.headers[1].(*layers.IPv6).NextHeader = layers.IPProtocolIPv6Routing
	if left > 0 {
		outer := *n.ip.(*layers.IPv6)
		outer.DstIP = via6
		n.headers[1] = &outer
	}
	routing := []byte{byte(protocol), byte(2 * len(addresses)), kind, left, byte(max(len(addresses), 1) - 1), 0, 0, 0}
	for _, a := range addresses {
		routing = append(routing, a...)
	}
	n.headers = append(n.headers, gopacket.Payload(routing))
	return n
}

// extended is IPv6 with two extension headers of options, in front of a transport.
func extended(protocol layers.IPProtocol) network {
	n := over6(layers.IPProtocolIPv6HopByHop, ethernet(layers.EthernetTypeIPv6))
	n.headers = append(n.headers, gopacket.Payload{byte(layers.IPProtocolIPv6Destination), 1, 1, 12, 15: 0},
		gopacket.Payload{byte(protocol), 0, 1, 4, 7: 0})
	return n
}

// withOptions is IPv4 with options.
func withOptions(protocol layers.IPProtocol) network {
	n := over4(protocol, ethernet(layers.EthernetTypeIPv4))
	n.headers[1].(*layers.IPv4).Options = []layers.IPv4Option{{OptionType: 148, OptionLength: 4, OptionData: []byte{0, 0}},
		{OptionType: 1}, {OptionType: 0}}
	return n
}

// tagged is IPv4 behind VLAN tags of the given types.
func tagged(protocol layers.IPProtocol, tags ...layers.EthernetType) network {
	list := []header{ethernet(tags[0])}
	for i := range tags {
		next := layers.EthernetTypeIPv4
		if i+1 < len(tags) {
			next = tags[i+1]
		}
		list = append(list, &layers.Dot1Q{VLANIdentifier: uint16(7 + i), Priority: 5, Type: next})
	}
	return over4(protocol, list...)
}

// inUDP is an IPv4 packet inside a datagram with a finished checksum, to a port of a tunnel, behind the tunnel's
// header.
func inUDP(protocol layers.IPProtocol, port layers.UDPPort, tunnel ...header) network {
	outer := over6(layers.IPProtocolUDP, ethernet(layers.EthernetTypeIPv6))
	udp := &layers.UDP{SrcPort: 50000, DstPort: port}
	if err := udp.SetNetworkLayerForChecksum(outer.ip); err != nil {
		panic(err)
	}
	return over4(protocol, append(append(outer.headers, udp), tunnel...)...)
}

// inIP is a packet inside a packet.
func inIP(protocol layers.IPProtocol, tunnel ...header) network {
	return over4(protocol, append([]header{ethernet(layers.EthernetTypeIPv4)}, tunnel...)...)
}

// networks returns all kinds of frames that a transport header may be in, by name.
func networks(protocol layers.IPProtocol) map[string]network {
	inner := ethernet(layers.EthernetTypeIPv4)
	gre := &layers.GRE{ChecksumPresent: true, KeyPresent: true, SeqPresent: true, Key: 3, Seq: 9,
		Protocol: layers.EthernetTypeTransparentEthernetBridging}
	optionless := &layers.Geneve{VNI: 7, Protocol: layers.EthernetTypeIPv4}
	twice := inUDP(protocol, 4789, &layers.VXLAN{ValidIDFlag: true, VNI: 1}, ethernet(layers.EthernetTypeIPv4),
		ipv4(layers.IPProtocolGRE), &layers.GRE{Protocol: layers.EthernetTypeIPv4})
	return map[string]network{
		"IPv4":                  over4(protocol, ethernet(layers.EthernetTypeIPv4)),
		"IPv4 with options":     withOptions(protocol),
		"IPv6":                  over6(protocol, ethernet(layers.EthernetTypeIPv6)),
		"IPv6 with extensions":  extended(protocol),
		"IPv6 with a route":     routed(protocol, 0, 1, via6, to6),
		"IPv6 at its station":   routed(protocol, 0, 0, via6, from6),
		"segment routing":       routed(protocol, 4, 1, to6, via6),
		"one tag":               tagged(protocol, layers.EthernetTypeDot1Q),
		"two tags":              tagged(protocol, layers.EthernetTypeQinQ, layers.EthernetTypeDot1Q),
		"two older tags":        tagged(protocol, 0x9100, layers.EthernetTypeDot1Q),
		"VXLAN":                 inUDP(protocol, 4789, &layers.VXLAN{ValidIDFlag: true, VNI: 7}, inner),
		"VXLAN at Linux's port": inUDP(protocol, 8472, &layers.VXLAN{ValidIDFlag: true, VNI: 7}, inner),
		"Geneve":                inUDP(protocol, 6081, optionless),
		"Geneve with options": inUDP(protocol, 6081,
			gopacket.Payload{1, 0, 0x65, 0x58, 0, 0, 7, 0, 1, 2, 3, 0}, inner),
		"GRE":                 inIP(protocol, ipv4(layers.IPProtocolGRE), gre, inner),
		"GRE without options": inIP(protocol, ipv4(layers.IPProtocolGRE), &layers.GRE{Protocol: layers.EthernetTypeIPv4}),
		"IPv4 in IPv4":        inIP(protocol, ipv4(layers.IPProtocolIPv4)),
		"GRE in VXLAN":        twice,
	}
}

// build returns a frame of a network with a transport header and a payload, all checksums finished, and with octets of
// padding behind it.
func build(t testing.TB, name string, n network, protocol layers.IPProtocol, payload []byte, padding int) sample {
	t.Helper()
	var transport header
	switch protocol {
	case layers.IPProtocolTCP:
		tcp := &layers.TCP{SrcPort: 40000, DstPort: 80, Seq: 5, Ack: 6, ACK: true, Window: 512,
			Options: []layers.TCPOption{{OptionType: layers.TCPOptionKindNop}}}
		must(t, tcp.SetNetworkLayerForChecksum(n.ip))
		transport = tcp
	case layers.IPProtocolUDP:
		udp := &layers.UDP{SrcPort: 40000, DstPort: 53}
		must(t, udp.SetNetworkLayerForChecksum(n.ip))
		transport = udp
	default:
		transport = &layers.SCTP{SrcPort: 40000, DstPort: 80, VerificationTag: 77}
	}
	segment := len(serialize(t, transport, gopacket.Payload(payload)))
	list := append(append([]header{}, n.headers...), transport, gopacket.Payload(payload))
	frame := serialize(t, list...)
	s := sample{name: name, octets: append(frame, make([]byte, padding)...), at: len(frame) - segment, end: len(frame),
		protocol: protocol, from: n.from, to: n.to}
	for i := range padding {
		s.octets[s.end+i] = byte(0xA5 + i)
	}
	return s
}

// serialize returns the octets of headers, with lengths and checksums.
func serialize(t testing.TB, list ...header) []byte {
	t.Helper()
	b := gopacket.NewSerializeBuffer()
	must(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, list...))
	return append([]byte(nil), b.Bytes()...)
}

// unfinished returns the frame as an XDP program gets it from a host with checksum offload.
func (s *sample) unfinished() []byte {
	f := append([]byte(nil), s.octets...)
	pseudo := append(append(append([]byte{}, s.from...), s.to...), 0, byte(s.protocol))
	pseudo = binary.BigEndian.AppendUint16(pseudo, uint16(s.end-s.at))
	partial := ^gopacket.FoldChecksum(gopacket.ComputeChecksum(pseudo, 0))
	switch s.protocol {
	case layers.IPProtocolTCP:
		binary.BigEndian.PutUint16(f[s.at+16:], partial)
	case layers.IPProtocolUDP:
		binary.BigEndian.PutUint16(f[s.at+6:], partial)
	default:
		binary.BigEndian.PutUint32(f[s.at+8:], 0)
	}
	return f
}

// samples returns a frame of each network and protocol.
func samples(t testing.TB, payload []byte, padding int) (list []sample) {
	for _, protocol := range []layers.IPProtocol{layers.IPProtocolTCP, layers.IPProtocolUDP, layers.IPProtocolSCTP} {
		for name, n := range networks(protocol) {
			list = append(list, build(t, protocol.String()+" in "+name, n, protocol, payload, padding))
		}
	}
	return list
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
