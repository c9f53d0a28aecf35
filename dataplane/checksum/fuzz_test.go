package checksum

import (
	"bytes"
	"slices"
	"testing"

	"github.com/gopacket/gopacket/layers"
)

// FuzzAgainstGopacket: of a frame whose checksums gopacket has computed, any payload and any of the kinds, Finish
// restores the checksum that a host has left unfinished.
func FuzzAgainstGopacket(f *testing.F) {
	f.Add(uint8(0), uint8(0), counted(100))
	f.Add(uint8(1), uint8(30), bytes.Repeat([]byte{0xff}, 77))
	f.Add(uint8(2), uint8(4), []byte{})
	names := make([]string, 0, 32)
	for name := range networks(layers.IPProtocolTCP) {
		names = append(names, name)
	}
	slices.Sort(names)
	protocols := []layers.IPProtocol{layers.IPProtocolTCP, layers.IPProtocolUDP, layers.IPProtocolSCTP}
	f.Fuzz(func(t *testing.T, kind, padding uint8, payload []byte) {
		if len(payload) > 9000 {
			return
		}
		protocol := protocols[int(kind)%len(protocols)]
		name := names[int(kind)/len(protocols)%len(names)]
		s := build(t, name, networks(protocol)[name], protocol, payload, int(padding))
		octets := s.unfinished()
		Finish(octets)
		if differ := s.differences(octets); differ {
			t.Errorf("%s in %s: %x, should be %x", protocol, name, octets[s.at:], s.octets[s.at:])
		}
	})
}

// differences reports whether octets are another frame than the sample. Zeros and ones in the checksum of TCP are the
// same number.
func (s *sample) differences(octets []byte) bool {
	if s.protocol == layers.IPProtocolTCP && bytes.Equal(octets[s.at+16:s.at+18], []byte{0xff, 0xff}) &&
		bytes.Equal(s.octets[s.at+16:s.at+18], []byte{0, 0}) {
		octets = slices.Clone(octets)
		copy(octets[s.at+16:], []byte{0, 0})
	}
	return !bytes.Equal(octets, s.octets)
}

// FuzzAnyOctets: whatever the octets, Finish changes at most the checksums, does so once, and neither reads nor writes
// behind the frame.
func FuzzAnyOctets(f *testing.F) {
	for _, s := range samples(f, counted(20), 2) {
		f.Add(s.unfinished())
		f.Add(s.octets)
	}
	f.Fuzz(func(t *testing.T, octets []byte) {
		original := append(slices.Clone(octets), 0x5a)
		frame := slices.Clone(original)
		n := len(octets)
		finished := Finish(frame[:n:n])
		changed := 0
		for i := range frame {
			if frame[i] != original[i] {
				changed++
			}
		}
		// At most one checksum of each tunnel, and of the innermost packet: 2 octets, or 4 of SCTP.
		if most := 2*tunnelsMax + 4; changed > most || finished != (changed > 0) || frame[n] != 0x5a {
			t.Errorf("%d octets changed, finished: %v", changed, finished)
		}
		if Finish(frame[:n:n]) {
			t.Errorf("finished twice: %x", frame[:n])
		}
	})
}
