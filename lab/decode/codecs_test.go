package decode

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"uelink/lldp"
	"uelink/lldp/dcbx"
	"uelink/lldp/ue"
	"uelink/wire"
)

// The tables of the link stand beside the codecs that the daemon uses. These tests hold them to
// each other.

// fieldsOf is the fields of a frame by their names; of those with one name, the last.
func fieldsOf(f *Frame) map[string]uint64 {
	values := map[string]uint64{}
	for _, l := range f.Layers {
		for _, field := range l.Fields {
			values[field.Name] = field.Value
		}
	}
	return values
}

// want compares some of the fields.
func want(t interface {
	Helper()
	Errorf(string, ...any)
}, got map[string]uint64, fields map[string]uint64) {
	t.Helper()
	for name, v := range fields {
		if g, ok := got[name]; !ok || g != v {
			t.Errorf("%s is %#x (%v), not %#x", name, g, ok, v)
		}
	}
}

func TestControlOrderedSetsAgreeWithTheCodec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := wire.CtlOS{Type: rapid.SampledFrom([]wire.CtlOSType{wire.LLRAck, wire.LLRNack, wire.LLRInit,
			wire.LLRInitEcho,
			wire.CFUpdate}).Draw(t, "type")}
		view := rapid.SampledFrom([]wire.View{wire.ViewPCS, wire.ViewXMII}).Draw(t, "view")
		seq := uint32(rapid.IntRange(0, wire.SeqMask).Draw(t, "seq"))
		fields := map[string]uint64{}
		switch c.Type {
		case wire.CFUpdate:
			c.CF = [2]wire.Credit{credit(t), credit(t)}
			fields = map[string]uint64{"uecbfc.cf.cf1_vc": uint64(c.CF[0].VC),
				"uecbfc.cf.cf1_count": uint64(c.CF[0].Count),
				"uecbfc.cf.cf2_vc":    uint64(c.CF[1].VC), "uecbfc.cf.cf2_count": uint64(c.CF[1].Count)}
		case wire.LLRAck, wire.LLRNack:
			c.Seq = seq
			fields["uellr.ack_nack_seq"] = uint64(seq)
		default:
			c.Seq, c.InitData = seq, [2]byte{rapid.Byte().Draw(t, "low"), rapid.Byte().Draw(t, "high")}
			fields = map[string]uint64{"uellr.init_seq": uint64(seq), "uellr.init_data_low": uint64(c.InitData[0]),
				"uellr.init_data_high": uint64(c.InitData[1])}
		}
		var b [wire.CtlOSLen]byte
		wire.PutCtlOS(b[:], view, c)
		f := DecodeCtlOS(b[:])
		if len(f.Faults) > 0 {
			t.Fatal(f.Faults)
		}
		want(t, fieldsOf(f), fields)
	})
}

func credit(t *rapid.T) wire.Credit {
	return wire.Credit{VC: uint8(rapid.IntRange(0, 31).Draw(t, "vc")), Count: uint16(rapid.IntRange(0, 32767).Draw(t,
		"count"))}
}

func TestCreditMessagesAgreeWithTheCodecs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vc := uint8(rapid.IntRange(0, 31).Draw(t, "vc"))
		c := wire.Channel{VC: vc, Op: wire.ChannelOp(rapid.IntRange(1, 7).Draw(t, "op")),
			Transaction: rapid.Byte().Draw(t, "n"),
			CreditSize:  32 << rapid.IntRange(0, 6).Draw(t, "size"), Limit: rapid.Uint16().Draw(t, "limit"),
			Overhead: int8(rapid.IntRange(-128, 127).Draw(t, "overhead"))}
		var b [wire.CtlOSLen]byte
		wire.PutCtlOS(b[:], wire.ViewPCS, c.CtlOS())
		want(t, fieldsOf(DecodeCtlOS(b[:])), map[string]uint64{"uecbfc.vc.vc": uint64(vc),
			"uecbfc.vc.operation":   uint64(c.Op),
			"uecbfc.vc.transaction": uint64(c.Transaction), "uecbfc.vc.credit_limit": uint64(c.Limit),
			"uecbfc.vc.credit_size": uint64(bits.TrailingZeros16(c.CreditSize / 32)),
			"uecbfc.vc.overhead":    uint64(uint8(c.Overhead))})

		u := wire.CCUpdate{VCs: 1 << vc}
		u.Count[vc] = uint32(rapid.IntRange(0, wire.SeqMask).Draw(t, "count"))
		for d, fields := range map[wire.Dialect]map[string]uint64{
			wire.DialectSeed: {"uecbfc.cc.vc_index": uint64(vc), "uecbfc.cc.cc_counter": uint64(u.Count[vc] & 0x7FFF)},
			wire.DialectUE1: {"uecbfc.cc.type": uint64(vc/16 + 1), fmt.Sprintf("uecbfc.cc.count%d",
				vc%16): uint64(u.Count[vc])},
		} {
			carried := make([]byte, wire.MaxCCUpdateLen)
			n, _ := wire.PutCCUpdate(carried, wire.MAC{2}, wire.MAC{4}, wire.EtherTypeControl, d, &u)
			frame := make([]byte, wire.DataLen(n, true))
			wire.PutData(frame, carried[:n], wire.EtherTypeData, d, wire.Preamble{FCS: true, To: wire.To{Partner: true}}, false)
			f := Decode(frame, Defaults())
			if len(f.Faults) > 0 {
				t.Fatal(f.Faults)
			}
			want(t, fieldsOf(f), fields)
		}

		p := wire.PFC{Enable: rapid.Byte().Draw(t, "enable")}
		fields := map[string]uint64{"macc.opcode": 0x0101}
		for i := range p.Quanta {
			if p.Enable>>i&1 != 0 {
				p.Quanta[i] = rapid.Uint16().Draw(t, "quanta")
			}
			fields[fmt.Sprintf("macc.cbfc.enbv.c%d", i)] = uint64(p.Enable >> i & 1)
			fields[fmt.Sprintf("macc.cbfc.pause_time.c%d", i)] = uint64(p.Quanta[i])
		}
		frame := make([]byte, wire.MinFrameLen)
		wire.PutPFC(frame, wire.MAC{2}, p)
		want(t, fieldsOf(Decode(frame, Defaults())), fields)
	})
}

func bit(on bool) uint64 { return flag(on) }

func TestStationAgreesWithTheCodec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flags := rapid.SliceOfN(rapid.Bool(), 10, 10).Draw(t, "flags")
		s := wire.Station{Largest: rapid.Uint16().Draw(t, "largest"), Longest: rapid.Uint16().Draw(t, "longest"),
			Local: flags[0], Remote: flags[1], Live: flags[2], Dynamic: flags[3], FCS: flags[4], Addressed: flags[5],
			UE1: flags[6], SeenShim: flags[7], Busy: flags[8], TakesVCs: flags[9], EtherType: rapid.Uint16().Draw(t,
				"type"),
			Start: rapid.Uint32().Draw(t, "start") & wire.StartMask, VCs: rapid.Byte().Draw(t, "vcs"),
			Keeps: rapid.Uint8Range(0, wire.KeepsMost).Draw(t, "keeps")}
		received := wire.Received{Twice: rapid.Uint32().Draw(t, "twice"),
			Nack: rapid.Uint8Range(0, wire.NackMask).Draw(t, "nack"), Again: rapid.Bool().Draw(t, "again")}
		number := rapid.Uint32Range(0, wire.SeqMask)
		missing := [2]uint32{number.Draw(t, "from"), number.Draw(t, "to")}
		arrived := [2]uint32{number.Draw(t, "last"), number.Draw(t, "high")}
		frame := make([]byte, wire.MaxControlLen)
		frame = frame[:wire.PutControl(frame, wire.MAC{2}, wire.EtherTypeControl, append(s.Items(nil),
			received.Item(), wire.Gap(wire.GapMissing, missing[0], missing[1]),
			wire.Gap(wire.GapArrived, arrived[0], arrived[1])))]
		f := Decode(frame, Defaults())
		if len(f.Faults) > 0 {
			t.Fatal(f.Faults)
		}
		want(t, fieldsOf(f), map[string]uint64{
			"uelink.station.largest": uint64(s.Largest), "uelink.station.longest": uint64(s.Longest),
			"uelink.station.local": bit(s.Local), "uelink.station.remote": bit(s.Remote),
			"uelink.station.live":    bit(s.Live),
			"uelink.station.dynamic": bit(s.Dynamic), "uelink.station.fcs": bit(s.FCS),
			"uelink.station.addressed": bit(s.Addressed), "uelink.station.ue1": bit(s.UE1),
			"uelink.station.seen_shim": bit(s.SeenShim), "uelink.station.busy": bit(s.Busy),
			"uelink.station.takes_vcs": bit(s.TakesVCs), "uelink.station.ethertype": uint64(s.EtherType),
			"uelink.station.start_id": uint64(s.Start), "uelink.station.num_vcs": uint64(s.VCs),
			"uelink.station.twice_high": uint64(received.Twice >> 16), "uelink.station.twice_low": uint64(received.Twice & 0xFFFF),
			"uelink.station.nack_number": uint64(received.Nack), "uelink.station.nack_again": bit(received.Again),
			"uelink.station.keeps": uint64(s.Keeps), "uelink.gap.from_high": uint64(missing[0] >> 4),
			"uelink.gap.from_low": uint64(missing[0] & 15), "uelink.gap.to": uint64(missing[1]),
			"uelink.gap.last_high": uint64(arrived[0] >> 4), "uelink.gap.last_low": uint64(arrived[0] & 15),
			"uelink.gap.high": uint64(arrived[1]), "uelink.control.count": 6, "uelink.control.version": 1,
		})
	})
}

func TestPreamblesAgreeWithTheCodec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := wire.Dialect(rapid.IntRange(0, 1).Draw(t, "dialect"))
		p := wire.Preamble{Sequenced: rapid.Bool().Draw(t, "sequenced"), FCS: rapid.Bool().Draw(t, "fcs"),
			To: wire.To{Addressed: rapid.Bool().Draw(t, "addressed"), VC: uint8(rapid.IntRange(0, 31).Draw(t, "vc"))}}
		fields := map[string]uint64{"uelink.sequenced": bit(p.Sequenced), "uelink.vc": uint64(p.VC), "eth.type": 0x9999}
		if p.Sequenced {
			p.Seq = uint32(rapid.IntRange(0, wire.SeqMask).Draw(t, "seq"))
			fields["uellr.seq"] = uint64(p.Seq)
		}
		if p.FCS {
			fields["uelink.fcs_status"] = 0
		}
		carried := make([]byte, 60)
		carried[12], carried[13] = 0x99, 0x99
		frame := make([]byte, p.DataLen(len(carried)))
		if outer := (wire.Addresses{2, 9}); p.Addressed {
			wire.PutAddressed(frame, carried, &outer, wire.EtherTypeData, d, p, false)
		} else {
			wire.PutData(frame, carried, wire.EtherTypeData, d, p, false)
		}
		f := Decode(frame, Defaults())
		if len(f.Faults) > 0 {
			t.Fatal(f.Faults)
		}
		got := fieldsOf(f)
		want(t, got, fields)
		if d == wire.DialectSeed {
			want(t, got, map[string]uint64{"uelink.preamble.sequence_number": uint64(p.Seq),
				"uelink.preamble.fcs": bit(p.FCS), "uelink.preamble.addressed": bit(p.Addressed),
				"uelink.preamble.vc": uint64(p.VC)})
		} else if p.Sequenced {
			want(t, got, map[string]uint64{"uelink.preamble.seq_high": uint64(p.Seq >> 16),
				"uelink.preamble.seq_low": uint64(p.Seq & 0xFFFF)})
		}
	})
}

func TestTLVsAgreeWithTheCodecs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := ue.Advertisement{HasLink: true, HasCBFC: true,
			Link: ue.Link{LLR: rapid.Bool().Draw(t, "llr"), CBFC: rapid.Bool().Draw(t, "cbfc"),
				Version: rapid.Byte().Draw(t, "version")},
			CBFC: ue.CBFC{VCs: uint8(rapid.IntRange(1, 32).Draw(t, "vcs")), Pool: uint16(rapid.IntRange(1,
				65535).Draw(t, "pool")),
				Lossless: rapid.Uint32().Draw(t, "lossless")}}
		m := dcbx.Message{Control: dcbx.Control{SeqNo: rapid.Uint32().Draw(t, "seq"), AckNo: rapid.Uint32().Draw(t,
			"ack")}}
		m.PFC.Present, m.PFC.Willing = true, rapid.Bool().Draw(t, "willing")
		m.PFC.Config = dcbx.PFC{Enable: rapid.Byte().Draw(t, "enable"), NumTCs: 8}
		m.PG.Present = true
		for i := range 8 {
			m.PG.Config.Group[i] = uint8(rapid.IntRange(0, 15).Draw(t, "group"))
			m.PG.Config.Percentage[i] = rapid.Byte().Draw(t, "percentage")
		}
		m.App.Present = true
		m.App.Config.Entries = []dcbx.AppEntry{{Protocol: rapid.Uint16().Draw(t, "protocol"),
			OUI:      0xFC0000 | uint32(rapid.Uint16().Draw(t, "oui")),
			Selector: 1, Priorities: rapid.Byte().Draw(t, "priorities")}}
		org, _ := ue.Codec{OUI: ue.DefaultOUI}.Append(nil, a, nil)
		org = append(org, lldp.Org{OUI: lldp.OUI{0, 0x1B, 0x21}, Subtype: dcbx.Subtype, Info: m.Append(nil)})
		p := lldp.PDU{Chassis: lldp.ChassisID{Subtype: lldp.ChassisLocal, ID: []byte("c")},
			Port: lldp.PortID{Subtype: lldp.PortLocal, ID: []byte("p")}, TTL: 121, Org: org}
		frame, _ := lldp.AppendFrame(nil, lldp.NearestBridge, wire.MAC{2}, &p)
		f := Decode(frame, Defaults())
		if len(f.Faults) > 0 {
			t.Fatal(f.Faults)
		}
		got, e := fieldsOf(f), m.App.Config.Entries[0]
		want(t, got, map[string]uint64{
			"uelink.lldp.llr_enabled": bit(a.Link.LLR), "uelink.lldp.cbfc_enabled": bit(a.Link.CBFC),
			"uelink.lldp.ue_version": uint64(a.Link.Version), "uelink.lldp.num_vcs": uint64(a.CBFC.VCs),
			"uelink.lldp.credit_pool_size": uint64(a.CBFC.Pool), "uelink.lldp.lossless_vcs": uint64(a.CBFC.Lossless),
			"lldp.dcbx.control.seq": uint64(m.Control.SeqNo), "lldp.dcbx.control.ack": uint64(m.Control.AckNo),
			"lldp.dcbx.feature.pfc.prio0":     uint64(m.PFC.Config.Enable & 1),
			"lldp.dcbx.feature.pfc.prio7":     uint64(m.PFC.Config.Enable >> 7),
			"lldp.dcbx.feature.pg.pgid_prio0": uint64(m.PG.Config.Group[0]),
			"lldp.dcbx.feature.pg.pgid_prio7": uint64(m.PG.Config.Group[7]),
			"lldp.dcbx.feature.pg.per3":       uint64(m.PG.Config.Percentage[3]),
			"lldp.dcbx.feature.app.proto":     uint64(e.Protocol),
			"lldp.dcbx.feature.app.sf":        1, "lldp.dcbx.feature.app.oui_high": 0x3F,
			"lldp.dcbx.feature.app.oui_low": uint64(e.OUI & 0xFFFF),
			"uelink.dcbx.priorities":        uint64(e.Priorities),
		})
	})
}

func TestFramesThatAreShortOrOfOthers(t *testing.T) {
	frame := func(kind uint16, rest ...byte) []byte {
		return append(binary.BigEndian.AppendUint16(make([]byte, 12), kind), rest...)
	}
	for _, c := range []struct {
		name  string
		frame []byte
		want  string // of the faults
	}{
		{"nothing", nil, "eth: truncated: a frame of 0 octets"},
		{"13 octets", make([]byte, 13), "eth: truncated: a frame of 13 octets"},
		{"a header", frame(0x9999), ""},
		{"MAC Control without opcode", frame(0x8808, 1), "macc: truncated"},
		{"PAUSE to somebody", frame(0x8808, 0, 1, 0, 0), "macc: wrong destination address or EtherType"},
		{"MAC Control of others", frame(0x8808, 0, 2, 0, 0), ""},
		{"CC_Update that is cut", frame(0x8808, 0xFF, 0xFE, 0xFA, 0x7A, 0xCB, 1), "uecbfc: truncated"},
		{"LLDP of nothing", frame(0x88CC), "lldp: no End Of LLDPDU"},
		{"IPv4 that is cut", frame(0x0800, 0x45), ""},
		{"data that is cut", frame(0x88B5, 0x55), "uelink: truncated"},
		{"control that is cut", frame(0x88B6, 1), "uelink: truncated"},
	} {
		f := Decode(c.frame, Defaults())
		var got []string
		for _, fault := range f.Faults {
			got = append(got, fault.Protocol+": "+fault.Text)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A shim in a shim in a shim ends: each takes ten octets, and only three are looked into.
func TestShimsWithinShims(t *testing.T) {
	frame := append(binary.BigEndian.AppendUint16(make([]byte, 12), 0x9999), make([]byte, 46)...)
	for range 10 {
		outer := make([]byte, wire.DataLen(len(frame), false))
		wire.PutData(outer, frame, wire.EtherTypeData, wire.DialectSeed, wire.Preamble{Sequenced: true}, false)
		frame = outer
	}
	shims := 0
	for _, l := range Decode(frame, Defaults()).Layers {
		if l.Format == preambleSeed.Name {
			shims++
		}
	}
	if shims != carriedMax {
		t.Errorf("%d shims are looked into", shims)
	}
}
