package traffic

import (
	"bytes"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"uelink/wire"
)

var (
	macA = wire.MAC{0x02, 'u', 'e', 0, 0, 1}
	macB = wire.MAC{0x02, 'u', 'e', 0, 0, 2}
)

func TestFrameGolden(t *testing.T) {
	f := newFormat(macB, macA, []uint16{100, 200}, 0xAABBCCDD, 1500)
	got := make([]byte, 60)
	f.put(got, 60, 0x0102030405060708, 0x1112131415161718)
	want := strings.Join([]string{
		"027565000002", "027565000001", // DA, SA
		"88a80064", "810000c8", // outer and inner tag
		"88b7", "0275650001", "01", // EtherType, protocol identifier, version
		"003c", "aabbccdd", "0102030405060708", "1112131415161718", // length, stream, number, time
	}, "")
	if h := hex.EncodeToString(got); !strings.HasPrefix(h, want) {
		t.Errorf("frame  %s\nwant   %s…", h, want)
	}
	number, sentAt, v := f.read(got)
	if number != 0x0102030405060708 || sentAt != 0x1112131415161718 || v != intact {
		t.Errorf("read back: %x, %x, %d", number, sentAt, v)
	}
}

// The priority stands in every tag, so that it is found whichever is looked at; without a VLAN
// in a priority tag, which names none.
func TestTagsGolden(t *testing.T) {
	for _, c := range []struct {
		vlans      []uint16
		priorities []uint8
		of         uint8
		want       string
	}{
		{nil, nil, 0, "88b7"},
		{nil, []uint8{0}, 0, "8100000088b7"},
		{nil, []uint8{0, 5}, 5, "8100a00088b7"},
		{[]uint16{100}, nil, 0, "8100006488b7"},
		{[]uint16{100}, []uint8{3}, 3, "8100606488b7"},
		{[]uint16{100, 200}, []uint8{7}, 7, "88a8e0648100e0c888b7"},
	} {
		config := Config{VLANs: c.vlans, Priorities: c.priorities}
		f := newFormat(macB, macA, config.tags(c.of), 1, 1500)
		if got := hex.EncodeToString(f.head[12:]); !strings.HasPrefix(got, c.want) {
			t.Errorf("VLANs %v, priority %d: %s, want %s…", c.vlans, c.of, got, c.want)
		}
	}
	if vlans := []uint16{100}; (&Config{VLANs: vlans, Priorities: []uint8{7}}).tags(7)[0] == vlans[0] {
		t.Error("the configuration was changed")
	}
}

func TestEtherTypeIsNotTheLinks(t *testing.T) {
	for _, ours := range []uint16{wire.EtherTypeData, wire.EtherTypeControl, wire.EtherTypeLLDP} {
		if EtherType == ours {
			t.Errorf("%#x", ours)
		}
	}
}

func anyFormat(t *rapid.T) (*format, []byte, uint64) {
	vlans := rapid.SliceOfN(rapid.Uint16Range(0, 4095), 0, 2).Draw(t, "vlans")
	f := newFormat(macB, macA, vlans, rapid.Uint32().Draw(t, "stream"), 1522)
	b := make([]byte, rapid.IntRange(60, 1522).Draw(t, "length"))
	number := rapid.Uint64().Draw(t, "number")
	f.put(b, len(b), number, wire.Time(rapid.Int64().Draw(t, "now")))
	return f, b, number
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, b, number := anyFormat(t)
		if got, _, v := f.read(b); v != intact || got != number {
			t.Fatalf("number %d, verdict %d", got, v)
		}
	})
}

// CRC-32 finds every change of up to three bits in a frame of this length.
func TestAnyChangeOfAFewBitsIsDamage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, b, _ := anyFormat(t)
		flips := rapid.SliceOfNDistinct(rapid.IntRange(0, 8*len(b)-1), 1, 3, rapid.ID).Draw(t, "bits")
		for _, bit := range flips {
			b[bit/8] ^= 1 << (bit % 8)
		}
		if _, _, v := f.read(b); v != damaged {
			t.Fatalf("verdict %d", v)
		}
	})
}

func TestAnyChangeOfLengthIsDamage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, b, _ := anyFormat(t)
		changed := b[:rapid.IntRange(wire.HeaderLen, len(b)-1).Draw(t, "cut")]
		if rapid.Bool().Draw(t, "longer") {
			changed = append(slices.Clone(b), rapid.SliceOfN(rapid.Byte(), 1, 64).Draw(t, "more")...)
		}
		if _, _, v := f.read(changed); v != damaged {
			t.Fatalf("verdict %d", v)
		}
	})
}

func TestForeignFrames(t *testing.T) {
	f := newFormat(macB, macA, nil, 7, 1500)
	later := newFormat(macB, macA, nil, 9, 1500)
	back := newFormat(macA, macB, nil, 6, 1500)
	frame := func(of *format) []byte {
		b := make([]byte, 100)
		of.put(b, len(b), 1, 1)
		return b
	}
	ip := append(slices.Concat(macB[:], macA[:], []byte{0x08, 0x00}), make([]byte, 86)...)
	neighbour := append([]byte("\x33\x33\x00\x00\x00\x16\x5a\x01\x02\x03\x04\x05\x86\xdd"), make([]byte, 76)...)
	for name, b := range map[string][]byte{
		"another run": frame(later), "the other direction": frame(back), "IP between the same addresses": ip,
		"neighbour discovery": neighbour, "nothing": {}, "runt": neighbour[:13],
	} {
		if _, _, v := f.read(b); v != foreign {
			t.Errorf("%s: verdict %d", name, v)
		}
	}
}

func TestPayloadDiffersFromNumberToNumber(t *testing.T) {
	f := newFormat(macB, macA, nil, 7, 1500)
	for n := range uint64(1000) {
		if bytes.Equal(f.payload(n, 64), f.payload(n+1, 64)) {
			t.Errorf("numbers %d and %d have one payload", n, n+1)
		}
	}
	f.payload(math.MaxUint64, 1500) // within bounds
}

func FuzzRead(f *testing.F) {
	form := newFormat(macB, macA, []uint16{100}, 7, 1522)
	b := make([]byte, 200)
	form.put(b, len(b), 5, 6)
	f.Add(b)
	f.Add(b[:60])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		number, sentAt, v := form.read(b)
		if v != intact {
			return
		}
		repeat := make([]byte, len(b))
		form.put(repeat, len(b), number, sentAt)
		if !bytes.Equal(repeat, b) {
			t.Errorf("%x was taken for %x", b, repeat)
		}
	})
}
