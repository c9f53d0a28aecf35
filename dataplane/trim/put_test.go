package trim

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"uelink/wire"
)

// A trimmed frame is, octet by octet, what gopacket makes of the same headers, another DSCP, and
// the beginning of the same payload: so the length and the checksum of IP are right, and UDP, with
// its length and checksum, is as it was sent (UE-LINK §6.2).
func TestTrimmedAsGopacketHasIt(t *testing.T) {
	for _, r := range rows() {
		for _, shape := range shapes() {
			for _, shape.options = range []bool{false, true} {
				protocol, payload := r.build(t, 1000)
				got := testSettings().trimmed(t, shape.frame(t, protocol, payload))
				after := shape
				after.dscp = 16
				if want := after.frame(t, protocol, payload[:r.least]); !bytes.Equal(got, want) {
					t.Errorf("%s, %v, options %v:\n got %x\nwant %x", r.name, shape, shape.options, got, want)
				}
			}
		}
	}
}

// gopacket finds the layers of IP in every trimmed frame, with the DSCP, and ECN as it was.
func TestGopacketReadsTrimmed(t *testing.T) {
	for _, r := range rows()[:2] {
		for _, shape := range shapes() {
			protocol, payload := r.build(t, 100)
			got := testSettings().trimmed(t, shape.frame(t, protocol, payload))
			p := gopacket.NewPacket(got, layers.LayerTypeEthernet, gopacket.Default)
			traffic := uint8(0)
			switch ip := p.NetworkLayer().(type) {
			case *layers.IPv4:
				traffic = ip.TOS
			case *layers.IPv6:
				traffic = ip.TrafficClass
			}
			if traffic != 16<<2|testECN {
				t.Errorf("%s, %v: traffic class %#x: %v", r.name, shape, traffic, p)
			}
		}
	}
}

// With RewriteIP off the DSCP alone changes.
func TestIPAsItWasSent(t *testing.T) {
	s := testSettings()
	s.RewriteIP = false
	for _, shape := range shapes() {
		protocol, payload := uetUDP(t, 500)
		f := shape.frame(t, protocol, payload)
		got := s.trimmed(t, f)
		differ := 0
		for i := range got {
			if got[i] != f[i] {
				differ++
			}
		}
		ip := shape.payloadAt() - ipv4Len
		if shape.six {
			ip = shape.payloadAt() - ipv6Len
		}
		before, after := binary.BigEndian.Uint16(f[ip:]), binary.BigEndian.Uint16(got[ip:])
		mask := uint16(0xFC)
		if shape.six {
			mask = 0xFC0
		}
		if differ == 0 || differ > 2 || before&^mask != after&^mask {
			t.Errorf("%v: %d octets differ, %04x became %04x", shape, differ, before, after)
		}
	}
}

// Every DSCP can be that of a trimmed frame, and the checksum is right for each.
func TestEveryDSCP(t *testing.T) {
	s := testSettings()
	for n := range 512 { // so that the sum has carries here and there
		protocol, payload := uetUDP(t, 1+n)
		f := shape{dscp: testDSCP}.frame(t, protocol, payload)
		for s.DSCP = range uint8(64) {
			if s.DSCP == testDSCP {
				continue
			}
			got := s.trimmed(t, f)
			if got[15] != s.DSCP<<2|testECN || !checksumRight(got, 14) {
				t.Fatalf("DSCP %d: %x", s.DSCP, got)
			}
		}
	}
}

// The sum of a checksum may carry twice: the carry of the first addition makes another one. Whatever the header sums up
// to, the checksum is right.
func TestEverySumOfTheHeader(t *testing.T) {
	s := testSettings()
	protocol, payload := uetUDP(t, 500)
	f := shape{dscp: testDSCP}.frame(t, protocol, payload)
	ip := f[14:][:ipv4Len]
	for id := range 1 << 16 {
		binary.BigEndian.PutUint16(ip[4:], uint16(id))
		binary.BigEndian.PutUint16(ip[10:], 0)
		binary.BigEndian.PutUint16(ip[10:], ^headerSum(ip))
		if got := s.trimmed(t, f); !checksumRight(got, 14) {
			t.Fatalf("identification %#04x: %x", id, got)
		}
	}
}

// headerSum is the sum of the 16-bit numbers of a header, with its carries (RFC 791).
func headerSum(header []byte) uint16 {
	sum := uint32(0)
	for at := 0; at < len(header); at += 2 {
		sum += uint32(binary.BigEndian.Uint16(header[at:]))
	}
	for sum > 0xFFFF {
		sum = sum>>16 + sum&0xFFFF
	}
	return uint16(sum)
}

// A header that was damaged on the way still is: trimming does not make it right.
func TestDamagedHeaderStaysDamaged(t *testing.T) {
	protocol, payload := uetUDP(t, 500)
	f := shape{dscp: testDSCP}.frame(t, protocol, payload)
	f[14+8] ^= 0x10 // TTL
	if got := testSettings().trimmed(t, f); checksumRight(got, 14) {
		t.Errorf("its checksum is right: %x", got)
	}
}

// The frame is left alone, and out beyond what is put there, too: others have the frame as well.
func TestNothingElseIsWritten(t *testing.T) {
	s := testSettings()
	for _, shape := range shapes() {
		protocol, payload := uetUDP(t, 500)
		f := shape.frame(t, protocol, payload)
		before, out := slices.Clone(f), bytes.Repeat([]byte{0xA5}, 600)
		p, _ := s.PlanFor(f)
		n := s.Put(out, f, p, 16, wire.Retag{})
		if !bytes.Equal(f, before) || !bytes.Equal(out[n:], bytes.Repeat([]byte{0xA5}, 600-n)) {
			t.Errorf("%v: written where nothing is to be", shape)
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	s, out := testSettings(), make([]byte, 2048)
	for _, r := range rows() {
		for _, shape := range shapes() {
			protocol, payload := r.build(t, 1000)
			f := shape.frame(t, protocol, payload)
			allocations := testing.AllocsPerRun(100, func() {
				if p, ok := s.PlanFor(f); ok {
					s.Put(out, f, p, 16, wire.Retag{})
				}
			})
			if allocations != 0 {
				t.Errorf("%s, %v: %v allocations", r.name, shape, allocations)
			}
		}
	}
}

func BenchmarkTrim(b *testing.B) {
	s, out, t := testSettings(), make([]byte, 2048), &testing.T{}
	s.Size = DefaultSize
	for _, r := range rows() {
		protocol, payload := r.build(t, 1000)
		f := shape{dscp: testDSCP, tags: 1}.frame(t, protocol, payload)
		b.Run(r.name, func(b *testing.B) {
			for b.Loop() {
				p, _ := s.PlanFor(f)
				s.Put(out, f, p, 16, wire.Retag{})
			}
		})
	}
}
