package qos

import (
	"strings"
	"testing"
)

// Headers of a packet of UDP with 8 octets behind them: DSCP 46, the same but trimmed, DSCP 46 and a fragment.
const (
	ipv4        = "45b80024 00000000 4011 0000 0a000001 0a000002"
	ipv4Trimmed = "45400024 00000000 4011 0000 0a000001 0a000002"
	ipv4More    = "45b80024 00002000 4011 0000 0a000001 0a000002"
	ipv6        = "6b800000 0010 11 40 20010db8000000000000000000000001 20010db8000000000000000000000002"
	udp4793     = "c000 12b9 0010 0000"
	udpLonger   = "c000 12b9 0100 0000"
)

// uetPackets is frames with the kind of UET packet that they carry; UETKinds is for none.
var uetPackets = []struct {
	name, octets string
	kind         UETKind
	dscp         int
}{
	{"RUD request", "0800" + ipv4 + udp4793 + "1000", UETRequest, 46},
	{"ROD request", "0800" + ipv4 + udp4793 + "1800", UETRequest, 46},
	{"RUDI request", "0800" + ipv4 + udp4793 + "2000", UETRequest, 46},
	{"UUD request", "0800" + ipv4 + udp4793 + "3000", UETRequest, 46},
	{"RUD request with congestion control", "0800" + ipv4 + udp4793 + "6800", UETRequest, 46},
	{"RUDI response", "0800" + ipv4 + udp4793 + "2800", UETAcknowledgement, 46},
	{"ACK", "0800" + ipv4 + udp4793 + "3800", UETAcknowledgement, 46},
	{"ACK_CCX", "0800" + ipv4 + udp4793 + "4800", UETAcknowledgement, 46},
	{"NACK", "0800" + ipv4 + udp4793 + "5000", UETAcknowledgement, 46},
	{"CTRL", "0800" + ipv4 + udp4793 + "5800", UETControl, 46},
	{"ACK over IPv6", "86dd" + ipv6 + udp4793 + "3800", UETAcknowledgement, 46},
	{"ACK over IPv6, directly", "86dd" + strings.Replace(ipv6, " 11 ", " fd ", 1) + "c0000000" + "3800", UETAcknowledgement, 46},
	{"CTRL over IPv4, directly", "0800" + strings.Replace(ipv4, "4011", "40fd", 1) + "c0000000" + "5800", UETControl, 46},
	{"ACK behind two tags", "88a8 6064 8100 e00a 0800" + ipv4 + udp4793 + "3800", UETAcknowledgement, 46},

	{"trimmed request", "0800" + ipv4Trimmed + udp4793 + "1000", UETTrimmed, 16},
	{"trimmed, encrypted", "0800" + ipv4Trimmed + udp4793 + "0800", UETTrimmed, 16},
	{"trimmed by the length of UDP", "0800" + ipv4 + udpLonger + "1000", UETTrimmed, 46},

	{"encrypted", "0800" + ipv4 + udp4793 + "0800", UETKinds, 46},
	{"type 0", "0800" + ipv4 + udp4793 + "0000", UETKinds, 46},
	{"type 31", "0800" + ipv4 + udp4793 + "f800", UETKinds, 46},
	{"first fragment", "0800" + ipv4More + udp4793 + "3800", UETKinds, 46},
	{"UDP to another port", "0800" + ipv4 + "12b9 0035 0010 0000" + "3800", UETKinds, 46},
	{"IPsec", "0800" + strings.Replace(ipv4, "4011", "4032", 1) + udp4793 + "3800", UETKinds, 46},
	{"TCP", "0800" + strings.Replace(ipv4, "4011", "4006", 1) + udp4793 + "3800", UETKinds, 46},
}

// A packet has the class of its kind, and of its DSCP where the kind has none, or it has no kind.
func TestClassOfUETPackets(t *testing.T) {
	m := numbered(TrustUET)
	for _, c := range uetPackets {
		f := octets(t, c.octets+strings.Repeat("00", 10))
		want := m.DSCP[c.dscp]
		if c.kind < UETKinds {
			want = m.UET[c.kind]
		}
		if got := m.Class(f); got != want {
			t.Errorf("%s: class %d, want %d", c.name, got, want)
		}
		byDSCP := m
		byDSCP.UET = [UETKinds]uint8{ByDSCP, ByDSCP, ByDSCP, ByDSCP}
		if got := byDSCP.Class(f); got != m.DSCP[c.dscp] {
			t.Errorf("%s: class %d with no class for its kind, want %d", c.name, got, m.DSCP[c.dscp])
		}
		plain := numbered(TrustDSCP)
		if got := plain.Class(f); got != m.DSCP[c.dscp] {
			t.Errorf("%s: class %d where UET is not trusted", c.name, got)
		}
	}
}

// Another port and another protocol number are looked for, if the settings have them.
func TestUETPortAndProtocol(t *testing.T) {
	m := numbered(TrustUET)
	m.Classifier.Port, m.Classifier.Protocol = 0x1234, 200
	for text, want := range map[string]uint8{
		"0800" + ipv4 + "c000 1234 0010 0000" + "3800":                          m.UET[UETAcknowledgement],
		"0800" + strings.Replace(ipv4, "4011", "40c8", 1) + "c0000000" + "3800": m.UET[UETAcknowledgement],
		"0800" + ipv4 + udp4793 + "3800":                                        m.DSCP[46],
		"0800" + strings.Replace(ipv4, "4011", "40fd", 1) + "c0000000" + "3800": m.DSCP[46],
	} {
		if got := m.Class(octets(t, text+strings.Repeat("00", 10))); got != want {
			t.Errorf("%s: class %d, want %d", text, got, want)
		}
	}
}

func TestWordsOfKinds(t *testing.T) {
	for kind, want := range []string{"request", "acknowledgement", "control", "trimmed", "?", "?"} {
		if got := UETKind(kind).String(); got != want {
			t.Errorf("%d is %q", kind, got)
		}
	}
}
