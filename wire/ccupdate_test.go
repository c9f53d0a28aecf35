package wire

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// UE-LINK §4.2, by hand: type 1, VC 5, count 0x7654 = 111 01100101 0100.
func TestCCUpdateSeedGolden(t *testing.T) {
	u := CCUpdate{VCs: 1<<5 | 1<<31}
	u.Count[5], u.Count[31] = 0x7654, 0xF8001 // of which 15 bits travel
	b := dirty(MaxCCUpdateLen)
	n, vcs := PutCCUpdate(b, MAC{1, 2, 3, 4, 5, 6}, MAC{7, 8, 9, 10, 11, 12}, EtherTypeControl, DialectSeed, &u)
	wantOctets(t, b[:n], octets(t, "01 02 03 04 05 06 07 08 09 0A 0B 0C 88 B6"+
		"01 2F 65 40 00 00 00 00"+"01 F8 00 10 00 00 00 00"))
	if vcs != u.VCs {
		t.Errorf("VCs %x", vcs)
	}
}

// §1.5: MAC Control, opcode FFFE, CID FA-7A-CB, half, 16 counts of 20 bits.
func TestCCUpdateUE1Golden(t *testing.T) {
	u := CCUpdate{VCs: 1<<16 | 1<<17 | 1<<31}
	u.Count[16], u.Count[17], u.Count[31] = 0xABCDE, 0x12345, 0xFFFFF
	b := dirty(MaxCCUpdateLen)
	n, vcs := PutCCUpdate(b, MAC{1, 2, 3, 4, 5, 6}, MAC{7, 8, 9, 10, 11, 12}, EtherTypeControl, DialectUE1, &u)
	wantOctets(t, b[:n], octets(t, "01 02 03 04 05 06 07 08 09 0A 0B 0C 88 08 FF FE FA 7A CB 02"+
		"AB CD E1 23 45 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"+
		"00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 0F FF FF"))
	if n != MinFrameLen || vcs != u.VCs {
		t.Errorf("%d octets, VCs %x", n, vcs)
	}
}

func TestCCUpdateRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom([]Dialect{DialectSeed, DialectUE1}).Draw(t, "dialect")
		want := CCUpdate{VCs: rapid.Uint32().Draw(t, "VCs")}
		for vc := range want.Count {
			if want.VCs>>vc&1 == 1 {
				want.Count[vc] = rapid.Uint32Range(0, 1<<d.CCBits()-1).Draw(t, "count")
			}
		}
		var got CCUpdate
		for rest := want; rest.VCs != 0; {
			b := dirty(MaxCCUpdateLen)
			n, vcs := PutCCUpdate(b, MAC{}, MAC{}, EtherTypeControl, d, &rest)
			rest.VCs &^= vcs
			// A data frame carries it padded.
			clear(b[n:])
			if fault := ParseCCUpdate(b[2*AddrLen:max(n, MinFrameLen)], EtherTypeControl, d, &got); fault != NoFault {
				t.Fatal(fault)
			}
			if d == DialectSeed && got.VCs != want.VCs || got.VCs&vcs != vcs {
				t.Fatalf("VCs %x, want %x", got.VCs, vcs)
			}
		}
		if diff := cmp.Diff(want.Count, got.Count); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestCCUpdateThatIsNone(t *testing.T) {
	seed := octets(t, "88 B6 01 2F 65 40 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"+
		"00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00")
	ue1 := octets(t, "88 08 FF FE FA 7A CB 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"+
		"00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00")
	for _, c := range []struct {
		name  string
		d     Dialect
		frame []byte
		fault Fault
	}{
		{"seed", DialectSeed, seed, NoFault},
		{"seed, other EtherType", DialectSeed, flipped(seed, 8), FaultType},
		{"seed, message type 3", DialectSeed, flipped(seed, 2*8+1), FaultType},
		{"seed, reserved half octet", DialectSeed, flipped(seed, 5*8), FaultReserved},
		{"seed, reserved octet", DialectSeed, flipped(seed, 9*8), FaultReserved},
		{"seed, cut", DialectSeed, seed[:47], FaultTruncated},
		{"ue1", DialectUE1, ue1, NoFault},
		{"ue1, opcode", DialectUE1, flipped(ue1, 3*8), FaultType},
		{"ue1, CID", DialectUE1, flipped(ue1, 5*8), FaultType},
		{"ue1, half 3", DialectUE1, flipped(ue1, 7*8+1), FaultType},
		{"ue1, half 0", DialectUE1, flipped(ue1, 7*8), FaultType},
		{"ue1, cut", DialectUE1, ue1[:47], FaultTruncated},
		{"the other dialect's", DialectUE1, seed, FaultType},
	} {
		var u CCUpdate
		if fault := ParseCCUpdate(c.frame, EtherTypeControl, c.d, &u); fault != c.fault {
			t.Errorf("%s: %v, want %v", c.name, fault, c.fault)
		}
	}
}

func FuzzCCUpdate(f *testing.F) {
	f.Add(make([]byte, 60), false)
	f.Fuzz(func(t *testing.T, rest []byte, ue1 bool) {
		d, etherType := DialectSeed, EtherTypeControl
		if ue1 {
			d = DialectUE1
		}
		var u, again CCUpdate
		if ParseCCUpdate(rest, etherType, d, &u) != NoFault || u.VCs == 0 {
			return
		}
		for vc, n := range u.Count {
			if n >= 1<<d.CCBits() {
				t.Fatalf("VC %d: count %d", vc, n)
			}
		}
		b := make([]byte, MaxCCUpdateLen+MinFrameLen)
		n, _ := PutCCUpdate(b, MAC{}, MAC{}, etherType, d, &u)
		if fault := ParseCCUpdate(b[2*AddrLen:max(n, MinFrameLen)], etherType, d, &again); fault != NoFault || again != u {
			t.Fatalf("%+v came back as %+v, %v", u, again, fault)
		}
	})
}
