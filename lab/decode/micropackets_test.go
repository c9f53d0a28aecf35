package decode

import (
	"slices"
	"strings"
	"testing"

	"uelink/wire"
	"uelink/wire/micropacket"
)

// messageFrame is a frame of the micropackets of a Message: a Header, two Data, and a Null.
func messageFrame(t *testing.T) []byte {
	t.Helper()
	b, register := make([]byte, 1500), micropacket.ECRCInit
	put := func(i int, f micropacket.Fields, fill func(*micropacket.Micropacket)) {
		m := micropacket.Micropacket{Control: f.Control()}
		if fill != nil {
			fill(&m)
		}
		register = m.ECRC(register)
		m.Control = m.Control.WithECRC(register)
		if f.Tail {
			register = micropacket.ECRCInit
		}
		m.Seal()
		m.Put(micropacket.At(b, i))
	}
	put(0, micropacket.Fields{VC: 1, Type: micropacket.Header, TSEQ: 14, RSEQ: 13}, func(m *micropacket.Micropacket) {
		micropacket.Head{MLen: 80, SNAP: micropacket.SNAP(0x0800)}.Put(&m.Data)
	})
	put(1, micropacket.Fields{VC: 1, Type: micropacket.Data, TSEQ: 15, RSEQ: 13, VCR: 2, CR: 63}, nil)
	put(2, micropacket.Fields{VC: 1, Type: micropacket.Data, Tail: true, TSEQ: 16, RSEQ: 13}, nil)
	put(3, micropacket.Fields{Type: micropacket.Null, TSEQ: micropacket.NoSeq, RSEQ: 13}, nil)
	h := micropacket.FrameHead{N: 4, FCS: true, Number: 77, From: 5, To: 6}
	return b[:micropacket.PutFrame(b, &wire.Addresses{}, wire.EtherTypeData, h)]
}

func TestFrameOfMicropackets(t *testing.T) {
	f := Decode(messageFrame(t), Defaults())
	if len(f.Faults) > 0 || f.Protocol() != "UEHIPPI" {
		t.Errorf("%v, %s", f.Faults, f.Protocol())
	}
	const text = "micropackets Header/VC1 2xData/VC1 Null"
	if got := f.Summary(); !strings.HasSuffix(got, text) {
		t.Errorf("%q, want %q", got, text)
	}
	want(t, fieldsOf(f), map[string]uint64{
		"uehippi.frame.number": 77, "uehippi.frame.from": 5, "uehippi.frame.to": 6, "uehippi.frame.count": 4,
		"uehippi.m_len": 80, "uehippi.ethertype": 0x0800, "uehippi.rseq": 13, "uehippi.tseq": 0xFF, "uehippi.type": 7,
	})
}

// A damaged, a short and a cut frame, and a frame of an unknown version, have a fault. The rest is decoded as far as it
// goes.
func TestFrameOfMicropacketsWithFaults(t *testing.T) {
	whole := messageFrame(t)
	for cut := wire.HeaderLen + 2; cut < len(whole); cut++ {
		if f := Decode(whole[:cut], Defaults()); len(f.Faults) == 0 {
			t.Fatalf("%d of %d octets without a fault", cut, len(whole))
		}
	}
	for cut := wire.HeaderLen + 2; cut <= len(whole); cut++ {
		version2 := slices.Clone(whole[:cut])
		if cut > wire.HeaderLen+3 {
			version2[wire.HeaderLen+2], version2[wire.HeaderLen+3] = 2, 255
		}
		if f := Decode(version2, Defaults()); len(f.Faults) == 0 {
			t.Fatalf("%d of %d octets of version 2 without a fault", cut, len(whole))
		}
	}
	whole[micropacket.FrameHeadLen+3] ^= 1
	if text := Decode(whole, Defaults()).Summary(); !strings.Contains(text, "wrong LCRC") {
		t.Error(text)
	}
}
