package wire

import (
	"bytes"
	"testing"
)

const outerHex = "02000000000B 02000000000A"

func TestAddressedGolden(t *testing.T) {
	sequenced := Preamble{Seq: 0xABCDE, Sequenced: true, FCS: true, To: To{Addressed: true, VC: 5}}
	bare := sequenced
	bare.FCS = false
	runt := append(carriedFrame(HeaderLen)[:12], 0x88, 0xF7, 0xAA, 0xBB)
	for _, c := range []struct {
		name     string
		octets   string // outer addresses, shim, the whole carried frame, FCS image
		carried  []byte
		d        Dialect
		p        Preamble
		poisoned bool
	}{
		{"seed", outerHex + "88B5 | 555555 DD 0ABCDE C5 |" + addressesHex + countingHex + "| 153F33C1", carriedFrame(60), DialectSeed, sequenced, false},
		{"seed poisoned", outerHex + "88B5 | 555555 DD 0ABCDE C5 |" + addressesHex + countingHex + "| EAC0CC3E", carriedFrame(60), DialectSeed, sequenced, true},
		{"seed without FCS", outerHex + "88B5 | 555555 DD 0ABCDE 45 |" + addressesHex + countingHex, carriedFrame(60), DialectSeed, bare, false},
		{"ue1", outerHex + "88B5 | FB A7BCDE 555590 D5 |" + addressesHex + countingHex + "| 8DB0E846", carriedFrame(60), DialectUE1, sequenced, false},
		{"runt, padded, not sequenced", outerHex + "88B5 | 555555 D5 000000 C3 |" + addressesHex + runtHex + "| 5FC62745", runt, DialectSeed, Preamble{FCS: true, To: To{VC: 3, Addressed: true}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := octets(t, c.octets)
			got := dirty(len(want) + 8)
			n := PutAddressed(got, c.carried, &goldenOuter, EtherTypeData, c.d, c.p, c.poisoned)
			wantOctets(t, got[:n], want)
			wantOctets(t, got[n:], dirty(8))
			p, fault := ParseData(want, c.d)
			if p != c.p || fault != NoFault || n != p.DataLen(len(c.carried)) || p.CarriedLen(n) != 60 {
				t.Errorf("parsed %+v, %v; %d octets carry %d", p, fault, n, p.CarriedLen(n))
			}
			fcs := FCSGood
			if c.poisoned {
				fcs = FCSPoisoned
			}
			back := dirty(len(want))
			if copied := Carried(back, want, p, p.FCS); copied != fcs || JudgeFCS(want, p, p.FCS) != fcs {
				t.Errorf("FCS state %d when it is copied, want %d", copied, fcs)
			}
			padded := append(bytes.Clone(c.carried), make([]byte, 60-len(c.carried))...)
			wantOctets(t, back, append(padded, dirty(len(back))[len(padded):]...))
			if at, rest := p.CarriedParts(); !bytes.Equal(want[at:at+60], padded) || rest != at+AddressesLen {
				t.Errorf("the carried frame begins at %d, and after its addresses at %d", at, rest)
			}
		})
	}
}

// The outer addresses of the link add 12 octets; every other length stays the same.
func TestAddressedIsTwelveOctetsLonger(t *testing.T) {
	for n := range 2000 {
		for _, fcs := range []bool{false, true} {
			p := Preamble{FCS: fcs, To: To{Addressed: true}}
			if got := p.DataLen(n); got != DataLen(n, fcs)+12 || p.CarriedLen(got) != max(n, MinFrameLen) {
				t.Fatalf("%d octets become %d and %d again", n, got, p.CarriedLen(got))
			}
		}
	}
}

func TestAddressedTruncatedAtEveryLength(t *testing.T) {
	for _, d := range []Dialect{DialectSeed, DialectUE1} {
		for _, fcs := range []bool{false, true} {
			b := make([]byte, 128)
			n := PutAddressed(b, carriedFrame(60), &goldenOuter, EtherTypeData, d, Preamble{FCS: fcs}, false)
			for short := range n {
				if _, fault := ParseData(b[:short], d); fault != FaultTruncated {
					t.Errorf("%v, FCS %v, %d of %d octets: %v", d, fcs, short, n, fault)
				}
			}
		}
	}
}

// The FCS image covers all of an addressed frame: the addresses outside, the preamble image, the
// addresses inside and the rest.
func TestNoSingleBitFlipOfAnAddressedFramePassesTheFCS(t *testing.T) {
	for _, d := range []Dialect{DialectSeed, DialectUE1} {
		b := make([]byte, 300)
		b = b[:PutAddressed(b, carriedFrame(200), &goldenOuter, EtherTypeData, d, Preamble{FCS: true}, false)]
		for bit := range 8 * len(b) {
			if fcs, ok := accepted(flipped(b, bit), d); ok {
				t.Errorf("%v: bit %d flipped is accepted as %d", d, bit, fcs)
			}
		}
	}
}

// Readdress gives the same octets as PutAddressed with the new outer addresses, and leaves a bad frame alone.
func TestReaddress(t *testing.T) {
	others := AddressesOf(MAC{2, 1}, MAC{2, 2})
	for _, c := range []struct{ fcs, poisoned bool }{{false, false}, {true, false}, {true, true}} {
		got, want := dirty(200), dirty(200)
		p := Preamble{Seq: 3, Sequenced: true, FCS: c.fcs}
		n := PutAddressed(got, carriedFrame(100), &goldenOuter, EtherTypeData, DialectSeed, p, c.poisoned)
		PutAddressed(want, carriedFrame(100), &others, EtherTypeData, DialectSeed, p, c.poisoned)
		Readdress(got[:n], &others, c.fcs)
		wantOctets(t, got, want)
	}
	b := make([]byte, 200)
	b = b[:PutAddressed(b, carriedFrame(100), &goldenOuter, EtherTypeData, DialectSeed, Preamble{FCS: true}, false)]
	b[50] ^= 1
	bad := bytes.Clone(b)
	Readdress(b, &others, true)
	wantOctets(t, b, bad)
}

// Poison gives a changed frame the head that it was sent with, and an FCS image that is neither good nor bad.
func TestPoison(t *testing.T) {
	for _, d := range []Dialect{DialectSeed, DialectUE1} {
		p := Preamble{Seq: 77, Sequenced: true, FCS: true, To: To{VC: 5}}
		b := make([]byte, 200)
		b = b[:PutData(b, carriedFrame(100), EtherTypeData, d, p, false)]
		clear(b[AddressesLen : len(b)-30])
		Poison(b, EtherTypeData, d, p)
		got, fault := ParseData(b, d)
		if kind := TrueType(b); fault != NoFault || got != p || kind != EtherTypeData || CheckFCS(b) != FCSPoisoned {
			t.Errorf("%v: %+v, %v, EtherType %04X, FCS %v", d, got, fault, kind, CheckFCS(b))
		}
	}
}

// The flag Addressed decides the form of a frame: PutData and PutAddressed set it.
func TestFlagGoesWithTheForm(t *testing.T) {
	b := make([]byte, 200)
	PutData(b, carriedFrame(60), EtherTypeData, DialectSeed, Preamble{To: To{Addressed: true}}, false)
	if p, _ := ParseData(b, DialectSeed); p.Addressed {
		t.Error("PutData has set it")
	}
	PutAddressed(b, carriedFrame(60), &goldenOuter, EtherTypeData, DialectSeed, Preamble{}, false)
	if p, _ := ParseData(b, DialectSeed); !p.Addressed {
		t.Error("PutAddressed has not set it")
	}
}

func TestControlToAnotherAddress(t *testing.T) {
	list := []CtlOS{{Type: LLRAck, Seq: 7}}
	group, one := make([]byte, MaxControlLen), make([]byte, MaxControlLen)
	PutControl(group, goldenSA, EtherTypeControl, list)
	n := PutControlTo(one, DiscoveryDA, goldenSA, EtherTypeControl, list)
	var into [MaxCtlOS]CtlOS
	if got, _, fault := ParseControl(one[:n], &into); got != 1 || fault != NoFault || into[0] != list[0] {
		t.Errorf("%d, %v, %+v", got, fault, into[0])
	}
	if MAC(group) != ControlDA || MAC(one) != DiscoveryDA || DiscoveryDA[0]&3 != 3 {
		t.Errorf("% x and % x", group[:AddrLen], one[:AddrLen])
	}
}
