package trim

import (
	"bytes"
	"encoding/binary"
	"testing"

	"uelink/wire"
)

// FuzzTrim: whatever a frame holds, it is trimmed to less of itself or not at all, nothing behind
// its end is read, and of what is left only the DSCP, the length and the checksum of IP change.
func FuzzTrim(f *testing.F) {
	for _, r := range rows() {
		for _, shape := range shapes() {
			for _, shape.options = range []bool{false, true} {
				protocol, payload := r.build(&testing.T{}, 100)
				f.Add(shape.frame(&testing.T{}, protocol, payload), uint16(0), uint8(16))
			}
		}
	}
	f.Fuzz(func(t *testing.T, frame []byte, size uint16, dscp uint8) {
		s := testSettings()
		s.Size, s.DSCP = int(size), dscp&63
		s.Trimmable = ^DSCPs(0)
		frame = append([]byte(nil), frame...)[:len(frame):len(frame)] // beyond its end it panics
		p, ok := s.PlanFor(frame)
		if !ok {
			return
		}
		if p.Len >= len(frame) || p.Len < p.IP+ipv4Len || p.Len < min(s.Size, len(frame)) {
			t.Fatalf("%d octets of %d stay, IP at %d, size %d", p.Len, len(frame), p.IP, s.Size)
		}
		out := make([]byte, p.Len)
		if n := s.Put(out, frame, p, s.DSCP, wire.Retag{}); n != p.Len {
			t.Fatalf("%d octets, planned %d", n, p.Len)
		}
		if _, again := s.PlanFor(out); again {
			t.Errorf("it is trimmed twice: %x", out)
		}
		compare(t, frame, out, p.IP)
	})
}

// compare checks a trimmed frame against what it was.
func compare(t *testing.T, before, after []byte, ip int) {
	t.Helper()
	restored := bytes.Clone(after)
	if after[ip]>>4 == 4 {
		if got := int(binary.BigEndian.Uint16(after[ip+2:])); got != len(after)-ip {
			t.Errorf("total length %d of %d octets", got, len(after)-ip)
		}
		if checksumRight(before, ip) && !checksumRight(after, ip) {
			t.Errorf("the checksum was right: %x", after)
		}
		restored[ip+1] = after[ip+1]&3 | before[ip+1]&^3
		copy(restored[ip+2:ip+4], before[ip+2:])
		copy(restored[ip+10:ip+12], before[ip+10:])
	} else {
		if got := int(binary.BigEndian.Uint16(after[ip+4:])); got != len(after)-ip-ipv6Len {
			t.Errorf("payload length %d of %d octets", got, len(after)-ip-ipv6Len)
		}
		const dscp = 0x0FC0
		word := binary.BigEndian.Uint16(after[ip:])&^dscp | binary.BigEndian.Uint16(before[ip:])&dscp
		binary.BigEndian.PutUint16(restored[ip:], word)
		copy(restored[ip+4:ip+6], before[ip+4:])
	}
	if !bytes.Equal(restored, before[:len(after)]) {
		t.Errorf("more has changed:\n was %x\n  is %x", before[:len(after)], after)
	}
}
