package trim

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/gopacket/gopacket/layers"
)

// UE 1.0.1 table 4-1, UE-LINK §6.2: of each row that much of the IP payload stays, behind
// whatever headers.
func TestTable4_1LeastSizes(t *testing.T) {
	s := testSettings()
	for _, r := range rows() {
		for _, shape := range shapes() {
			for _, shape.options = range []bool{false, true} {
				protocol, payload := r.build(t, 1000)
				f := shape.frame(t, protocol, payload)
				p, ok := s.PlanFor(f)
				if want := shape.payloadAt() + r.least; !ok || p.Len != want {
					t.Errorf("%s, %v, options %v: %d octets stay, %v, want %d", r.name, shape, shape.options, p.Len, ok, want)
				}
			}
		}
	}
}

// The size counts from the addresses on, and gives way to a row of the table that wants more.
func TestSizeOfTheFrame(t *testing.T) {
	for _, c := range []struct{ size, want int }{{64, 14 + 20 + 94}, {128, 128}, {129, 129}, {256, 256}, {1000, 1000}} {
		s := testSettings()
		s.Size = c.size
		protocol, payload := vxlan(true, uetUDP)(t, 1000)
		f := shape{dscp: testDSCP}.frame(t, protocol, payload)
		if p, ok := s.PlanFor(f); !ok || p.Len != c.want {
			t.Errorf("size %d: %d octets stay, %v, want %d", c.size, p.Len, ok, c.want)
		}
	}
}

// What is not longer than its trimmed self stays whole.
func TestShortFramesAreNotTrimmed(t *testing.T) {
	for _, r := range rows()[:6] {
		for _, shape := range shapes() {
			for n, want := range map[int]bool{0: false, 1: true} {
				protocol, payload := r.build(t, n)
				if _, ok := testSettings().PlanFor(shape.frame(t, protocol, payload)); ok != want {
					t.Errorf("%s, %v, %d octets more than the least: %v", r.name, shape, n, ok)
				}
			}
		}
	}
	for size, want := range map[int]bool{99: true, 100: false, 101: false} {
		s := testSettings()
		s.Size = size
		f := shape{dscp: testDSCP}.frame(t, layers.IPProtocolTCP, counted(100-14-20))
		if _, ok := s.PlanFor(f); ok != want {
			t.Errorf("a frame of 100 octets to %d: %v", size, ok)
		}
	}
}

// Padding behind the end of IP is nothing that could be left out.
func TestPaddingDoesNotCount(t *testing.T) {
	s := testSettings()
	s.Size = 64
	f := append(shape{dscp: testDSCP}.frame(t, layers.IPProtocolTCP, counted(20)), make([]byte, 100)...)
	if _, ok := s.PlanFor(f); ok {
		t.Error("54 octets and padding are trimmed to 64")
	}
}

// UE-LINK §6.1: what is not DSCP_TRIMMABLE stays whole, and what is of two categories, too.
func TestCategoriesOfDSCP(t *testing.T) {
	s := testSettings()
	s.Trimmable = ^DSCPs(0)
	for dscp := range uint8(64) {
		for _, six := range []bool{false, true} {
			f := shape{dscp: dscp, six: six}.frame(t, layers.IPProtocolTCP, counted(500))
			_, ok := s.PlanFor(f)
			if want := dscp != 16 && dscp != 46; ok != want {
				t.Errorf("DSCP %d: %v", dscp, ok)
			}
			if _, ok := (&Settings{}).PlanFor(f); ok {
				t.Errorf("DSCP %d without settings", dscp)
			}
		}
	}
}

func TestDSCPs(t *testing.T) {
	s := DSCPs(0).Including(0).Including(8).Including(63)
	for dscp := range uint8(64) {
		if want := dscp == 0 || dscp == 8 || dscp == 63; s.Contains(dscp) != want {
			t.Errorf("%d: %v", dscp, s.Contains(dscp))
		}
	}
	if list := s.List(); len(list) != 3 || list[0] != 0 || list[1] != 8 || list[2] != 63 {
		t.Errorf("%v", list)
	}
	if list := DSCPs(0).List(); list == nil || len(list) != 0 {
		t.Errorf("%v", list)
	}
}

// Every change makes a frame of what may be trimmed one that may not.
func TestWhatIsNeverTrimmed(t *testing.T) {
	s := testSettings()
	good4 := shape{dscp: testDSCP, tags: 1}.frame(t, layers.IPProtocolTCP, counted(500))
	good6 := shape{dscp: testDSCP, six: true, options: true}.frame(t, layers.IPProtocolTCP, counted(500))
	for _, c := range []struct {
		name   string
		six    bool
		change func(f []byte) []byte
	}{
		{"group address", false, at(0, 0x03)},
		{"IPv4 multicast", false, at(18+16, 224)},
		{"IPv4 broadcast", false, at(18+16, 255, 255, 255, 255)},
		{"first fragment", false, at(18+6, 0x20, 0)},
		{"last fragment", false, at(18+6, 0, 185)},
		{"ARP", false, at(16, 0x08, 0x06)},
		{"three tags", false, func(f []byte) []byte { return tagged(tagged(f)) }},
		{"version 6 in IPv4", false, at(18, 0x65)},
		{"header of 16 octets", false, at(18, 0x44)},
		{"header longer than the packet", false, at(18+2, 0, 19)},
		{"packet longer than the frame", false, at(18+2, 0xFF, 0xFF)},
		{"ends within the header", false, func(f []byte) []byte { return f[:18+19] }},
		{"ends with its EtherType", false, func(f []byte) []byte { return f[:18] }},
		{"ends within its EtherType", false, func(f []byte) []byte { return f[:17] }},
		{"ends with its tag", false, func(f []byte) []byte { return f[:16] }},
		{"addresses", false, func(f []byte) []byte { return f[:12] }},
		{"nothing", false, func([]byte) []byte { return nil }},
		{"group address of IPv6", true, at(0, 0x33, 0x33)},
		{"IPv6 multicast", true, at(14+24, 0xFF, 0x02)},
		{"version 4 in IPv6", true, at(14, 0x40)},
		{"jumbogram", true, at(14+4, 0, 0)},
		{"IPv6 longer than the frame", true, at(14+4, 0xFF, 0xFF)},
		{"ends within the header of IPv6", true, func(f []byte) []byte { return f[:14+39] }},
		{"fragment of IPv6", true, at(14+6, fragment)},
		{"extension header longer than the packet", true, at(14+40+1, 255)},
		{"ends with the header of IPv6", true, at(14+4, 0, 1)},
	} {
		good := good4
		if c.six {
			good = good6
		}
		if _, ok := s.PlanFor(good); !ok {
			t.Fatalf("what is changed is not trimmed before: %x", good)
		}
		f := c.change(bytes.Clone(good))
		if p, ok := s.PlanFor(f[:len(f):len(f)]); ok {
			t.Errorf("%s: trimmed to %d octets: %x", c.name, p.Len, f)
		}
	}
}

// at puts octets into a frame.
func at(place int, octets ...byte) func([]byte) []byte {
	return func(f []byte) []byte {
		copy(f[place:], octets)
		return f
	}
}

// tagged is a frame with one tag more.
func tagged(f []byte) []byte {
	return append(append(bytes.Clone(f[:12]), 0x81, 0, 0, 7), f[12:]...)
}

// RFC 8200 §4: extension headers in a row, by number and length, and what is behind them.
func TestExtensionHeaders(t *testing.T) {
	const uet = "fd" // in front: its number
	for _, c := range []struct {
		name, headers string
		want          int // octets behind the header that stay; -1: it is not trimmed
	}{
		{"none", uet, 20},
		{"hop-by-hop", "00 fd00000000000000", 8 + 20},
		{"hop-by-hop of 16 octets", "00 fd01" + strings.Repeat("00", 14), 16 + 20},
		{"routing and destination", "2b 3c00000000000000 fd00000000000000", 16 + 20},
		{"authentication of 12 octets", "33 fd01" + strings.Repeat("00", 10), 12 + 20},
		{"mobility, HIP and shim6", "87 8b00000000000000 8c00000000000000 fd00000000000000", 24 + 20},
		{"encrypted", "32 fd00000000000000", 0}, // nobody knows what is inside
		{"nothing behind", "3b 0000000000000000", 0},
		{"fragment behind hop-by-hop", "00 2c00000000000000 fd00000000000000", -1},
		{"eight", "00" + strings.Repeat("0000000000000000", 7) + "fd00000000000000", 64 + 20},
		{"nine", "00" + strings.Repeat("0000000000000000", 8) + "fd00000000000000", -1},
	} {
		list, err := hex.DecodeString(strings.ReplaceAll(c.headers, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		f := shape{six: true, dscp: testDSCP}.frame(t, layers.IPProtocol(list[0]), append(list[1:], counted(200)...))
		p, ok := testSettings().PlanFor(f)
		if ok != (c.want >= 0) || ok && p.Len != 14+40+c.want {
			t.Errorf("%s: %d octets, %v, want %d", c.name, p.Len, ok, 14+40+c.want)
		}
	}
}

// The numbers of UET are configured.
func TestNumbersOfUET(t *testing.T) {
	s := testSettings()
	s.UDPPort, s.Protocol = 5000, 254
	for _, c := range []struct {
		name     string
		protocol layers.IPProtocol
		port     uint16
		want     int
	}{
		{"protocol", 254, 0, 20}, {"default protocol", 253, 0, 0},
		{"port", layers.IPProtocolUDP, 5000, 24}, {"default port", layers.IPProtocolUDP, 4793, 0},
	} {
		payload := counted(100)
		binary.BigEndian.PutUint16(payload[2:], c.port)
		f := shape{dscp: testDSCP}.frame(t, c.protocol, payload)
		if p, ok := s.PlanFor(f); !ok || p.Len != 14+20+c.want {
			t.Errorf("%s: %d octets stay, %v, want %d", c.name, p.Len, ok, 14+20+c.want)
		}
	}
}

// Of VXLAN whose inner frame cannot be read, or is a fragment, the size alone says what stays.
func TestInnerFrameThatIsNoUET(t *testing.T) {
	const inner = 14 + 20 + 8 + 8 // of the outer frame
	for name, change := range map[string]func([]byte) []byte{
		"inner ARP":      at(inner+12, 0x08, 0x06),
		"inner fragment": at(inner+14+6, 0x20, 0),
		"inner too long": at(inner+14+2, 0xFF, 0xFF),
		"ends in VXLAN":  at(14+2, 0, 20+8+7),
		"ends in UDP":    at(14+2, 0, 20+7),
	} {
		protocol, payload := vxlan(false, uetUDP)(t, 200)
		f := change(shape{dscp: testDSCP}.frame(t, protocol, payload))
		if p, ok := testSettings().PlanFor(f); !ok || p.Len != 14+20 {
			t.Errorf("%s: %d octets, %v", name, p.Len, ok)
		}
	}
}
