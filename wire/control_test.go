package wire

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestControlGolden(t *testing.T) {
	for _, c := range []struct {
		name, octets string
		list         []CtlOS
	}{
		{"one LLR_ACK, padded", `0180C200000E 020000000002 88B6 | 01 01 | 4B01ABCDE6000000 | BE2AF019 |
			0000000000000000 0000000000000000 0000000000000000 0000000000000000`, []CtlOS{goldenCtlOS[0].c}},
		{"all five types, no padding", `0180C200000E 020000000002 88B6 | 01 05 | 4B01ABCDE6000000 4B02FFFFF6000000
			4B03000016123400 4B04800006BEEF00 4B100D5A56FFFFF0 | 21DE4FD2`, []CtlOS{
			{Type: LLRAck, Seq: 0xABCDE},
			{Type: LLRNack, Seq: SeqMask},
			{Type: LLRInit, Seq: 1, InitData: [2]byte{0x12, 0x34}},
			{Type: LLRInitEcho, Seq: 0x80000, InitData: [2]byte{0xBE, 0xEF}},
			{Type: CFUpdate, CF: [2]Credit{{VC: 1, Count: 0x55A5}, {VC: 31, Count: 0x7FFF}}},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, got := octets(t, c.octets), dirty(MaxControlLen)
			n := PutControl(got, goldenSA, EtherTypeControl, c.list)
			wantOctets(t, got[:n], want)
			wantOctets(t, got[n:], dirty(MaxControlLen-n))
			var into [MaxCtlOS]CtlOS
			m, unknown, fault := ParseControl(want, &into)
			if !slices.Equal(into[:m], c.list) || unknown != 0 || fault != NoFault {
				t.Errorf("parsed %+v, %d unknown, %v", into[:m], unknown, fault)
			}
			if EtherType(want) != EtherTypeControl {
				t.Errorf("EtherType %#x", EtherType(want))
			}
		})
	}
}

// controlOf returns a control frame with n LLR_ACKs.
func controlOf(n int) []byte {
	list := make([]CtlOS, n)
	for i := range list {
		list[i] = CtlOS{Type: LLRAck, Seq: uint32(i)}
	}
	b := dirty(MaxControlLen)
	return b[:PutControl(b, goldenSA, EtherTypeControl, list)]
}

// edited returns a control frame after an edit, with a correct CRC.
func edited(b []byte, count int, edit func(b []byte)) []byte {
	edit(b)
	end := controlHeaderLen + count*CtlOSLen
	binary.LittleEndian.PutUint32(b[end:], crc32.ChecksumIEEE(b[:end]))
	return b
}

func TestControlFaults(t *testing.T) {
	for _, c := range []struct {
		name  string
		frame []byte
		want  Fault
	}{
		{"version 0", edited(controlOf(2), 2, func(b []byte) { b[14] = 0 }), FaultVersion},
		{"version 2", edited(controlOf(2), 2, func(b []byte) { b[14] = 2 }), FaultVersion},
		{"count 0", edited(controlOf(1), 0, func(b []byte) { b[15] = 0 }), FaultCount},
		{"count 33", edited(controlOf(2), 2, func(b []byte) { b[15] = 33 }), FaultCount},
		{"count 255", edited(controlOf(2), 2, func(b []byte) { b[15] = 255 }), FaultCount},
		{"count beyond the frame", edited(controlOf(2), 2, func(b []byte) { b[15] = 6 }), FaultTruncated},
		{"wrong CRC", edited(controlOf(2), 1, func([]byte) {}), FaultCRC},
		{"xMII view", edited(controlOf(2), 2, func(b []byte) { b[24] = byte(ViewXMII) }), FaultBlock},
		{"O-code 7", edited(controlOf(2), 2, func(b []byte) { b[28] |= 1 }), FaultBlock},
		{"reserved octet", edited(controlOf(2), 2, func(b []byte) { b[29] = 1 }), FaultReserved},
		{"reserved bit behind an unknown type", edited(controlOf(2), 2, func(b []byte) { b[17], b[29] = 0x77, 1 }), FaultReserved},
	} {
		t.Run(c.name, func(t *testing.T) {
			into := [MaxCtlOS]CtlOS{}
			if n, unknown, fault := ParseControl(c.frame, &into); n != 0 || unknown != 0 || fault != c.want {
				t.Errorf("%d parsed, %d unknown, %v, want %v", n, unknown, fault, c.want)
			}
		})
	}
}

func TestControlPassesOverUnknownTypes(t *testing.T) {
	frame := edited(controlOf(3), 3, func(b []byte) { b[controlHeaderLen+CtlOSLen+1] = 0x11 })
	var into [MaxCtlOS]CtlOS
	n, unknown, fault := ParseControl(frame, &into)
	if want := []CtlOS{{Type: LLRAck}, {Type: LLRAck, Seq: 2}}; !slices.Equal(into[:n], want) || unknown != 1 ||
		fault != NoFault {
		t.Errorf("parsed %+v, %d unknown, %v", into[:n], unknown, fault)
	}
}

func TestControlTruncatedAtEveryLength(t *testing.T) {
	var into [MaxCtlOS]CtlOS
	for count := 1; count <= MaxCtlOS; count++ {
		b := controlOf(count)
		if want := max(MinFrameLen, 20+8*count); len(b) != want {
			t.Fatalf("%d control ordered sets take %d octets, want %d", count, len(b), want)
		}
		for n := range len(b) {
			if _, _, fault := ParseControl(b[:n], &into); fault != FaultTruncated {
				t.Errorf("count %d, %d of %d octets: %v", count, n, len(b), fault)
			}
		}
		if n, _, fault := ParseControl(b, &into); n != count || fault != NoFault {
			t.Errorf("count %d: %d parsed, %v", count, n, fault)
		}
		if n, _, fault := ParseControl(append(b, 1, 2, 3), &into); n != count || fault != NoFault {
			t.Errorf("count %d with a trailer: %d parsed, %v", count, n, fault)
		}
	}
}

func TestNoSingleBitFlipPassesTheControlCRC(t *testing.T) {
	var into [MaxCtlOS]CtlOS
	for count := 1; count <= MaxCtlOS; count++ {
		b := controlOf(count)
		end := controlHeaderLen + count*CtlOSLen + FCSLen
		for bit := range 8 * len(b) {
			_, _, fault := ParseControl(flipped(b, bit), &into)
			if inPadding := bit >= 8*end; inPadding != (fault == NoFault) {
				t.Errorf("count %d, bit %d flipped: %v", count, bit, fault)
			}
		}
	}
}

func TestControlRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(drawCtlOS), 1, MaxCtlOS).Draw(t, "list")
		sa, etherType := MAC(rapid.SliceOfN(rapid.Byte(), 6, 6).Draw(t, "SA")), rapid.Uint16().Draw(t, "EtherType")
		b := dirty(MaxControlLen)
		b = b[:PutControl(b, sa, etherType, list)]
		if !bytes.Equal(b[:6], ControlDA[:]) || !bytes.Equal(b[6:12], sa[:]) || EtherType(b) != etherType {
			t.Fatalf("header % x", b[:14])
		}
		var into [MaxCtlOS]CtlOS
		if n, unknown, fault := ParseControl(b, &into); !slices.Equal(into[:n], list) || unknown != 0 || fault != NoFault {
			t.Fatalf("%+v came back as %+v, %d unknown, %v", list, into[:n], unknown, fault)
		}
	})
}

// LooksLikeControl recognizes a control frame with one damaged bit.
func TestLooksLikeControl(t *testing.T) {
	b := make([]byte, MaxControlLen)
	b = b[:PutControl(b, goldenSA, EtherTypeControl, []CtlOS{{Type: LLRInit, Seq: 5}})]
	for bit := range 8 * len(b) {
		if !LooksLikeControl(flipped(b, bit)) {
			t.Errorf("bit %d", bit)
		}
	}
	if LooksLikeControl(carriedFrame(100)) || LooksLikeControl(b[:40]) {
		t.Error("another frame does")
	}
}

// A padded control frame parses to the same control ordered sets.
func TestPaddedControlFrame(t *testing.T) {
	list := []CtlOS{{Type: LLRAck, Seq: 5}}
	b := dirty(1532)
	n := PadControl(b, PutControl(b, goldenSA, EtherTypeControl, list), 1532)
	var into [MaxCtlOS]CtlOS
	if got, _, fault := ParseControl(b[:n], &into); n != 1532 || got != 1 || fault != NoFault || into[0] != list[0] {
		t.Errorf("%d octets: %d parsed, %v", n, got, fault)
	}
	for i, o := range b[MinFrameLen:] {
		if o != 0 {
			t.Fatalf("octet %d is %#x", MinFrameLen+i, o)
		}
	}
	if n := PadControl(b, 60, 50); n != 60 {
		t.Errorf("%d octets", n)
	}
}
