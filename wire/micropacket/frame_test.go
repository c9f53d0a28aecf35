package micropacket

import (
	"math/rand/v2"
	"testing"

	"uelink/wire"
)

var outer = wire.AddressesOf(wire.MAC{1, 2, 3, 4, 5, 6}, wire.MAC{7, 8, 9, 10, 11, 12})

// frameOf returns a frame of random micropackets.
func frameOf(rng *rand.Rand, h FrameHead) []byte {
	b := make([]byte, FrameLen(int(h.N), h.FCS))
	for i := range int(h.N) {
		m := randomMicropacket(rng)
		m.Put(At(b, i))
	}
	if n := PutFrame(b, &outer, wire.EtherTypeData, h); n != len(b) {
		panic("the frame has another length")
	}
	return b
}

func TestFrameGolden(t *testing.T) {
	b := make([]byte, FrameLen(1, false))
	m := Micropacket{Control: linkControl(Reset).Control().WithECRC(0x5897)}
	m.Seal()
	m.Put(At(b, 0))
	PutFrame(b, &outer, wire.EtherTypeData, FrameHead{N: 1, Number: 0x01020304, From: 0x0506, To: 0x0708})
	want := "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x88\xb5\x48\x36\x01\x01\x01\x02\x03\x04\x05\x06\x07\x08" +
		string(make([]byte, 32)) + "\x46\xb0\x58\x97\xff\xff\x00\x48"
	if string(b) != want {
		t.Errorf("%X, want %X", b, want)
	}
}

// TestFrameRoundTrip writes and reads frames of each number of micropackets.
func TestFrameRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for n := 1; n <= MaxPerFrame; n++ {
		for _, fcs := range []bool{false, true} {
			h := FrameHead{N: uint8(n), FCS: fcs, VC3: n&1 == 1, Number: rng.Uint32(), From: 1 + uint16(rng.Uint32N(65535)),
				To: uint16(rng.Uint32())}
			b := frameOf(rng, h)
			if got, fault := ParseFrame(append(b, 0, 0)); got != h || fault != wire.NoFault {
				t.Fatalf("%+v, %v, want %+v", got, fault, h)
			}
			if InFrame(len(b), fcs) != n || InFrame(len(b)-1, fcs) != n-1 {
				t.Fatalf("%d octets hold %d micropackets, one octet less %d", len(b), InFrame(len(b), fcs),
					InFrame(len(b)-1, fcs))
			}
			if _, fault := ParseFrame(b[:len(b)-1]); fault != wire.FaultTruncated {
				t.Fatalf("%v of a frame cut by an octet", fault)
			}
		}
	}
	if InFrame(0, true) != 0 || InFrame(1<<20, false) != MaxPerFrame {
		t.Error("the number of micropackets in a frame is not bounded")
	}
}

func TestFaultsOfAFrame(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, c := range []struct {
		at    int
		octet byte
		want  wire.Fault
	}{
		{markAt, 0x49, wire.FaultSFD}, {markAt + 1, 0x55, wire.FaultSFD}, {versionAt, 2, wire.FaultVersion},
		{versionAt, 1 | 0x20, wire.FaultVersion},
		{countAt, 0, wire.FaultCount}, {countAt, 3, wire.FaultTruncated}, {FrameHeadLen, 0, wire.NoFault},
		{versionAt, 1 | frameFCS, wire.FaultTruncated},
	} {
		b := frameOf(rng, FrameHead{N: 2, From: 1})
		b[c.at] = c.octet
		if _, fault := ParseFrame(b); fault != c.want {
			t.Errorf("octet %d is %02X: %v, want %v", c.at, c.octet, fault, c.want)
		}
	}
	if _, fault := ParseFrame(frameOf(rng, FrameHead{N: 1})); fault != wire.FaultReserved {
		t.Errorf("%v of an epoch of 0", fault)
	}
	b := frameOf(rng, FrameHead{N: 2, FCS: true, From: 1})
	for i := FrameHeadLen; i < len(b); i++ {
		b[i] ^= 0x10
		if _, fault := ParseFrame(b); fault != wire.FaultCRC {
			t.Errorf("octet %d damaged: %v", i, fault)
		}
		b[i] ^= 0x10
	}
}

// TestNoFrameIsTakenForTheOtherProtocol parses frames of micropackets as data frames of LLR, in both dialects, and the
// reverse. A damaged EtherType hides no frame of micropackets behind LLR's look-alike either.
func TestNoFrameIsTakenForTheOtherProtocol(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 100_000 {
		b := frameOf(rng, FrameHead{N: 1, FCS: rng.IntN(2) == 0, Number: rng.Uint32(), From: uint16(rng.Uint32()),
			To: uint16(rng.Uint32())})
		for _, d := range []wire.Dialect{wire.DialectSeed, wire.DialectUE1} {
			if _, fault := wire.ParseData(b, d); fault != wire.FaultSFD {
				t.Fatalf("%X is a data frame of %v: %v", b, d, fault)
			}
			if wire.LooksLikeShim(b, d) {
				t.Fatalf("%X looks like a data frame of %v", b, d)
			}
			p := wire.Preamble{Seq: rng.Uint32() & wire.SeqMask, Sequenced: rng.IntN(2) == 0, FCS: true,
				To: wire.To{VC: uint8(rng.IntN(32)), Partner: rng.IntN(2) == 0, Addressed: rng.IntN(2) == 0}}
			if !p.Sequenced {
				p.Seq = 0
			}
			image := make([]byte, 200)
			wire.PutPreamble(image[wire.HeaderLen:], d, p)
			if _, fault := ParseFrame(image); fault != wire.FaultSFD || IsFrame(image) {
				t.Fatalf("%+v of %v is a frame of micropackets: %v", p, d, fault)
			}
		}
	}
}

// FuzzFrame reads any octets.
func FuzzFrame(f *testing.F) {
	f.Add(frameOf(rand.New(rand.NewPCG(1, 1)), FrameHead{N: 2, FCS: true, From: 1}))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, fault := ParseFrame(b)
		if fault != wire.NoFault {
			return
		}
		for i := range int(h.N) {
			var m Micropacket
			m.Parse(At(b, i))
		}
		again := append([]byte(nil), b[:FrameLen(int(h.N), h.FCS)]...)
		addresses := wire.Addresses(b)
		if PutFrame(again, &addresses, wire.EtherType(b), h); string(again) != string(b[:len(again)]) {
			t.Fatalf("%X becomes %X", b, again)
		}
	})
}
