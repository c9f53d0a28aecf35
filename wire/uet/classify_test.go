package uet

import (
	"encoding/binary"
	"slices"
	"testing"

	"uelink/wire"
)

// trimmedDSCP is the DSCP of trimmed packets for the tests' classifier.
const trimmedDSCP = 16

func testClassifier() Classifier {
	c := NewClassifier()
	c.Trimmed = 1 << trimmedDSCP
	return c
}

// frame parts, each the octets that a packet has of it.
func ethernet(kind uint16, tags ...uint16) []byte {
	b := make([]byte, 12, 100)
	for _, tag := range tags {
		b = binary.BigEndian.AppendUint16(b, tag)
		b = append(b, 0, 5)
	}
	return binary.BigEndian.AppendUint16(b, kind)
}

func v4(protocol, dscp uint8, options int, payload []byte) []byte {
	b := make([]byte, 20+options)
	b[0], b[1], b[9] = 0x40|byte(len(b)/4), dscp<<2, protocol
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)+len(payload)))
	return append(b, payload...)
}

func v6(next, dscp uint8, payload []byte) []byte {
	b := make([]byte, 40)
	binary.BigEndian.PutUint16(b, 6<<12|uint16(dscp)<<6)
	binary.BigEndian.PutUint16(b[4:], uint16(len(payload)))
	b[6] = next
	return append(b, payload...)
}

// ext is an extension header of IPv6 with more than its first eight octets.
func ext(next uint8, more int, payload []byte) []byte {
	b := make([]byte, 8+8*more)
	b[0], b[1] = next, byte(more)
	return append(b, payload...)
}

func udp(port uint16, payload []byte) []byte {
	b := make([]byte, 8)
	binary.BigEndian.PutUint16(b[2:], port)
	binary.BigEndian.PutUint16(b[4:], uint16(8+len(payload)))
	return append(b, payload...)
}

// edited is octets with some of them replaced.
func edited(b []byte, at int, with ...byte) []byte {
	b = slices.Clone(b)
	copy(b[at:], with)
	return b
}

func TestClassify(t *testing.T) {
	pds := octets(t, rud3+" 0000")
	direct := append([]byte{0x12, 0x34, 0, 0}, pds...)
	plain := slices.Concat(ethernet(0x0800), v4(17, 0, 0, udp(4793, pds)))
	n := uint32(len(plain))
	for _, c := range []struct {
		name  string
		frame []byte
		want  Summary
	}{
		{"UDP over IPv4", plain, Summary{Class: Request, Type: 2, PDS: 42, End: n}},
		{"and padding", append(slices.Clone(plain), make([]byte, 20)...), Summary{Class: Request, Type: 2, PDS: 42,
			End: n}},
		{"directly over IPv4", slices.Concat(ethernet(0x0800), v4(253, 10, 0, direct)),
			Summary{Class: Request, Type: 2, DSCP: 10, Entropy: true, PDS: 38, End: n - 4}},
		{"UDP over IPv6", slices.Concat(ethernet(0x86DD), v6(17, 63, udp(4793, pds))),
			Summary{Class: Request, Type: 2, DSCP: 63, PDS: 62, End: n + 20}},
		{"directly over IPv6", slices.Concat(ethernet(0x86DD), v6(253, 0, direct)),
			Summary{Class: Request, Type: 2, Entropy: true, PDS: 58, End: n + 16}},
		{"one tag", slices.Concat(ethernet(0x0800, 0x8100), v4(17, 0, 0, udp(4793, pds))),
			Summary{Class: Request, Type: 2, PDS: 46, End: n + 4}},
		{"two tags", slices.Concat(ethernet(0x86DD, 0x88A8, 0x8100), v6(17, 0, udp(4793, pds))),
			Summary{Class: Request, Type: 2, PDS: 70, End: n + 28}},
		{"three tags", slices.Concat(ethernet(0x0800, 0x8100, 0x8100, 0x8100), v4(17, 0, 0, udp(4793, pds))),
			Summary{}},
		{"options of IPv4", slices.Concat(ethernet(0x0800), v4(17, 0, 40, udp(4793, pds))),
			Summary{Class: Request, Type: 2, PDS: 82, End: n + 40}},
		{"extension headers", slices.Concat(ethernet(0x86DD), v6(0, 0, ext(43, 0, ext(60, 2, ext(17, 0, udp(4793,
			pds)))))),
			Summary{Class: Request, Type: 2, PDS: 102, End: n + 60}},
		{"an extension header that is longer than IP", slices.Concat(ethernet(0x86DD), v6(0, 0, ext(17, 0, nil)[:6])),
			Summary{}},
		{"an extension header that points beyond", slices.Concat(ethernet(0x86DD), v6(0, 0, edited(ext(17, 0,
			udp(4793, pds)), 1, 255))), Summary{}},
		{"a loop of extension headers", slices.Concat(ethernet(0x86DD), v6(0, 0, make([]byte, 1000))), Summary{}},

		{"another port", slices.Concat(ethernet(0x0800), v4(17, 0, 0, udp(4792, pds))), Summary{}},
		{"TCP", slices.Concat(ethernet(0x0800), v4(6, 0, 0, udp(4793, pds))), Summary{}},
		{"first fragment", edited(plain, 20, 0x20), Summary{}},
		{"last fragment", edited(plain, 21, 1), Summary{}},
		{"do not fragment", edited(plain, 20, 0x40), Summary{Class: Request, Type: 2, PDS: 42, End: n}},
		{"fragment of IPv6", slices.Concat(ethernet(0x86DD), v6(44, 0, ext(17, 0, udp(4793, pds)))), Summary{}},
		{"ESP", slices.Concat(ethernet(0x86DD), v6(50, 0, udp(4793, pds))), Summary{}},
		{"ESP of IPv4", slices.Concat(ethernet(0x0800), v4(50, 0, 0, udp(4793, pds))), Summary{}},
		{"ARP", slices.Concat(ethernet(0x0806), make([]byte, 46)), Summary{}},
		{"shorter than Ethernet", make([]byte, 13), Summary{}},
		{"nothing", nil, Summary{}},
		{"ends with its tag", ethernet(0x0800, 0x8100)[:16], Summary{}},
		{"header length of IPv4 below 5", edited(plain, 14, 0x44), Summary{}},
		{"IP version 6 under the type of IPv4", edited(plain, 14, 0x65), Summary{}},
		{"IP longer than the frame", edited(plain, 16, 0xFF), Summary{}},
		{"IP shorter than its header", edited(plain, 16, 0, 19), Summary{}},
		{"IP ends within UDP", edited(plain, 16, 0, 27), Summary{}},
		{"UDP ends before IP does", edited(plain, 38, 0, 9), Summary{Class: Unknown, PDS: 42, End: 43}},
		{"UDP shorter than its header", edited(plain, 38, 0, 7), Summary{Class: Request, Type: 2, PDS: 42, End: n}},

		{"trimmed by its DSCP", edited(plain, 15, trimmedDSCP<<2), Summary{Class: Request, Type: 2, DSCP: trimmedDSCP,
			Trimmed: true, PDS: 42, End: n}},
		{"trimmed by the length of UDP", edited(plain, 38, 0x10), Summary{Class: Request, Type: 2, Trimmed: true,
			PDS: 42, End: n}},
		{"no octet of PDS", slices.Concat(ethernet(0x0800), v4(253, 0, 0, direct[:3])),
			Summary{Class: Unknown, Entropy: true, Start: 34, PDS: 37, End: 37}},
		{"one octet of PDS", slices.Concat(ethernet(0x0800), v4(253, 0, 0, direct[:5])),
			Summary{Class: Unknown, Entropy: true, PDS: 38, End: 39}},
	} {
		classifier := testClassifier()
		if c.want.Class != NotUET && c.want.Start == 0 {
			c.want.Start = c.want.PDS
			if c.want.Entropy {
				c.want.Start -= entropyLen
			}
		}
		if got := classifier.Classify(c.frame); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestClassesOfTypes(t *testing.T) {
	want := map[uint8]Class{1: Secure, 2: Request, 3: Request, 4: Request, 5: Acknowledgement, 6: Request,
		7: Acknowledgement,
		8: Acknowledgement, 9: Acknowledgement, 10: Acknowledgement, 11: Control, 12: Acknowledgement, 13: Request,
		14: Request}
	classifier := testClassifier()
	for kind := range uint8(32) {
		class, ok := want[kind]
		if !ok {
			class = Unknown
		}
		frame := slices.Concat(ethernet(0x0800), v4(17, 0, 0, udp(4793, []byte{kind << 3, 0})))
		if got := classifier.Classify(frame); got.Class != class || got.Type != kind {
			t.Errorf("type %d: %+v, want %v", kind, got, class)
		}
	}
	words := map[string]bool{}
	for c := range numClasses + 1 {
		words[c.String()] = true
	}
	if len(words) != int(numClasses)+1 {
		t.Errorf("%v", words)
	}
}

func TestPortAndProtocolAreConfigurable(t *testing.T) {
	pds := octets(t, rud3)
	c := Classifier{Port: 49150, Protocol: 200}
	if got := c.Classify(slices.Concat(ethernet(0x0800), v4(17, 0, 0, udp(49150, pds)))); got.Class != Request {
		t.Errorf("%+v", got)
	}
	if got := c.Classify(slices.Concat(ethernet(0x86DD), v6(200, 0, append(make([]byte, 4),
		pds...)))); got.Class != Request {
		t.Errorf("%+v", got)
	}
	if got := c.Classify(slices.Concat(ethernet(0x0800), v4(17, 0, 0, udp(4793, pds)))); got != (Summary{}) {
		t.Errorf("%+v", got)
	}
}

// The offsets of a Summary lie within the frame, and Parse accepts the packet between them.
func FuzzClassify(f *testing.F) {
	pds := octets(f, rud3)
	f.Add(slices.Concat(ethernet(0x0800, 0x8100), v4(17, 0, 4, udp(4793, pds))))
	f.Add(slices.Concat(ethernet(0x86DD), v6(0, 0, ext(43, 0, ext(60, 2, ext(17, 0, udp(4793, pds)))))))
	f.Add(slices.Concat(ethernet(0x0800), v4(253, 0, 0, append(make([]byte, 4), pds...))))
	f.Fuzz(func(t *testing.T, b []byte) {
		c := testClassifier()
		s := c.Classify(b)
		if s.Class == NotUET {
			if s != (Summary{}) {
				t.Fatalf("nothing is %+v", s)
			}
			return
		}
		if s.Start > s.PDS || s.PDS > s.End || int(s.End) > len(b) || s.PDS < wire.HeaderLen {
			t.Fatalf("%+v in %d octets", s, len(b))
		}
		var p Packet
		p.Parse(b[s.PDS:s.End], Options{Trimmed: s.Trimmed})
		if h := p.Headers(); len(h) > 0 && uint8(h[0].Octets[0]>>3) != s.Type {
			t.Fatalf("type %d, parsed as %s", s.Type, h[0].Of.Name)
		}
	})
}

func TestClassifyAllocatesNothing(t *testing.T) {
	c := testClassifier()
	frame := slices.Concat(ethernet(0x86DD), v6(0, 0, ext(17, 0, udp(4793, make([]byte, 40)))))
	if n := testing.AllocsPerRun(100, func() { c.Classify(frame) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkClassify(b *testing.B) {
	pds := make([]byte, 1000)
	pds[0] = 0x11
	for _, c := range []struct {
		name  string
		frame []byte
	}{
		{"ARP", slices.Concat(ethernet(0x0806), make([]byte, 46))},
		{"TCP-IPv4", slices.Concat(ethernet(0x0800), v4(6, 0, 0, pds))},
		{"UDP-IPv4", slices.Concat(ethernet(0x0800), v4(17, 0, 0, udp(53, pds)))},
		{"UDP-IPv4-tagged", slices.Concat(ethernet(0x0800, 0x88A8, 0x8100), v4(17, 0, 0, udp(53, pds)))},
		{"UDP-IPv6", slices.Concat(ethernet(0x86DD), v6(17, 0, udp(53, pds)))},
		{"UET-UDP-IPv4", slices.Concat(ethernet(0x0800), v4(17, 0, 0, udp(4793, pds)))},
		{"UET-IPv4", slices.Concat(ethernet(0x0800), v4(253, 0, 0, append(make([]byte, 4), pds...)))},
		{"UET-UDP-IPv4-tagged", slices.Concat(ethernet(0x0800, 0x88A8, 0x8100), v4(17, 0, 0, udp(4793, pds)))},
		{"UET-UDP-IPv6", slices.Concat(ethernet(0x86DD), v6(17, 0, udp(4793, pds)))},
		{"UET-IPv6-extension", slices.Concat(ethernet(0x86DD), v6(0, 0, ext(253, 0, append(make([]byte, 4), pds...))))},
	} {
		b.Run(c.name, func(b *testing.B) {
			classifier := testClassifier()
			b.ReportAllocs()
			for b.Loop() {
				classifier.Classify(c.frame)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	packet := octets(b, rud("3")+"05"+ue1STD)
	var p Packet
	b.ReportAllocs()
	for b.Loop() {
		p.Parse(packet, Options{Dialect: ue1})
	}
}
