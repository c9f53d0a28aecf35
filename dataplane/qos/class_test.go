package qos

import (
	"encoding/hex"
	"strings"
	"testing"

	"uelink/wire/uet"
)

// numbered has another class for each entry of a map, as far as there are classes.
func numbered(t Trust) Map {
	m := Map{Trust: t}
	for i := range m.Dot1pDEI {
		m.Dot1pDEI[i] = uint8(i)
	}
	for i := range m.DSCP {
		m.DSCP[i] = uint8(31 - i%32)
	}
	if t == TrustUET {
		m.UET = [UETKinds]uint8{21, 22, 23, 24}
		m.Classifier = uet.Classifier{Port: uet.DefaultPort, Protocol: uet.DefaultProtocol, Trimmed: 1 << 16}
	}
	return m
}

// octets returns a frame: addresses, and the rest given in hexadecimal.
func octets(t *testing.T, text string) []byte {
	t.Helper()
	f, err := hex.DecodeString("020000000001020000000002" + strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// goldenFrames is frames with what they say: pcp<<1 | dei of the outer tag, and the
// DSCP of IP, or -1.
var goldenFrames = []struct {
	name, octets string
	priority     uint8
	dscp         int
}{
	{"IPv4, EF", "0800 45b8 0014", 0, 46},
	{"IPv4, ECN is not DSCP", "0800 4503 0014", 0, 0},
	{"IPv4 with options", "0800 4f28", 0, 10},
	{"IPv4 that says version 6", "0800 65b8", 0, -1},
	{"IPv6, EF", "86dd 6b80 0000", 0, 46},
	{"IPv6, flow label is not DSCP", "86dd 603f ffff", 0, 0},
	{"IPv6, ECN is not DSCP", "86dd 6030 0000", 0, 0},
	{"IPv6, CS7", "86dd 6e00 0000", 0, 56},
	{"IPv6 that says version 4", "86dd 45b8", 0, -1},
	{"ARP", "0806 0001 0800", 0, -1},
	{"LLC", "0026 4242 0300", 0, -1},

	{"C-VLAN tag, PCP 5", "8100 a00a 0800 45b8", 10, 46},
	{"C-VLAN tag, PCP 5, DEI", "8100 b00a 0800 4500", 11, 0},
	{"priority tag, PCP 7", "8100 e000 86dd 6b80", 14, 46},
	{"S-VLAN tag, PCP 3, DEI", "88a8 7fff 0806 0001", 7, -1},
	{"tag of before the standard", "9100 2001 0800 4504", 2, 1},
	{"two tags, the outer one counts", "88a8 6064 8100 e00a 0800 45fc", 6, 63},
	{"two tags alike", "8100 4001 8100 6002 86dd 6040", 4, 1},
	{"three tags: IP is not looked for", "8100 4001 8100 6002 8100 8003 0800 45b8", 4, -1},

	{"ends with its EtherType", "0800", 0, -1},
	{"ends within IPv4", "0800 45", 0, -1},
	{"IPv4 of two octets", "0800 45b8", 0, 46},
	{"ends within IPv6", "86dd 6b", 0, -1},
	{"ends with the type of its tag", "8100", 0, -1},
	{"ends within its tag", "8100 a0", 10, -1},
	{"ends with its tag", "8100 a00a", 10, -1},
	{"ends within the EtherType behind it", "8100 a00a 08", 10, -1},
	{"ends with the EtherType behind it", "8100 a00a 0800", 10, -1},
	{"ends within IPv4 behind it", "8100 a00a 0800 45", 10, -1},
	{"ends with its second tag", "88a8 a00a 8100 e00a", 10, -1},
	{"ends with the EtherType behind two", "88a8 a00a 8100 e00a 0800", 10, -1},
}

func TestClassOfGoldenFrames(t *testing.T) {
	for _, c := range goldenFrames {
		f := octets(t, c.octets)
		byTag, byIP, none := numbered(TrustDot1p), numbered(TrustDSCP), numbered(TrustNone)
		byUET := numbered(TrustUET)
		if got := byTag.Class(f); got != c.priority {
			t.Errorf("%s: by its tag %d, want %d", c.name, got, c.priority)
		}
		want := c.priority
		if c.dscp >= 0 {
			want = byIP.DSCP[c.dscp]
		}
		if got := byIP.Class(f); got != want {
			t.Errorf("%s: by its DSCP %d, want %d", c.name, got, want)
		}
		if got := byUET.Class(f); got != want {
			t.Errorf("%s: by its kind of UET, which it has none of, %d, want %d", c.name, got, want)
		}
		if got := none.Class(f); got != 0 {
			t.Errorf("%s: %d with no trust", c.name, got)
		}
	}
}

// Also of a map that package config would refuse, and with a trust that is none.
func TestClassIsAlwaysAClass(t *testing.T) {
	m := Map{Trust: TrustDSCP}
	for i := range m.DSCP {
		m.DSCP[i] = 255
	}
	for i := range m.Dot1pDEI {
		m.Dot1pDEI[i] = 255
	}
	for _, c := range goldenFrames {
		for _, trust := range []Trust{TrustDot1p, TrustDSCP, TrustUET} {
			if m.Trust = trust; m.Class(octets(t, c.octets)) != Classes-1 {
				t.Errorf("%s: %d by %v", c.name, m.Class(octets(t, c.octets)), trust)
			}
		}
		if m.Trust = 9; m.Class(octets(t, c.octets)) != 0 {
			t.Errorf("%s: by trust 9", c.name)
		}
	}
}

func TestZeroMapHasOneClass(t *testing.T) {
	for trust := range TrustUET + 1 {
		m := Map{Trust: trust}
		for _, c := range goldenFrames {
			if got := m.Class(octets(t, c.octets)); got != 0 {
				t.Errorf("%s: %d", c.name, got)
			}
		}
	}
}

func TestWords(t *testing.T) {
	for trust, want := range []string{"none", "dot1p", "dscp", "uet", "?", "?"} {
		text, err := Trust(trust).MarshalText()
		if string(text) != want || err != nil {
			t.Errorf("%d is %q, %v", trust, text, err)
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	byIP, byUET := numbered(TrustDSCP), numbered(TrustUET)
	f, ack := octets(t, "88a8 6064 8100 e00a 0800 45fc"), octets(t, "0800"+ipv4+udp4793+"3800")
	if n := testing.AllocsPerRun(1000, func() {
		byIP.Class(f)
		byUET.Class(f)
		byUET.Class(ack)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkClass(b *testing.B) {
	t := &testing.T{}
	for _, c := range []struct {
		name, octets string
		trust        Trust
	}{
		{"none", "0800 45b8 0014", TrustNone},
		{"dot1p", "8100 a00a 0800 45b8", TrustDot1p},
		{"dscp", "0800 45b8 0014", TrustDSCP},
		{"dscp behind two tags", "88a8 6064 8100 e00a 86dd 6b80", TrustDSCP},
		{"uet, of ARP", "0806 0001 0800" + strings.Repeat("00", 40), TrustUET},
		{"uet, of TCP", "0800 45b80028 00000000 4006 0000 0a000001 0a000002" + strings.Repeat("00", 20), TrustUET},
		{"uet, of UDP to another port", "0800" + ipv4 + "c000 0035 0010 0000" + "0000000000000000", TrustUET},
		{"uet, of an ACK", "0800" + ipv4 + udp4793 + "3800000000000000", TrustUET},
		{"uet, of a trimmed packet behind two tags", "88a8 6064 8100 e00a 0800" + ipv4Trimmed + udp4793 +
			"1000000000000000", TrustUET},
	} {
		m, f := numbered(c.trust), octets(t, c.octets)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				m.Class(f)
			}
		})
	}
}
