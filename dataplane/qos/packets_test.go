package qos

import (
	"net"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// packet has gopacket write a frame of IP behind so many tags.
func packet(t *testing.T, tags int, pcp uint8, dei, six bool, dscp uint8) []byte {
	t.Helper()
	mac := net.HardwareAddr{2, 0, 0, 0, 0, 1}
	inner := layers.EthernetTypeIPv4
	if six {
		inner = layers.EthernetTypeIPv6
	}
	ethernet := &layers.Ethernet{SrcMAC: mac, DstMAC: mac, EthernetType: inner}
	list := []gopacket.SerializableLayer{ethernet}
	if tags > 0 {
		ethernet.EthernetType = layers.EthernetTypeDot1Q
	}
	for i := range tags {
		tag := &layers.Dot1Q{Priority: 7 - pcp, VLANIdentifier: 9, Type: layers.EthernetTypeDot1Q}
		if i == 0 {
			tag.Priority, tag.DropEligible = pcp, dei
		}
		if i == tags-1 {
			tag.Type = inner
		}
		list = append(list, tag)
	}
	if six {
		ip := net.IPv6loopback
		list = append(list, &layers.IPv6{Version: 6, TrafficClass: dscp<<2 | 1, FlowLabel: 0xFFFFF, SrcIP: ip, DstIP: ip})
	} else {
		ip := net.IPv4(10, 0, 0, 1)
		list = append(list, &layers.IPv4{Version: 4, IHL: 5, TOS: dscp<<2 | 2, SrcIP: ip, DstIP: ip})
	}
	buffer := gopacket.NewSerializeBuffer()
	if err := gopacket.SerializeLayers(buffer, gopacket.SerializeOptions{}, list...); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// Every DSCP and every priority is found in frames that another library writes.
func TestClassOfPackets(t *testing.T) {
	byTag, byIP := numbered(TrustDot1p), numbered(TrustDSCP)
	for tags := range 3 {
		for i := range 2 * 16 * 64 {
			six, priority, dscp := i&1 == 1, uint8(i>>1&15), uint8(i>>5)
			f := packet(t, tags, priority>>1, priority&1 == 1, six, dscp)
			if tags == 0 {
				priority = 0
			}
			if got := byTag.Class(f); got != priority {
				t.Fatalf("%d tags: priority %d, want %d: %x", tags, got, priority, f)
			}
			if got := byIP.Class(f); got != byIP.DSCP[dscp] {
				t.Fatalf("%d tags, IPv6 %v: class %d, want that of DSCP %d: %x", tags, six, got, dscp, f)
			}
		}
	}
}
