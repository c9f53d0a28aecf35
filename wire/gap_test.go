package wire

import (
	"testing"

	"pgregory.net/rapid"
)

func TestGapGolden(t *testing.T) {
	for _, c := range []struct {
		item          GapItem
		first, second uint32
		octets        string
	}{
		{GapMissing, 0xABCDE, 0x12345, "4B F2 AB CD 06 E1 23 45"},
		{GapArrived, 0x00001, SeqMask, "4B F2 00 00 16 1F FF FF"},
		{GapArrived, SeqMask, 0, "4B F2 FF FF 16 F0 00 00"},
	} {
		got := dirty(CtlOSLen)
		PutCtlOS(got, ViewPCS, Gap(c.item, c.first, c.second))
		wantOctets(t, got, octets(t, c.octets))
		read, fault := ParseCtlOS(got, ViewPCS)
		if first, second, ok := read.Gap(c.item); fault != NoFault || !ok || first != c.first || second != c.second {
			t.Errorf("%s: %#x, %#x, %v, %v", c.octets, first, second, ok, fault)
		}
	}
}

// The numbers of another item, or of another control ordered set with the same octets, are none of this item.
func TestGapOfAnotherItem(t *testing.T) {
	other := Gap(GapMissing, 1, 2)
	other.Type = StationCtlOS
	for _, c := range []CtlOS{Gap(GapArrived, 1, 2), Gap(7, 1, 2), other, {Type: LLRAck, Seq: 1}} {
		if first, second, ok := c.Gap(GapMissing); ok {
			t.Errorf("%+v is missing %d to %d", c, first, second)
		}
	}
	if c := goldenStation; c.Update(Gap(GapMissing, 1, 2)) || c != goldenStation {
		t.Errorf("GAP was taken for STATION: %+v", c)
	}
}

func TestGapRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		item := GapItem(rapid.Uint8Range(0, 15).Draw(t, "item"))
		a, b := rapid.Uint32Range(0, SeqMask).Draw(t, "first"), rapid.Uint32Range(0, SeqMask).Draw(t, "second")
		var octets [CtlOSLen]byte
		PutCtlOS(octets[:], ViewPCS, Gap(item, a, b))
		c, fault := ParseCtlOS(octets[:], ViewPCS)
		if first, second, ok := c.Gap(item); fault != NoFault || !ok || first != a || second != b {
			t.Fatalf("%d and %d came back as %d and %d (%v)", a, b, first, second, fault)
		}
	})
}
