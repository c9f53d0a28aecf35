package wire

import (
	"bytes"
	"testing"
)

// Accepted input has exactly one image: writing the parsed value gives the same octets.

func FuzzParsePreamble(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte, ue1 bool) {
		d := DialectSeed
		if ue1 {
			d = DialectUE1
		}
		p, fault := ParsePreamble(b, d)
		if fault != NoFault {
			return
		}
		var again [PreambleLen]byte
		PutPreamble(again[:], d, p)
		wantOctets(t, again[:], b[:PreambleLen])
	})
}

func FuzzParsePreambleBlock(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte) {
		p, fault := ParsePreambleBlock(b)
		if fault != NoFault {
			return
		}
		var again [PreambleLen]byte
		PutPreambleBlock(again[:], p)
		wantOctets(t, again[:], b[:PreambleLen])
	})
}

func FuzzParseCtlOS(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte, xmii bool) {
		view := ViewPCS
		if xmii {
			view = ViewXMII
		}
		c, fault := ParseCtlOS(b, view)
		if fault != NoFault {
			return
		}
		var again [CtlOSLen]byte
		PutCtlOS(again[:], view, c)
		wantOctets(t, again[:], b[:CtlOSLen])
	})
}

func FuzzParseData(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte, ue1 bool) {
		d := DialectSeed
		if ue1 {
			d = DialectUE1
		}
		p, fault := ParseData(b, d)
		if fault != NoFault {
			return
		}
		fcs := JudgeFCS(b, p, true)
		carried := make([]byte, p.CarriedLen(len(b)))
		if len(carried) < MinFrameLen {
			t.Fatalf("%d octets carried in %d", len(carried), len(b))
		}
		if got := Carried(carried, b, p, true); got != fcs {
			t.Fatalf("FCS state %d when it is copied, %d else", got, fcs)
		}
		again := dirty(len(b))
		if at, rest := p.CarriedParts(); !bytes.Equal(carried[:AddressesLen], b[at:at+AddressesLen]) ||
			!bytes.Equal(carried[AddressesLen:], b[rest:rest+len(carried)-AddressesLen]) {
			t.Fatalf("the carried frame is not at %d and %d", at, rest)
		}
		if n := putAny(again, carried, b, d, p, fcs == FCSPoisoned); n != len(b) {
			t.Fatalf("%d octets became %d", len(b), n)
		}
		if p.FCS && fcs == FCSBad {
			again, b = again[:len(b)-FCSLen], b[:len(b)-FCSLen]
		}
		wantOctets(t, again, b)
	})
}

// putAny writes a data frame as p says, with outer addresses and EtherType of another.
func putAny(to, carried, like []byte, d Dialect, p Preamble, poisoned bool) int {
	if outer := Addresses(like); p.Addressed {
		return PutAddressed(to, carried, &outer, EtherType(like), d, p, poisoned)
	}
	return PutData(to, carried, EtherType(like), d, p, poisoned)
}

func FuzzParseControl(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte, repair bool) {
		b = bytes.Clone(b)
		if repair && len(b) >= MinFrameLen { // or the fuzzer never gets past the CRC
			if count := int(b[15]); controlHeaderLen+count*CtlOSLen+FCSLen <= len(b) {
				edited(b, count, func([]byte) {})
			}
		}
		var into [MaxCtlOS]CtlOS
		n, unknown, fault := ParseControl(b, &into)
		if fault != NoFault {
			if n != 0 || unknown != 0 {
				t.Fatalf("%v, yet %d parsed and %d unknown", fault, n, unknown)
			}
			return
		}
		if n+unknown != int(b[15]) {
			t.Fatalf("%d parsed and %d unknown of %d", n, unknown, b[15])
		}
		if unknown > 0 || !bytes.Equal(b[:AddrLen], ControlDA[:]) {
			return
		}
		again := make([]byte, MaxControlLen)
		PutControl(again, MAC(b[AddrLen:]), EtherType(b), into[:n])
		end := controlHeaderLen + n*CtlOSLen + FCSLen
		wantOctets(t, again[:end], b[:end])
	})
}

// Ignored octets (padding, and the quanta of priorities that are not enabled) are 0 when the value is
// written again.
func FuzzParsePFC(f *testing.F) {
	for _, p := range []PFC{{}, {Enable: 0x08, Quanta: [Priorities]uint16{3: 0xFFFF}}, Pause(0), Pause(0xFFFF)} {
		b := make([]byte, MinFrameLen)
		PutPFC(b, goldenSA, p)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, fault := ParsePFC(b)
		if fault != NoFault {
			if p != (PFC{}) {
				t.Fatalf("%v, and yet %+v", fault, p)
			}
			return
		}
		again := dirty(MinFrameLen)
		PutPFC(again, MAC(b[AddrLen:]), p)
		if back, fault := ParsePFC(again); back != p || fault != NoFault {
			t.Fatalf("%+v came back as %+v, %v", p, back, fault)
		}
		wantOctets(t, again[:pauseEnd], b[:pauseEnd])
		for i, quanta := range p.Quanta {
			if p.Enable>>i&1 == 0 && quanta != 0 {
				t.Fatalf("priority %d has %d quanta and is not in %08b", i, quanta, p.Enable)
			}
		}
	})
}
