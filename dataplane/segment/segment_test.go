package segment

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"uelink/dataplane/checksum"
)

// shape is what a test's super-frame consists of.
type shape struct {
	v6, udp bool
	tags    int
	options int // octets of TCP options, a multiple of 4
	payload int
	size    int
	flags   uint8
}

func (s shape) String() string { return fmt.Sprintf("%+v", struct{ shape }{s}) }

// super makes a super-frame with random octets, and its header.
func (s shape) super(r *rand.Rand) ([]byte, Header) {
	f := random(r, 12)
	for range s.tags {
		f = append(f, 0x81, 0, 0x20, 5)
	}
	protocol, l4len := byte(protocolTCP), tcpLen+s.options
	if s.udp {
		protocol, l4len = protocolUDP, udpLen
	}
	if s.v6 {
		f = append(f, 0x86, 0xdd, 0x60, 2, 3, 4, 0, 0, protocol, 64)
		f = append(f, random(r, 2*16)...)
	} else {
		f = append(f, 8, 0, 0x45, 2, 0, 0, 0xff, 0xf0, 0x40, 0, 64, protocol, 0, 0)
		f = append(f, random(r, 2*4)...)
	}
	l4 := len(f)
	h := Header{Flags: needsChecksum, Type: typeTCPv4, Size: uint16(s.size), Start: uint16(l4), Offset: tcpSumAt,
		Headers: uint16(l4 + l4len)}
	if s.v6 {
		h.Type = typeTCPv6
	}
	f = append(f, random(r, l4len)...)
	if s.udp {
		h.Type, h.Offset = typeUDP, udpSumAt
	} else {
		f[l4+12], f[l4+13] = byte(l4len/4)<<4, s.flags
	}
	return append(f, random(r, s.payload)...), h
}

func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// cut returns all frames of a super-frame.
func cut(t *testing.T, super []byte, h Header) (frames [][]byte) {
	t.Helper()
	var c Cutter
	if err := c.Begin(super, h, 1600); err != nil {
		t.Fatal(err)
	}
	for n := c.NextLen(); n > 0; n = c.NextLen() {
		f := make([]byte, n)
		c.Next(f)
		frames = append(frames, f)
	}
	return frames
}

// join joins frames, and returns the super-frame and its header. It is an error if they are not one.
func join(frames [][]byte) (super []byte, h Header, err error) {
	var j Joiner
	for i, octets := range frames {
		var f Frame
		if !f.Parse(octets) {
			return nil, h, fmt.Errorf("frame %d cannot be joined: %x", i, octets[:min(len(octets), 80)])
		}
		if i == 0 {
			j.Start(&f)
		} else if !j.Add(&f) {
			return nil, h, fmt.Errorf("frame %d is not added", i)
		}
	}
	super = make([]byte, HeadersMax)
	n, h := j.Headers(super)
	super = super[:n]
	for _, octets := range frames {
		super = append(super, octets[j.HeadersLen():]...)
	}
	return super, h, nil
}

func shapes(yield func(shape) bool) {
	for _, v6 := range []bool{false, true} {
		for _, udp := range []bool{false, true} {
			for tags := range 3 {
				for _, payload := range []int{1449, 2896, 2897, 20_001, 60_000, 64_000} {
					for _, flags := range []uint8{flagACK, flagACK | flagPSH, flagACK | flagFIN, flagACK | 0x40} {
						if !yield(shape{v6, udp, tags, 12, payload, 1448, flags}) {
							return
						}
					}
				}
			}
		}
	}
}

// TestJoinedAsBeforeTheCut: the frames of a super-frame, joined, are the super-frame, with all its headers.
func TestJoinedAsBeforeTheCut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for s := range shapes {
		super, h := s.super(r)
		frames := cut(t, super, h)
		if want := (s.payload + s.size - 1) / s.size; len(frames) != want {
			t.Fatalf("%v: %d frames, want %d", s, len(frames), want)
		}
		got, header, err := join(frames)
		if err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		if header != h {
			t.Errorf("%v: header %+v, want %+v", s, header, h)
		}
		l4 := int(h.Start)
		for i := range got { // the super-frame of the test has no lengths, and no checksums
			length := !s.v6 && (i == l4-18 || i == l4-17 || i == l4-10 || i == l4-9) || s.v6 && (i == l4-36 || i == l4-35)
			sum := i == l4+int(h.Offset) || i == l4+int(h.Offset)+1
			if got[i] != super[i] && !length && !sum && !(s.udp && (i == l4+4 || i == l4+5)) {
				t.Fatalf("%v: octet %d is %#x, was %#x", s, i, got[i], super[i])
			}
		}
		again := cut(t, got, header)
		for i := range again {
			if !bytes.Equal(again[i], frames[i]) {
				t.Fatalf("%v: frame %d differs when cut again", s, i)
			}
		}
	}
}

// TestFlagsOfSegments: FIN and PSH are on the last segment alone, CWR on the first, the others on all. With accurate
// ECN CWR is on all, whether the kernel has a type for it or not.
func TestFlagsOfSegments(t *testing.T) {
	const all = flagACK | flagPSH | flagFIN | flagCWR | 0x40
	for kind, cwr := range map[uint8]uint8{typeECN: 0, typeAccECN: flagCWR, typeECN | typeAccECN: flagCWR, 0: flagCWR} {
		s := shape{options: 12, payload: 4000, size: 1448, flags: all}
		super, h := s.super(rand.New(rand.NewPCG(1, 2)))
		h.Type |= kind
		frames := cut(t, super, h)
		first, last := uint8(flagACK|flagCWR|0x40), flagACK|flagPSH|flagFIN|cwr|0x40
		for i, want := range []uint8{first, flagACK | cwr | 0x40, last} {
			if got := frames[i][34+13]; got != want {
				t.Errorf("type %#x: segment %d has flags %#x, want %#x", kind, i, got, want)
			}
		}
	}
}

// two returns two consecutive frames of a flow.
func two(t *testing.T, s shape) (a, b []byte) {
	t.Helper()
	s.payload, s.size, s.options, s.flags = 2*1448, 1448, 12, flagACK
	super, h := s.super(rand.New(rand.NewPCG(3, 4)))
	frames := cut(t, super, h)
	return frames[0], frames[1]
}

// fix computes the checksums of a frame without tags again.
func fix(f []byte) {
	l4, protocol, addresses := 54, f[20], f[22:54]
	if f[12] == 8 {
		l4, protocol, addresses = 14+4*int(f[14]&15), f[23], f[26:34]
		sumIPv4(f[14:l4])
	}
	at := tcpSumAt
	if protocol == protocolUDP {
		at = udpSumAt
	}
	f[l4+at], f[l4+at+1] = 0, 0
	finish(f[l4:], at, checksum.Fold(folded(checksum.Sum(addresses))+uint64(protocol)<<8+lengthSum(len(f)-l4)+
		folded(checksum.Sum(f[l4:]))))
}

// TestNeverJoined: a frame that differs from the one before in more than a following segment does is not joined, nor
// one that no interface would have cut so.
func TestNeverJoined(t *testing.T) {
	const l4 = 34
	for name, change := range map[string]func(a, b []byte) (x, y []byte){
		"SYN":            func(a, b []byte) (x, y []byte) { b[l4+13] |= flagSYN; return a, b },
		"RST":            func(a, b []byte) (x, y []byte) { b[l4+13] |= flagRST; return a, b },
		"URG":            func(a, b []byte) (x, y []byte) { b[l4+13] |= flagURG; return a, b },
		"CWR":            func(a, b []byte) (x, y []byte) { b[l4+13] |= flagCWR; return a, b },
		"CWR first":      func(a, b []byte) (x, y []byte) { a[l4+13] |= flagCWR; return a, b },
		"ECE":            func(a, b []byte) (x, y []byte) { b[l4+13] |= 0x40; return a, b },
		"AE":             func(a, b []byte) (x, y []byte) { b[l4+12] |= 1; return a, b },
		"PSH first":      func(a, b []byte) (x, y []byte) { a[l4+13] |= flagPSH; return a, b },
		"FIN first":      func(a, b []byte) (x, y []byte) { a[l4+13] |= flagFIN; return a, b },
		"no ACK":         func(a, b []byte) (x, y []byte) { a[l4+13] = 0; b[l4+13] = 0; return a, b },
		"ack":            func(a, b []byte) (x, y []byte) { b[l4+8]++; return a, b },
		"window":         func(a, b []byte) (x, y []byte) { b[l4+14]++; return a, b },
		"urgent pointer": func(a, b []byte) (x, y []byte) { b[l4+18]++; return a, b },
		"option":         func(a, b []byte) (x, y []byte) { b[l4+24]++; return a, b },
		"ports":          func(a, b []byte) (x, y []byte) { b[l4]++; return a, b },
		"sequence":       func(a, b []byte) (x, y []byte) { b[l4+7]++; return a, b },
		"twice":          func(a, b []byte) (x, y []byte) { return b, b },
		"back":           func(a, b []byte) (x, y []byte) { return b, a },
		"ECN":            func(a, b []byte) (x, y []byte) { b[15] ^= 1; return a, b },
		"DSCP":           func(a, b []byte) (x, y []byte) { b[15] ^= 0x20; return a, b },
		"TTL":            func(a, b []byte) (x, y []byte) { b[22]--; return a, b },
		"DF":             func(a, b []byte) (x, y []byte) { b[20] ^= 0x40; return a, b },
		"MF":             func(a, b []byte) (x, y []byte) { a[20] |= 0x20; return a, b },
		"offset":         func(a, b []byte) (x, y []byte) { b[21] = 5; return a, b },
		"identification": func(a, b []byte) (x, y []byte) { b[19]++; return a, b },
		"source":         func(a, b []byte) (x, y []byte) { b[29]++; return a, b },
		"MAC":            func(a, b []byte) (x, y []byte) { b[3]++; return a, b },
		"shorter first": func(a, b []byte) (x, y []byte) {
			a = a[:1000]
			binary.BigEndian.PutUint16(a[16:], 986)
			binary.BigEndian.PutUint32(b[l4+4:], binary.BigEndian.Uint32(a[l4+4:])+1000-66)
			return a, b
		},
		"empty": func(a, b []byte) (x, y []byte) {
			b = b[:66]
			binary.BigEndian.PutUint16(b[16:], 52)
			return a, b
		},
	} {
		a, b := change(two(t, shape{}))
		fix(a)
		fix(b)
		if _, _, err := join([][]byte{a, b}); err == nil {
			t.Errorf("%s: joined", name)
		}
	}
	for name, change := range map[string]func(b []byte) []byte{
		"wrong TCP checksum": func(b []byte) []byte { b[200]++; return b },
		"wrong IP checksum":  func(b []byte) []byte { b[24]++; return b },
		"padded":             func(b []byte) []byte { return append(b, 0) },
		"cut short":          func(b []byte) []byte { return b[:len(b)-1] },
		"IP options":         func(b []byte) []byte { b[14] = 0x46; fix(b); return b },
		"three tags": func(b []byte) []byte {
			return append(append(bytes.Clone(b[:12]), 0x81, 0, 0, 1, 0x81, 0, 0, 1, 0x81, 0, 0, 1), b[12:]...)
		},
	} {
		if _, b := two(t, shape{}); new(Frame).Parse(change(b)) {
			t.Errorf("%s: may be joined", name)
		}
	}
	for _, at := range []int{15, 17, 21} { // traffic class, flow label, hop limit
		a, b := two(t, shape{v6: true})
		b[at]++
		fix(b)
		if _, _, err := join([][]byte{a, b}); err == nil {
			t.Errorf("IPv6, octet %d: joined", at)
		}
	}
	for _, v6 := range []bool{false, true} {
		a, b := two(t, shape{v6: v6, udp: true})
		if _, _, err := join([][]byte{a, b}); err != nil {
			t.Errorf("UDP: %v", err)
		}
		l4 := len(b) - 1448 - udpLen
		b[l4+udpSumAt], b[l4+udpSumAt+1] = 0, 0
		if new(Frame).Parse(b) {
			t.Error("UDP without a checksum: may be joined")
		}
	}
}

// TestBoundsOfASuperFrame: no more than 64 frames, and no more octets than an IP packet has.
func TestBoundsOfASuperFrame(t *testing.T) {
	for _, c := range []struct{ size, frames, want int }{{100, 70, Most}, {1448, 60, 45}} {
		var all [][]byte
		var j Joiner
		s := shape{options: 12, payload: c.size * 40, size: c.size, flags: flagACK}
		super, h := s.super(rand.New(rand.NewPCG(1, 2)))
		seq, id := binary.BigEndian.Uint32(super[38:]), binary.BigEndian.Uint16(super[18:])
		for len(all) < c.frames {
			all = append(all, cut(t, super, h)...)
			binary.BigEndian.PutUint32(super[38:], seq+uint32(len(all)*c.size))
			binary.BigEndian.PutUint16(super[18:], id+uint16(len(all)))
		}
		for i, octets := range all[:c.frames] {
			var f Frame
			if !f.Parse(octets) {
				t.Fatal(i)
			}
			if i == 0 {
				j.Start(&f)
			} else if !j.Add(&f) {
				break
			}
		}
		if j.Len() != c.want {
			t.Errorf("%d frames of %d octets were joined, want %d", j.Len(), c.size, c.want)
		}
	}
}

// TestLyingHeaders: a header that contradicts the octets is refused, and so is a frame too long.
func TestLyingHeaders(t *testing.T) {
	good, goodHeader := shape{options: 12, payload: 3000, size: 1448, flags: flagACK}.super(rand.New(rand.NewPCG(1, 2)))
	for name, change := range map[string]func(f []byte, h *Header) []byte{
		"size 0":                    func(f []byte, h *Header) []byte { h.Size = 0; return f },
		"size 65535":                func(f []byte, h *Header) []byte { h.Size = 65535; return f },
		"unknown type":              func(f []byte, h *Header) []byte { h.Type = 77; return f },
		"UFO":                       func(f []byte, h *Header) []byte { h.Type = 3; return f },
		"TCP of the other IP":       func(f []byte, h *Header) []byte { h.Type = typeTCPv6; return f },
		"start beyond the frame":    func(f []byte, h *Header) []byte { h.Start = 65000; return f },
		"start in front of IP":      func(f []byte, h *Header) []byte { h.Start = 3; return f },
		"start behind IP":           func(f []byte, h *Header) []byte { h.Start++; return f },
		"cut in the header":         func(f []byte, h *Header) []byte { return f[:60] },
		"no payload":                func(f []byte, h *Header) []byte { return f[:66] },
		"cut in the Ethernet":       func(f []byte, h *Header) []byte { return f[:13] },
		"empty":                     func(f []byte, h *Header) []byte { return nil },
		"short TCP header":          func(f []byte, h *Header) []byte { f[46] = 0x40; return f },
		"no IP":                     func(f []byte, h *Header) []byte { f[12] = 9; return f },
		"one frame, too long":       func(f []byte, h *Header) []byte { h.Type = typeNone; return f },
		"one frame, start too far":  func(f []byte, h *Header) []byte { h.Type, h.Start = typeNone, 999; return f[:1000] },
		"one frame, offset too far": func(f []byte, h *Header) []byte { h.Type, h.Offset = typeNone, 65535; return f[:1000] },
	} {
		h := goodHeader
		f := change(bytes.Clone(good), &h)
		var c Cutter
		if err := c.Begin(f, h, 1600); err == nil {
			t.Errorf("%s: no error", name)
		}
		if c.NextLen() != 0 {
			t.Errorf("%s: a frame of %d octets is left", name, c.NextLen())
		}
	}
	lies := goodHeader
	lies.Headers = 1 // a guess for receivers that copy
	if got, want := cut(t, good, lies), cut(t, good, goodHeader); !bytes.Equal(got[0], want[0]) {
		t.Error("hdr_len changes the frames")
	}
}

// TestUnfinishedChecksumOfOneFrame: a frame that is not cut gets its checksum, where the header says it lacks one.
func TestUnfinishedChecksumOfOneFrame(t *testing.T) {
	for _, s := range []shape{{}, {udp: true}, {v6: true}, {v6: true, udp: true}} {
		want, _ := two(t, s)
		s.payload, s.size, s.options, s.flags = 1448, 1448, 12, flagACK
		_, h := s.super(rand.New(rand.NewPCG(3, 4)))
		f := bytes.Clone(want)
		l4 := f[h.Start:]
		binary.LittleEndian.PutUint16(l4[h.Offset:], checksum.Fold(pseudoSum(f, s)))
		h.Type = typeNone
		if got := cut(t, f, h); !bytes.Equal(got[0], want) {
			t.Errorf("%v:\n%x\nwant\n%x", s, got[0][:70], want[:70])
		}
		h.Flags = 0
		if got := cut(t, f, h); !bytes.Equal(got[0], f) {
			t.Errorf("%v: a finished checksum is finished again", s)
		}
	}
}

func pseudoSum(f []byte, s shape) uint64 {
	addresses, l4, protocol := f[26:34], 34, uint64(protocolTCP)
	if s.v6 {
		addresses, l4 = f[22:54], 54
	}
	if s.udp {
		protocol = protocolUDP
	}
	return folded(checksum.Sum(addresses)) + protocol<<8 + lengthSum(len(f)-l4)
}

// FuzzCut: any octets and any header are cut into frames that are no longer than allowed, or refused; frames that can
// be joined again are cut in the same way.
func FuzzCut(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 6))
	for s := range shapes {
		if s.payload < 3000 {
			super, h := s.super(r)
			b := make([]byte, HeaderLen)
			h.Put(b)
			f.Add(append(b, super...))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < HeaderLen {
			return
		}
		var h Header
		h.Parse(b)
		var c Cutter
		if c.Begin(b[HeaderLen:], h, 1600) != nil {
			return
		}
		var frames [][]byte
		for n := c.NextLen(); n > 0; n = c.NextLen() {
			if n > 1600 {
				t.Fatalf("a frame of %d octets", n)
			}
			frame := make([]byte, n)
			c.Next(frame)
			frames = append(frames, frame)
		}
		super, header, err := join(frames)
		if err != nil || len(frames) < 2 {
			return
		}
		for i, again := range cut(t, super, header) {
			if !bytes.Equal(again, frames[i]) {
				t.Fatalf("frame %d of %d differs when cut again", i, len(frames))
			}
		}
	})
}

func TestNoAllocations(t *testing.T) {
	super, h := shape{options: 12, payload: 60_000, size: 1448, flags: flagACK}.super(rand.New(rand.NewPCG(1, 2)))
	into, headers := make([]byte, 64<<11), make([]byte, HeadersMax)
	var c Cutter
	var j Joiner
	var f Frame
	if n := testing.AllocsPerRun(10, func() {
		_ = c.Begin(super, h, 1600)
		j.Reset()
		for i := 0; c.NextLen() > 0; i++ {
			b := into[i<<11:][:c.NextLen()]
			c.Next(b)
			if f.Parse(b); !j.Add(&f) {
				j.Start(&f)
			}
		}
		j.Headers(headers)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkCut(b *testing.B) {
	super, h := shape{options: 12, payload: 44 * 1448, size: 1448, flags: flagACK}.super(rand.New(rand.NewPCG(1, 2)))
	into := make([]byte, 64<<11)
	for b.Loop() {
		var c Cutter
		_ = c.Begin(super, h, 1600)
		for i := 0; c.NextLen() > 0; i++ {
			c.Next(into[i<<11:][:c.NextLen()])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/44, "ns/frame")
}

func BenchmarkJoin(b *testing.B) {
	super, h := shape{options: 12, payload: 44 * 1448, size: 1448, flags: flagACK}.super(rand.New(rand.NewPCG(1, 2)))
	into := make([]byte, 64<<11)
	var frames [][]byte
	var c Cutter
	_ = c.Begin(super, h, 1600)
	for i := 0; c.NextLen() > 0; i++ {
		f := into[i<<11:][:c.NextLen()]
		c.Next(f)
		frames = append(frames, f)
	}
	for b.Loop() {
		var j Joiner
		var f Frame
		for _, octets := range frames {
			if f.Parse(octets); !j.Add(&f) {
				j.Start(&f)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/44, "ns/frame")
}
