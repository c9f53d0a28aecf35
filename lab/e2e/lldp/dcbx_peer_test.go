package lldp

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"uelink/control/api"
	"uelink/lab/e2e/bed"
	"uelink/lldp"
	"uelink/lldp/dcbx"
	"uelink/lldp/lldptest"
	"uelink/wire"
)

// The LLDPDUs that another implementation of DCBX accepts: control, PG, PFC, and in
// the second one Application.
const (
	goldenTwo = "02070402000000000a040705766574682d6106020078fe2b001b2102020a00000000000100000000" +
		"04110000c000012345670d0d0d0d0c0c0c0c0806060000c00008080000"
	goldenThree = "02070402000000000a040705766574682d6106020078fe37001b2102020a00000000000100000000" +
		"04110000c000012345670d0d0d0d0c0c0c0c0806060000c0000808080a0000c0008906001b21080000"
)

// dcbxPeer is a station that is nothing but frames.
type dcbxPeer struct{ *bed.Packets }

// says sends an LLDPDU with a DCBX TLV.
func (p dcbxPeer) says(m dcbx.Message) {
	p.T.Helper()
	payload := m.Append([]byte{0x00, 0x1B, 0x21, dcbx.Subtype})
	p.Send(lldptest.Good(lldptest.TLV(lldp.TypeOrg, payload...)))
}

// hears waits for an LLDPDU with a DCBX TLV whose control has these numbers; either
// may be -1 for any.
func (p dcbxPeer) hears(seq, ack int64) {
	p.T.Helper()
	p.Await(fmt.Sprintf("SeqNo %d and AckNo %d", seq, ack), func(frame []byte) bool {
		heard := exchanged(frame)
		return heard != nil && (seq < 0 || int64(heard.Control.SeqNo) == seq) &&
			(ack < 0 || int64(heard.Control.AckNo) == ack)
	})
}

// exchanged is the DCBX TLV of a frame, nil if there is none.
func exchanged(frame []byte) *dcbx.Message {
	f, fault := lldp.ParseFrame(frame)
	if fault != lldp.NoFault {
		return nil
	}
	info, fault := lldp.NewInfo(f.PDU)
	if fault != lldp.NoFault {
		return nil
	}
	for _, o := range info.Org {
		if o.OUI == (lldp.OUI{0x00, 0x1B, 0x21}) && o.Subtype == dcbx.Subtype {
			if m, err := dcbx.Decode(o.Info); err == nil {
				return m
			}
		}
	}
	return nil
}

// opposite is a daemon with DCBX and the peer at the other end of its wire.
func opposite(t testing.TB, e exchange) (*bed.Daemon, dcbxPeer) {
	t.Helper()
	w := bed.NewWired(t)
	p := dcbxPeer{bed.Open(t, w.B, "link0", wire.EtherTypeLLDP)}
	d := bed.NewDaemon(t, w.A, "A", e)
	d.Start()
	listens(d)
	return d, p
}

// asSent is a feature of the API as its TLV has it.
func asSent[Object, C any](f dcbx.FeatureTLV[Object], config func(Object) C) dcbx.FeatureTLV[C] {
	return dcbx.FeatureTLV[C]{Present: f.Present, Duplicate: f.Duplicate, Header: f.Header, Config: config(f.Config)}
}

// entries is settings of the Application feature as its TLV has them.
func entries(a api.DCBXApp) dcbx.App {
	c := dcbx.App{Entries: []dcbx.AppEntry{}}
	for _, e := range a.Entries {
		c.Entries = append(c.Entries, e.AppEntry)
	}
	return c
}

// Both golden LLDPDUs as frames: all of them is taken, shown and acknowledged.
func TestDCBXGoldenLLDPDUs(t *testing.T) {
	d, p := opposite(t, exchange{pg: storage, pfc: []int{3}})
	header := dcbx.Header{Enable: true, Willing: true}
	pg := dcbx.FeatureTLV[dcbx.PG]{Present: true, Header: header, Config: dcbx.PG{Group: [8]uint8{0, 1, 2, 3, 4, 5, 6, 7},
		Percentage: [8]uint8{13, 13, 13, 13, 12, 12, 12, 12}, NumTCs: 8}}
	pfc := dcbx.FeatureTLV[dcbx.PFC]{Present: true, Header: header, Config: dcbx.PFC{Enable: 0x08, NumTCs: 8}}
	app := dcbx.FeatureTLV[dcbx.App]{Config: dcbx.App{Entries: []dcbx.AppEntry{}}}
	shows := func() {
		t.Helper()
		bed.Eventually(t, "the peer is shown", func() string {
			s := dcbxOf(d)
			if s.Peer != dcbx.PeerPresent || s.Control.Peer != (dcbx.Control{SeqNo: 1}) || s.Control.Local.AckNo != 1 {
				return fmt.Sprintf("peer %s, %+v", s.Peer, s.Control)
			}
			return cmp.Diff(pg, asSent(s.PG.Peer, func(c api.DCBXPG) dcbx.PG { return c.PG })) +
				cmp.Diff(pfc, asSent(s.PFC.Peer, func(c api.DCBXPFC) dcbx.PFC { return c.PFC })) +
				cmp.Diff(app, asSent(s.App.Peer, entries))
		})
	}
	p.hears(1, 0)
	p.Send(goldenFrame(t, goldenTwo))
	p.hears(1, 1)
	shows()
	p.Send(goldenFrame(t, goldenThree))
	app = dcbx.FeatureTLV[dcbx.App]{Present: true, Header: header, Config: dcbx.App{Entries: []dcbx.AppEntry{
		{Protocol: 0x8906, OUI: 0x001B21, Priorities: 0x08}}}}
	shows()
	if s := dcbxOf(d); s.Counters.RxTLVs < 2 || s.Counters.RxTruncated+s.Counters.RxShort+s.Counters.RxTooLong+
		s.Counters.RxUnknownSubTLVs > 0 {
		t.Errorf("%+v", s.Counters)
	}
}

// The peer's SeqNo goes from 0xffffffff to 0; each is acknowledged, and what comes
// with it counts.
func TestDCBXSequenceWraps(t *testing.T) {
	d, p := opposite(t, exchange{pg: storage, pfc: []int{3}, pfcWilling: true})
	says := func(seq, ack uint32, priorities uint8) {
		t.Helper()
		p.says(dcbx.Message{Control: dcbx.Control{SeqNo: seq, AckNo: ack},
			PFC: dcbx.FeatureTLV[dcbx.PFC]{Present: true, Header: dcbx.Header{Enable: true}, Config: dcbx.PFC{Enable: priorities, NumTCs: 8}}})
		p.hears(-1, int64(seq))
		bed.Eventually(t, "the peer's priorities are adopted", func() string {
			if o, _ := outcomeOf(d); o.PFC != priorities {
				return fmt.Sprintf("they are %08b, not %08b", o.PFC, priorities)
			}
			return ""
		})
	}
	says(0xFFFFFFFE, 1, 0x01)
	says(0xFFFFFFFF, 1, 0x02)
	says(0, 1, 0x04)
	says(1, 1, 0x08)
}

// A second station on the wire: as if there were no peer, until it is gone.
func TestDCBXSeveralNeighbors(t *testing.T) {
	own := exchange{pg: storage, pfc: []int{3}}
	d, p := opposite(t, own)
	seen := d.Watch()
	status := func(want dcbx.PeerStatus) {
		t.Helper()
		bed.Eventually(t, "the peer is "+string(want), func() string { return cmp.Diff(want, dcbxOf(d).Peer) })
	}
	p.says(dcbx.Message{Control: dcbx.Control{SeqNo: 1, AckNo: 1},
		PFC: dcbx.FeatureTLV[dcbx.PFC]{Present: true, Header: dcbx.Header{Enable: true}, Config: dcbx.PFC{Enable: 0x08, NumTCs: 8}}})
	status(dcbx.PeerPresent)
	second := goldenFrame(t, goldenTwo)
	p.Send(second)
	status(dcbx.PeerSeveral)
	reaches(d, alone(own))
	seen.Await("dcbx_several_neighbors", "")
	p.Send(lldptest.Goodbye(second))
	status(dcbx.PeerPresent)
	if o, _ := outcomeOf(d); o.PFC != 0x08 || !o.PFCMode || o.PFCError {
		t.Errorf("%+v", o)
	}
}

// PFC that goes off because of the peer is told with the reason, and the reason stays to be
// read until it is on again.
func TestDCBXTellsWhyPFCIsOff(t *testing.T) {
	d, p := opposite(t, exchange{pg: storage, pfc: []int{3}})
	seen := d.Watch()
	good := func() dcbx.Message {
		pfc := dcbx.PFC{Enable: 0x08, NumTCs: 8}
		return dcbx.Message{Control: dcbx.Control{SeqNo: 1, AckNo: 1},
			PFC: dcbx.FeatureTLV[dcbx.PFC]{Present: true, Header: dcbx.Header{Enable: true}, Config: pfc}}
	}
	on := func() {
		t.Helper()
		bed.Eventually(t, "PFC is on", func() string {
			m := good()
			m.Control.AckNo = dcbxOf(d).Control.Local.SeqNo
			p.says(m)
			if v := dcbxOf(d).PFC; !v.Oper.OperMode || v.Note != "" {
				return fmt.Sprintf("%+v", v)
			}
			return ""
		})
	}
	for _, c := range []struct {
		reason dcbx.Reason
		do     func(*dcbx.Message)
	}{
		{dcbx.ReasonPeerError, func(m *dcbx.Message) { m.PFC.Error = true }},
		{dcbx.ReasonPeerDisabled, func(m *dcbx.Message) { m.PFC.Enable = false }},
		{dcbx.ReasonNotCompatible, func(m *dcbx.Message) { m.PFC.Config.Enable = 0x10 }},
		{dcbx.ReasonAbsent, func(m *dcbx.Message) { m.PFC.Present = false }},
	} {
		on()
		m := good()
		c.do(&m)
		m.Control.AckNo = dcbxOf(d).Control.Local.SeqNo
		p.says(m)
		seen.Await("dcbx_oper_off", "pfc: off: "+string(c.reason))
		if text := d.ToolText("dcbx", "show"); !strings.Contains(text, string(c.reason)) {
			t.Errorf("no %q in\n%s", c.reason, text)
		}
	}
	on()
	seen.Await("dcbx_oper_on", "pfc: on, as agreed with the peer")
}

// goldenFrame is a golden LLDPDU as a frame.
func goldenFrame(t testing.TB, octets string) []byte {
	t.Helper()
	return append(lldptest.Frame(), goldenOctets(t, octets)...)
}

// goldenOctets is octets from their hexadecimal.
func goldenOctets(t testing.TB, text string) []byte {
	t.Helper()
	octets, err := hex.DecodeString(text)
	bed.Must(t, err)
	return octets
}
