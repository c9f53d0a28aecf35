package netem

import (
	"bytes"
	"net"
	"slices"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// datagram returns a frame with an IP header whose TOS or traffic class is tos, behind tags VLAN tags.
func datagram(t *testing.T, version int, tos uint8, tags int) []byte {
	t.Helper()
	kind := layers.EthernetTypeIPv4
	var ip gopacket.SerializableLayer = &layers.IPv4{Version: 4, TOS: tos, TTL: 9, Id: 0xFFFF,
		Protocol: layers.IPProtocolUDP, SrcIP: net.IPv4(10, 0, 0, 1), DstIP: net.IPv4(10, 255, 255, 254)}
	if version == 6 {
		kind = layers.EthernetTypeIPv6
		ip = &layers.IPv6{Version: 6, TrafficClass: tos, FlowLabel: 0xFFFFF, HopLimit: 9, NextHeader: layers.IPProtocolUDP,
			SrcIP: net.ParseIP("fd00::1"), DstIP: net.ParseIP("fd00::2")}
	}
	types := append(slices.Repeat([]layers.EthernetType{layers.EthernetTypeDot1Q}, tags), kind)
	all := []gopacket.SerializableLayer{&layers.Ethernet{SrcMAC: make([]byte, 6), DstMAC: make([]byte, 6),
		EthernetType: types[0]}}
	for _, next := range types[1:] {
		all = append(all, &layers.Dot1Q{VLANIdentifier: 7, Type: next})
	}
	b := gopacket.NewSerializeBuffer()
	options := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	if err := gopacket.SerializeLayers(b, options, append(all, ip, gopacket.Payload("octets"))...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A marked frame is the one that a sender with the mark makes, sum and all; a frame of a sender without ECN is not
// changed.
func TestMarkCongestion(t *testing.T) {
	for _, version := range []int{4, 6} {
		for tos := range 256 {
			for tags := range 3 {
				frame := datagram(t, version, uint8(tos), tags)
				before := bytes.Clone(frame)
				capable := tos&3 != 0
				if MarkCongestion(frame, true) != capable || !bytes.Equal(frame, before) {
					t.Fatalf("IPv%d, TOS %#x: tried", version, tos)
				}
				want := before
				if capable {
					want = datagram(t, version, uint8(tos|3), tags)
				}
				if MarkCongestion(frame, false) != capable || !bytes.Equal(frame, want) {
					t.Fatalf("IPv%d, TOS %#x, %d tags:\n%x\n%x", version, tos, tags, frame, want)
				}
			}
		}
	}
}

// Whatever is cut off or no IP is not marked, and not read beyond its end.
func TestMarkCongestionOfOtherFrames(t *testing.T) {
	for _, version := range []int{4, 6} {
		header := map[int]int{4: 20, 6: 40}[version]
		frame := datagram(t, version, 1, 1)
		for n := range 18 + header {
			if MarkCongestion(bytes.Clone(frame[:n]), false) {
				t.Errorf("IPv%d, %d octets: marked", version, n)
			}
		}
		frame[18] = 0x55
		if MarkCongestion(frame, false) {
			t.Errorf("IPv%d: a header of another version is marked", version)
		}
	}
}

// Of frames that would be lost, those that can be marked are; the others are lost as without ecn.
func TestFatesWithECN(t *testing.T) {
	s, err := Parse("loss 10% duplicate 5% ecn", noFile)
	if err != nil {
		t.Fatal(err)
	}
	const n = 100_000
	capable, other := NewModel(s, 1), NewModel(s, 1)
	marked, lost := 0, 0
	for range n {
		f, o := capable.Next(true), other.Next(false)
		if f.N == 0 || o.Marked {
			t.Fatalf("%+v, %+v", f, o)
		}
		if f.Marked {
			marked++
		}
		if o.N == 0 {
			lost++
		}
	}
	// 0.1, and of doubled frames one of two: 0.95 x 0.1 + 0.05 x 0.19; a doubled frame is lost with both: 0.095 + 0.05/100
	for _, c := range []struct{ got, want int }{{marked, 10_450}, {lost, 9_550}} {
		if c.got < c.want-500 || c.got > c.want+500 {
			t.Errorf("%d, want %d", c.got, c.want)
		}
	}
}
