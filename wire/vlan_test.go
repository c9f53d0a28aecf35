package wire

import (
	"bytes"
	"testing"
)

const goldenAddresses = "02 00 00 00 00 01 | 02 00 00 00 00 02 |"

func TestRetagGolden(t *testing.T) {
	for name, c := range map[string]struct {
		retag          Retag
		carried, after string
	}{
		"keep":                  {Retag{}, "08 00 | 01 02 03", "08 00 | 01 02 03"},
		"keep looks at nothing": {Retag{TCI: 5}, "81 00 00 0A 08 00 | 01", "81 00 00 0A 08 00 | 01"},
		"push":                  {Retag{RetagPush, 0x0064}, "08 00 | 01 02 03", "81 00 00 64 | 08 00 | 01 02 03"},
		"push with priority":    {Retag{RetagPush, 0xB00A}, "08 00 | 01", "81 00 B0 0A | 08 00 | 01"},
		"push before an S-tag": {Retag{RetagPush, 7},
			"88 A8 00 05 08 00 | 01", "81 00 00 07 | 88 A8 00 05 08 00 | 01"},
		"push before a tag": {Retag{RetagPush, 7},
			"81 00 00 05 08 00 | 01", "81 00 00 07 | 81 00 00 05 08 00 | 01"},
		"push on headers only":      {Retag{RetagPush, 7}, "08 00", "81 00 00 07 | 08 00"},
		"pop":                       {Retag{Op: RetagPop}, "81 00 60 0A | 08 00 | 01 02", "08 00 | 01 02"},
		"pop leaves the second tag": {Retag{Op: RetagPop}, "81 00 60 0A | 81 00 00 14 | 08 00", "81 00 00 14 | 08 00"},
		"pop down to headers":       {Retag{Op: RetagPop}, "81 00 60 0A | 08 00", "08 00"},
		"replace": {Retag{RetagReplace, 0xA014},
			"81 00 A0 00 | 08 00 | 01 02", "81 00 A0 14 | 08 00 | 01 02"},
		"replace the outer of two": {Retag{RetagReplace, 20},
			"81 00 00 00 | 81 00 00 09 | 08 00", "81 00 00 14 | 81 00 00 09 | 08 00"},
	} {
		carried, want := octets(t, goldenAddresses+c.carried), octets(t, goldenAddresses+c.after)
		b := dirty(len(want) + 3)
		if n := c.retag.Put(b, carried); n != len(want) || n != c.retag.Len(len(carried)) {
			t.Errorf("%s: %d octets, want %d", name, n, len(want))
		}
		wantOctets(t, b, append(want, dirty(3)...)) // what is behind the frame stays
	}
}

func TestParseVLAN(t *testing.T) {
	for s, want := range map[string]struct {
		tci    uint16
		tagged bool
		fault  Fault
	}{
		"08 00":                   {},
		"81 01 00 05 08 00":       {},
		"88 A8 00 05 81 00 00 06": {}, // a tag of the provider's is payload
		"91 00 00 05 08 00":       {},
		"81 00 E0 05 08 00":       {tci: 0xE005, tagged: true},
		"81 00 00 00 81 00 00 07": {tci: 0, tagged: true},
		"81 00 00 05 08":          {tagged: true, fault: FaultTruncated},
		"81 00 00 05":             {tagged: true, fault: FaultTruncated},
		"81 00 00":                {tagged: true, fault: FaultTruncated},
		"81 00":                   {tagged: true, fault: FaultTruncated},
	} {
		tci, tagged, fault := ParseVLAN(octets(t, s))
		if tci != want.tci || tagged != want.tagged || fault != want.fault {
			t.Errorf("%s: %#04x, %v, %v; want %+v", s, tci, tagged, fault, want)
		}
	}
}

// A pushed tag is found by ParseVLAN, can be replaced, and is gone after Pop.
func TestRetagRoundTrip(t *testing.T) {
	for n := HeaderLen; n < 200; n++ {
		checkRetag(t, carriedFrame(n), uint16(n)*0x1234, uint16(n)*0x4321)
	}
}

func checkRetag(t *testing.T, frame []byte, first, second uint16) {
	t.Helper()
	pushed := dirty(len(frame) + VLANTagLen)
	Retag{RetagPush, first}.Put(pushed, frame)
	wantVLAN(t, pushed, first)
	replaced := dirty(len(pushed))
	Retag{RetagReplace, second}.Put(replaced, pushed)
	wantVLAN(t, replaced, second)
	popped := dirty(len(frame))
	Retag{Op: RetagPop}.Put(popped, replaced)
	wantOctets(t, popped, frame)
	kept := dirty(len(frame))
	Retag{}.Put(kept, frame)
	wantOctets(t, kept, frame)
}

func wantVLAN(t *testing.T, frame []byte, want uint16) {
	t.Helper()
	if tci, tagged, fault := ParseVLAN(frame[2*AddrLen:]); tci != want || !tagged || fault != NoFault {
		t.Errorf("%#04x, %v, %v; want %#04x", tci, tagged, fault, want)
	}
}

func FuzzRetag(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte, first, second uint16) {
		if len(b) < HeaderLen {
			return
		}
		checkRetag(t, b, first, second)
		tci, tagged, fault := ParseVLAN(b[2*AddrLen:])
		if !tagged || fault != NoFault {
			return
		}
		popped := make([]byte, Retag{Op: RetagPop}.Len(len(b)))
		Retag{Op: RetagPop}.Put(popped, b)
		again := dirty(len(b))
		Retag{RetagPush, tci}.Put(again, popped)
		if !bytes.Equal(again, b) {
			t.Fatalf("% x became % x", b, again)
		}
	})
}

func TestRetagDoesNotAllocate(t *testing.T) {
	frame, b := carriedFrame(1514), make([]byte, 2048)
	if n := testing.AllocsPerRun(100, func() {
		n := Retag{RetagPush, 5}.Put(b, frame)
		_, _, _ = ParseVLAN(b[2*AddrLen : n])
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
