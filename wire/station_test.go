package wire

import (
	"testing"

	"pgregory.net/rapid"
)

// goldenStation has a value in every field.
var goldenStation = Station{
	Largest: 1546, Longest: 1500, Local: true, Remote: true, Live: true, FCS: true, SeenShim: true,
	EtherType: EtherTypeData, Start: 0xABCDEF, VCs: 1, Controls: 0x1234, Keeps: 9,
}

func TestStationItemsGolden(t *testing.T) {
	items := goldenStation.Items(nil)
	for i, want := range []string{
		"4B F0 88 B5 16 AB CD EF",
		"4B F0 06 0A 06 05 DC 97", // largest 1546, longest 1500, flags 1001 0111
		"4B F0 00 01 26 12 34 09",
	} {
		got := dirty(CtlOSLen)
		PutCtlOS(got, ViewPCS, items[i])
		wantOctets(t, got, octets(t, want))
	}
}

func TestStationOfAnEndThatLeavesOrResumesGolden(t *testing.T) {
	s := goldenStation
	s.Leaves, s.Resumes, s.Origin, s.Next = 2000, true, 0xABCDE, 0x12345
	items := s.Items(nil)
	for i, want := range []string{"4B F0 07 D0 46 00 00 00", "4B F0 AB CD 56 E1 23 45"} {
		got := dirty(CtlOSLen)
		PutCtlOS(got, ViewPCS, items[3+i])
		wantOctets(t, got, octets(t, want))
	}
}

func TestStationTroubleGolden(t *testing.T) {
	s := goldenStation
	s.Trouble = Trouble{10, 0x1234, 0x5678}
	got := dirty(CtlOSLen)
	PutCtlOS(got, ViewPCS, s.Items(nil)[3])
	wantOctets(t, got, octets(t, "4B F0 0A 12 66 34 56 78"))
}

// Each flag has a bit of its own.
func TestStationFlags(t *testing.T) {
	for bit := range 8 {
		var s Station
		if !s.Update(stationData(StationFrames, 0, 1<<bit)) || s.flags() != 1<<bit {
			t.Errorf("bit %d came back as %08b", bit, s.flags())
		}
	}
	for bit := range 8 {
		var s Station
		s.Update(stationData(StationServices, 1<<(8+bit), 0))
		want := Station{Busy: bit == 3, TakesVCs: bit == 4, Partner: bit == 5, Takes: bit == 6, CBFC: bit == 7,
			Holds: bit == 1, Held: bit == 2, Nacks: bit == 0}
		if s != want {
			t.Errorf("bit %d of item 2: %+v, want %+v", bit, s, want)
		}
	}
	for _, c := range []struct {
		s    Station
		want byte
	}{
		{Station{Local: true}, 1}, {Station{Remote: true}, 2}, {Station{Live: true}, 4}, {Station{Dynamic: true}, 8},
		{Station{FCS: true}, 16}, {Station{Addressed: true}, 32}, {Station{UE1: true}, 64}, {Station{SeenShim: true}, 128},
	} {
		if got := c.s.flags(); got != c.want {
			t.Errorf("%+v: flags %08b, want %08b", c.s, got, c.want)
		}
	}
}

func TestStationRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want, got Station
		want.Largest, want.Longest = rapid.Uint16().Draw(t, "largest"), rapid.Uint16().Draw(t, "longest")
		want.setFlags(rapid.Byte().Draw(t, "flags"))
		want.EtherType, want.Start = rapid.Uint16().Draw(t, "EtherType"), rapid.Uint32Range(0, StartMask).Draw(t, "start")
		want.VCs, want.Busy = rapid.Byte().Draw(t, "VCs"), rapid.Bool().Draw(t, "busy")
		want.Keeps = rapid.Uint8Range(0, KeepsMost).Draw(t, "keeps")
		want.Controls = rapid.Uint16().Draw(t, "controls")
		want.TakesVCs, want.Takes = rapid.Bool().Draw(t, "takes VCs"), rapid.Bool().Draw(t, "takes addressed")
		want.Holds, want.Held = rapid.Bool().Draw(t, "holds"), rapid.Bool().Draw(t, "held")
		want.Nacks = rapid.Bool().Draw(t, "nacks")
		want.Leaves = rapid.Uint16().Draw(t, "leaves")
		if want.Resumes = rapid.Bool().Draw(t, "resumes"); want.Resumes {
			want.Origin = rapid.Uint32Range(0, SeqMask).Draw(t, "origin")
			want.Next = rapid.Uint32Range(0, SeqMask).Draw(t, "next")
		}
		if n := rapid.Byte().Draw(t, "trouble"); n != 0 {
			want.Trouble = Trouble{n, rapid.Uint16().Draw(t, "a"), rapid.Uint16().Draw(t, "b")}
		}
		for _, c := range want.Items(nil) {
			if !got.Update(c) {
				t.Fatalf("%+v is not taken", c)
			}
		}
		if got != want {
			t.Fatalf("%+v came back as %+v", want, got)
		}
	})
}

func TestStationTakesNothingElse(t *testing.T) {
	for _, c := range []CtlOS{{Type: LLRAck, Seq: 5}, {Type: StationCtlOS, Item: 3, Data: [5]byte{1}},
		{Type: StationCtlOS, Item: 15, Data: [5]byte{1}}} {
		s := goldenStation
		if s.Update(c) || s != goldenStation {
			t.Errorf("%+v was taken: %+v", c, s)
		}
	}
}

func TestReceivedGolden(t *testing.T) {
	for received, want := range map[Received]string{
		{}:                           "4B F0 00 00 36 00 00 00",
		{Twice: 0x01020304}:          "4B F0 01 02 36 03 04 00",
		{Twice: 1, Nack: NackMask}:   "4B F0 00 00 36 00 01 7F",
		{Nack: 0x05, Again: true}:    "4B F0 00 00 36 00 00 85",
		{Twice: 0xFFFFFFFF, Nack: 1}: "4B F0 FF FF 36 FF FF 01",
	} {
		got := dirty(CtlOSLen)
		PutCtlOS(got, ViewPCS, received.Item())
		wantOctets(t, got, octets(t, want))
		c, _ := ParseCtlOS(got, ViewPCS)
		if r, ok := c.Received(); r != received || !ok {
			t.Errorf("%+v came back as %+v, %v", received, r, ok)
		}
	}
	for _, c := range goldenStation.Items(nil) {
		if _, ok := c.Received(); ok {
			t.Errorf("item %d is taken for item 3", c.Item)
		}
	}
}

// A buffer too large for the sequence numbers is none: its sender gets go-back-N.
func TestStationThatKeepsTooMuch(t *testing.T) {
	for keeps, want := range map[byte]uint8{0: 0, 1: 1, KeepsMost: KeepsMost, KeepsMost + 1: 0, 255: 0} {
		s := goldenStation
		s.Update(stationData(StationServices, 1, uint32(keeps)))
		if s.Keeps != want {
			t.Errorf("%d is read as %d, want %d", keeps, s.Keeps, want)
		}
	}
}
