package checksum

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/gopacket/gopacket/layers"
)

// A frame cut anywhere is left alone, and nothing behind its end is read or written.
func TestCutFramesAreLeftAlone(t *testing.T) {
	for _, s := range samples(t, counted(9), 3) {
		whole := s.unfinished()
		for n := range s.end {
			f := append([]byte(nil), whole...)
			if Finish(f[:n:n]) || !bytes.Equal(f, whole) {
				t.Fatalf("%s of %d octets, cut to %d, was changed", s.name, s.end, n)
			}
		}
	}
}

// Headers that contradict each other, and fragments: nothing is finished.
func TestOddHeadersAreLeftAlone(t *testing.T) {
	const ip = 14
	word := binary.BigEndian.PutUint16
	for name, c := range map[string]struct {
		protocol layers.IPProtocol
		in       string
		change   func(f []byte, at int)
	}{
		"version 5":                 {6, "IPv4", func(f []byte, _ int) { f[ip] = 0x55 }},
		"version 5 of IPv6":         {6, "IPv6", func(f []byte, _ int) { f[ip] = 0x50 }},
		"header of 16 octets":       {6, "IPv4", func(f []byte, _ int) { f[ip] = 0x44 }},
		"header of no octets":       {6, "IPv4", func(f []byte, _ int) { f[ip] = 0x40 }},
		"header beyond the packet":  {6, "IPv4", func(f []byte, _ int) { f[ip] = 0x4f; word(f[ip+2:], 40) }},
		"packet of no octets":       {6, "IPv4", func(f []byte, _ int) { word(f[ip+2:], 0) }},
		"packet beyond the frame":   {6, "IPv4", func(f []byte, _ int) { word(f[ip+2:], 1500) }},
		"IPv6 beyond the frame":     {6, "IPv6", func(f []byte, _ int) { word(f[ip+4:], 1500) }},
		"IPv6 of no octets":         {6, "IPv6", func(f []byte, _ int) { word(f[ip+4:], 0) }},
		"first fragment":            {17, "IPv4", func(f []byte, _ int) { word(f[ip+6:], 0x2000) }},
		"last fragment":             {17, "IPv4", func(f []byte, _ int) { word(f[ip+6:], 100) }},
		"fragment of IPv6":          {17, "IPv6 with extensions", func(f []byte, _ int) { f[ip+6] = 44 }},
		"authentication header":     {17, "IPv6 with extensions", func(f []byte, _ int) { f[ip+40] = 51 }},
		"extension beyond the end":  {17, "IPv6 with extensions", func(f []byte, _ int) { f[ip+41] = 255 }},
		"TCP of 19 octets":          {6, "IPv4", func(f []byte, _ int) { word(f[ip+2:], 20+19) }},
		"UDP of 7 octets":           {17, "IPv4", func(f []byte, at int) { word(f[at+4:], 7) }},
		"UDP of no octets":          {17, "IPv4", func(f []byte, at int) { word(f[at+4:], 0) }},
		"UDP beyond the packet":     {17, "IPv4", func(f []byte, at int) { word(f[at+4:], 500) }},
		"SCTP of 11 octets":         {132, "IPv4", func(f []byte, _ int) { word(f[ip+2:], 20+11) }},
		"GRE with a route":          {6, "GRE without options", func(f []byte, _ int) { f[ip+20] |= 0x40 }},
		"GRE of version 1":          {6, "GRE without options", func(f []byte, _ int) { f[ip+21] |= 1 }},
		"GRE of a foreign protocol": {6, "GRE without options", func(f []byte, _ int) { word(f[ip+22:], 0x880B) }},
		"no IP":                     {6, "IPv4", func(f []byte, _ int) { word(f[12:], 0x0806) }},
		"three tags":                {6, "two tags", func(f []byte, _ int) { word(f[20:], 0x8100) }},
	} {
		s := build(t, name, networks(c.protocol)[c.in], c.protocol, counted(60), 0)
		f := s.unfinished()
		c.change(f, s.at)
		kept := append([]byte(nil), f...)
		if Finish(f) || !bytes.Equal(f, kept) {
			t.Errorf("%s was changed", name)
		}
	}
}

// A chain of extension headers, and tunnels in tunnels, end after a few steps.
func TestEndlessHeadersEnd(t *testing.T) {
	f := make([]byte, 9000)
	copy(f[12:], []byte{0x86, 0xDD, 0x60})
	binary.BigEndian.PutUint16(f[18:], uint16(len(f)-54))
	if Finish(f) { // zeros: hop-by-hop options behind hop-by-hop options
		t.Error("a frame of extension headers was finished")
	}
	inner := build(t, "TCP", networks(layers.IPProtocolTCP)["IPv4"], layers.IPProtocolTCP, counted(10), 0)
	packet := inner.unfinished()[14:]
	for range tunnelsMax + 1 {
		ip := ipv4(layers.IPProtocolIPv4)
		packet = append(serialize(t, ip), packet...)
		binary.BigEndian.PutUint16(packet[2:], uint16(len(packet)))
	}
	f = append(serialize(t, ethernet(layers.EthernetTypeIPv4)), packet...)[:14+len(packet)]
	f = append(f[:14:14], packet...)
	if Finish(f) {
		t.Errorf("%d tunnels in each other were entered", tunnelsMax+1)
	}
	if !Finish(append(f[:14:14], packet[20:]...)) {
		t.Errorf("%d tunnels in each other were not entered", tunnelsMax)
	}
}
