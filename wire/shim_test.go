package wire

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

const (
	addressesHex = "020000000001 020000000002"
	countingHex  = `0800 0102030405060708090A0B0C0D0E0F10 1112131415161718191A1B1C1D1E1F20
		2122232425262728292A2B2C2D2E`
	runtHex = `88F7 AABB 0000000000000000000000000000 0000000000000000000000000000
		0000000000000000000000000000 0000`
)

func TestDataGolden(t *testing.T) {
	sequenced := Preamble{Seq: 0xABCDE, Sequenced: true, FCS: true, To: To{VC: 5}}
	bare := sequenced
	bare.FCS = false
	runt := append(carriedFrame(HeaderLen)[:12], 0x88, 0xF7, 0xAA, 0xBB)
	for _, c := range []struct {
		name     string
		octets   string // addresses, shim, carried frame, FCS image
		carried  []byte
		d        Dialect
		p        Preamble
		poisoned bool
	}{
		{"seed with FCS", addressesHex + "88B5 | 555555 DD 0ABCDE 85 |" + countingHex + "| CA2DA12B", carriedFrame(60), DialectSeed, sequenced, false},
		{"seed poisoned", addressesHex + "88B5 | 555555 DD 0ABCDE 85 |" + countingHex + "| 35D25ED4", carriedFrame(60), DialectSeed, sequenced, true},
		{"seed without FCS", addressesHex + "88B5 | 555555 DD 0ABCDE 05 |" + countingHex, carriedFrame(60), DialectSeed, bare, false},
		{"ue1 with FCS", addressesHex + "88B5 | FB A7BCDE 5555D0 D5 |" + countingHex + "| 3936FE60", carriedFrame(60), DialectUE1, sequenced, false},
		{"ue1 poisoned", addressesHex + "88B5 | FB A7BCDE 5555D0 D5 |" + countingHex + "| C6C9019F", carriedFrame(60), DialectUE1, sequenced, true},
		{"ue1 without FCS", addressesHex + "88B5 | FB A7BCDE 555550 D5 |" + countingHex, carriedFrame(60), DialectUE1, bare, false},
		{"runt, padded, not sequenced", addressesHex + "88B5 | 555555 D5 000000 03 |" + runtHex, runt, DialectSeed, Preamble{To: To{VC: 3}}, false},
		{"runt, padded, with FCS", addressesHex + "88B5 | 555555 D5 000000 83 |" + runtHex + "| 878304D5", runt, DialectSeed, Preamble{To: To{VC: 3}, FCS: true}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := octets(t, c.octets)
			got := dirty(len(want) + 8)
			n := PutData(got, c.carried, EtherTypeData, c.d, c.p, c.poisoned)
			wantOctets(t, got[:n], want)
			wantOctets(t, got[n:], dirty(8))
			if p, fault := ParseData(want, c.d); p != c.p || fault != NoFault {
				t.Errorf("parsed %+v, %v", p, fault)
			}
			if EtherType(want) != EtherTypeData {
				t.Errorf("EtherType %#x", EtherType(want))
			}
			fcs := FCSGood
			if c.poisoned {
				fcs = FCSPoisoned
			}
			if got := JudgeFCS(want, c.p, c.p.FCS); got != fcs {
				t.Errorf("FCS state %d, want %d", got, fcs)
			}
			back := dirty(len(want))
			if got := Carried(back, want, c.p, c.p.FCS); got != fcs {
				t.Errorf("FCS state %d when it is copied, want %d", got, fcs)
			}
			padded := append(bytes.Clone(c.carried), make([]byte, 60-len(c.carried))...)
			wantOctets(t, back, append(padded, dirty(len(back))[len(padded):]...))
		})
	}
}

func TestDataLen(t *testing.T) {
	for _, c := range []struct {
		carried int
		fcs     bool
		want    int
	}{{14, false, 70}, {60, false, 70}, {60, true, 74}, {61, true, 75}, {1514, true, 1528}, {1514, false, 1524}} {
		if got := DataLen(c.carried, c.fcs); got != c.want {
			t.Errorf("DataLen(%d, %v) = %d, want %d", c.carried, c.fcs, got, c.want)
		}
		if got := CarriedLen(c.want, c.fcs); got != max(c.carried, MinFrameLen) {
			t.Errorf("CarriedLen(%d, %v) = %d", c.want, c.fcs, got)
		}
	}
	if Overhead != 14 || ShimLen != 10 {
		t.Errorf("design §3: overhead is 10 octets, 14 with FCS image, not %d and %d", ShimLen, Overhead)
	}
}

func TestDataTruncatedAtEveryLength(t *testing.T) {
	for _, d := range []Dialect{DialectSeed, DialectUE1} {
		for _, fcs := range []bool{false, true} {
			b := make([]byte, 128)
			n := PutData(b, carriedFrame(60), EtherTypeData, d, Preamble{Seq: 1, Sequenced: true, FCS: fcs}, false)
			for short := range n {
				if _, fault := ParseData(b[:short], d); fault != FaultTruncated {
					t.Errorf("%v, FCS %v, %d of %d octets: %v", d, fcs, short, n, fault)
				}
			}
			if _, fault := ParseData(b[:n], d); fault != NoFault {
				t.Errorf("%v, FCS %v: %v", d, fcs, fault)
			}
		}
	}
}

// accepted is what a receiver on a link with FCS does with a frame that may have
// been damaged: false if it is discarded.
func accepted(frame []byte, d Dialect) (FCS, bool) {
	if EtherType(frame) != EtherTypeData {
		return FCSBad, false
	}
	p, fault := ParseData(frame, d)
	if fault != NoFault {
		return FCSBad, false
	}
	fcs := JudgeFCS(frame, p, true)
	return fcs, fcs != FCSBad
}

func TestNoSingleBitFlipPassesTheFCS(t *testing.T) {
	for _, d := range []Dialect{DialectSeed, DialectUE1} {
		for _, n := range []int{60, 61, 64, 200, 1514} {
			for _, poisoned := range []bool{false, true} {
				b := make([]byte, 2048)
				b = b[:PutData(b, carriedFrame(n), EtherTypeData, d, Preamble{Seq: 0x12345, Sequenced: true, FCS: true}, poisoned)]
				if _, ok := accepted(b, d); !ok {
					t.Fatalf("%v, %d octets: the undamaged frame is refused", d, n)
				}
				for bit := range 8 * len(b) {
					b[bit/8] ^= 1 << (bit % 8)
					if fcs, ok := accepted(b, d); ok {
						t.Errorf("%v, %d octets, poisoned %v: bit %d flipped is accepted as %d", d, n, poisoned, bit, fcs)
					}
					b[bit/8] ^= 1 << (bit % 8)
				}
			}
		}
	}
}

// CRC-32 has a Hamming distance of 4 up to 11450 octets: up to three flipped bits are always seen.
func TestNoThreeBitFlipsPassTheFCS(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := anyDialect.Draw(t, "dialect")
		b := make([]byte, 2048)
		b = b[:PutData(b, carriedFrame(rapid.IntRange(14, 1514).Draw(t, "carried")), EtherTypeData, d,
			Preamble{Seq: rapid.Uint32Range(0, SeqMask).Draw(t, "seq"), Sequenced: true, FCS: true}, false)]
		for _, bit := range rapid.SliceOfNDistinct(rapid.IntRange(0, 8*len(b)-1), 1, 3, rapid.ID).Draw(t, "bits") {
			b[bit/8] ^= 1 << (bit % 8)
		}
		if fcs, ok := accepted(b, d); ok {
			t.Fatalf("accepted as %d", fcs)
		}
	})
}

func TestFlagOfTheFCSIsNotTrustedWhereAnFCSIsRequired(t *testing.T) {
	b := make([]byte, 128)
	b = b[:PutData(b, carriedFrame(60), EtherTypeData, DialectSeed, Preamble{Seq: 1, Sequenced: true, FCS: true}, false)]
	p, fault := ParseData(flipped(b, 21*8+7), DialectSeed)
	if p.FCS || fault != NoFault {
		t.Fatalf("parsed %+v, %v", p, fault)
	}
	if got := JudgeFCS(b, p, true); got != FCSBad {
		t.Errorf("required: state %d", got)
	}
	if got := JudgeFCS(b, p, false); got != FCSGood {
		t.Errorf("not required: state %d", got)
	}
}

func TestDataRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		carried := rapid.SliceOfN(rapid.Byte(), HeaderLen, 600).Draw(t, "carried")
		d, p, poisoned := anyDialect.Draw(t, "dialect"), drawPreamble(t), rapid.Bool().Draw(t, "poisoned")
		etherType := rapid.Uint16().Draw(t, "EtherType")
		b, like := dirty(1024), append(bytes.Clone(goldenOuter[:]), byte(etherType>>8), byte(etherType))
		b = b[:putAny(b, carried, like, d, p, poisoned)]
		if len(b) != p.DataLen(len(carried)) || EtherType(b) != etherType {
			t.Fatalf("%d octets, EtherType %#x", len(b), EtherType(b))
		}
		if q, fault := ParseData(b, d); q != p || fault != NoFault {
			t.Fatalf("%+v came back as %+v, %v", p, q, fault)
		}
		if p.FCS && (CheckFCS(b) == FCSPoisoned) != poisoned || p.FCS && CheckFCS(b) == FCSBad {
			t.Fatalf("FCS state %d, poisoned %v", CheckFCS(b), poisoned)
		}
		back := dirty(1024)[:p.CarriedLen(len(b))]
		if got, want := Carried(back, b, p, false), JudgeFCS(b, p, false); got != want {
			t.Fatalf("FCS state %d when it is copied, %d else", got, want)
		}
		if len(back) != max(len(carried), MinFrameLen) || !bytes.Equal(back[:len(carried)], carried) {
			t.Fatalf("carried\n% x came back as\n% x", carried, back)
		}
		if pad := back[len(carried):]; !bytes.Equal(pad, make([]byte, len(pad))) {
			t.Fatalf("padding % x", pad)
		}
	})
}
