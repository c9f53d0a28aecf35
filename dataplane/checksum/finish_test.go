package checksum

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/gopacket/gopacket/layers"
)

// counted returns n octets that differ.
func counted(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return b
}

// finishes demands that Finish makes the sample of its unfinished frame, and leaves the sample itself as it is.
func (s *sample) finishes(t *testing.T) {
	t.Helper()
	f := s.unfinished()
	if !Finish(f) || !bytes.Equal(f, s.octets) {
		t.Errorf("%s of %d octets:\n%x, should be\n%x", s.name, s.end-s.at, f[s.at:], s.octets[s.at:])
	}
	if Finish(f) || !bytes.Equal(f, s.octets) {
		t.Errorf("%s of %d octets is finished, and was changed", s.name, s.end-s.at)
	}
}

func TestUnfinishedChecksumsAreFinished(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 8, 9, 63, 64, 65, 100, 1000, 1401} {
		for _, s := range samples(t, counted(n), 0) {
			s.finishes(t)
		}
	}
}

func TestPaddingBehindThePacketDoesNotCount(t *testing.T) {
	for _, s := range samples(t, counted(5), 21) {
		s.finishes(t)
	}
}

// A finished frame whose checksum happens to be the sum of its pseudo header is left alone, and so are all others.
func TestFinishedFramesAreLeftAlone(t *testing.T) {
	for _, protocol := range []layers.IPProtocol{layers.IPProtocolTCP, layers.IPProtocolUDP} {
		n, alike := networks(protocol)["IPv4"], 0
		s := build(t, protocol.String(), n, protocol, counted(40), 0)
		base := s.unfinished()
		for word := range 1 << 16 {
			f := append([]byte(nil), base...)
			binary.BigEndian.PutUint16(f[s.end-20:], uint16(word))
			if !Finish(f) { // the sum of the pseudo header is the checksum
				alike++
			}
			kept := append([]byte(nil), f...)
			if Finish(f) || !bytes.Equal(f, kept) {
				t.Fatalf("%s: a finished frame was changed: %x", protocol, f)
			}
		}
		if alike != 1 && alike != 2 { // words of 0 and ffff are the same number
			t.Errorf("%s: %d of 65,536 payloads have the sum of the pseudo header as their checksum", protocol, alike)
		}
	}
}

// A datagram without a checksum, which 0 stands for, stays without; a checksum of 0 is sent as ffff.
func TestDatagramWithoutChecksum(t *testing.T) {
	s := build(t, "UDP", networks(layers.IPProtocolUDP)["IPv4"], layers.IPProtocolUDP, counted(40), 0)
	f := append([]byte(nil), s.octets...)
	binary.BigEndian.PutUint16(f[s.at+6:], 0)
	if Finish(f) || binary.BigEndian.Uint16(f[s.at+6:]) != 0 {
		t.Error("a datagram without a checksum has one")
	}
	for word := range 1 << 16 {
		f := s.unfinished()
		binary.BigEndian.PutUint16(f[s.end-20:], uint16(word))
		if Finish(f); binary.BigEndian.Uint16(f[s.at+6:]) == 0 {
			t.Fatalf("the checksum 0 of %x says that there is none", f)
		}
	}
}

// The checksum of a datagram ends with the datagram, not with its packet: UDP options may follow.
func TestOptionsBehindADatagramDoNotCount(t *testing.T) {
	s := build(t, "UDP", networks(layers.IPProtocolUDP)["IPv4"], layers.IPProtocolUDP, counted(40), 6)
	const ip = 14
	binary.BigEndian.PutUint16(s.octets[ip+2:], uint16(len(s.octets)-ip))
	s.finishes(t)
}

// An outer checksum by local checksum offload is right once the inner one is; an outer one may be unfinished alone, or
// absent.
func TestOuterChecksumOfATunnel(t *testing.T) {
	s := build(t, "VXLAN", networks(layers.IPProtocolTCP)["VXLAN"], layers.IPProtocolTCP, counted(40), 0)
	const outer = 14 + 40
	segment := sample{name: "outer", octets: s.octets, at: outer, end: s.end, protocol: layers.IPProtocolUDP, from: from6,
		to: to6}
	segment.finishes(t)
	both := segment.unfinished()
	inner := s.unfinished()
	copy(both[s.at:], inner[s.at:])
	if !Finish(both) || !bytes.Equal(both, s.octets) {
		t.Errorf("both unfinished: %x, should be %x", both, s.octets)
	}
	absent := s.unfinished()
	binary.BigEndian.PutUint16(absent[outer+6:], 0)
	if !Finish(absent) || !bytes.Equal(absent[s.at:], s.octets[s.at:]) {
		t.Errorf("outer absent: %x, should be %x", absent[s.at:], s.octets[s.at:])
	}
}

func TestFinishDoesNotAllocate(t *testing.T) {
	for _, s := range samples(t, counted(1000), 0) {
		f, partial := s.unfinished(), s.unfinished()
		if n := testing.AllocsPerRun(10, func() { copy(f, partial); Finish(f) }); n != 0 {
			t.Errorf("%s: %v allocations", s.name, n)
		}
	}
}
