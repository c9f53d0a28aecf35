package station_test

import (
	"bytes"
	"slices"
	"testing"

	"uelink/lldp"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/dialect"
	"uelink/lldp/lldptest"
	"uelink/lldp/station"
	"uelink/wire"
)

// withDCBX is a configuration with DCBX on its port, in its CEE dialect.
func withDCBX(ifname string, change func(*dcbx.Local)) station.Config {
	c, local := on(ifname), dcbx.Default()
	change(&local)
	c.Ports[0].DCBX, c.Ports[0].Dialect = &local, dialect.CEE
	return c
}

// storage decides: it is not willing, has two groups and PFC for priority 3.
func storage(l *dcbx.Local) {
	l.PG.Willing, l.PFC.Willing = false, false
	l.PG.Config = dcbx.PG{Group: [8]uint8{3: 1}, Percentage: [8]uint8{60, 40}, NumTCs: 8}
	l.PFC.Config.Enable = 1 << 3
}

func willing(*dcbx.Local) {}

// The willing end operates by what the other one decides, follows a change of it
// and returns to its own when DCBX is switched off there.
func TestDCBXBetweenTwoStations(t *testing.T) {
	w := newWorld(t)
	c := withDCBX("left", storage)
	a, b := start(t, w.a, c), start(t, w.b, withDCBX("right", willing))
	b.expectText(t, "dcbx_peer_found", "port: a peer speaks DCBX")
	follows := func(priorities uint8) func() bool {
		return func() bool {
			l, r := a.DCBX(), b.DCBX()
			return len(l) == 1 && len(r) == 1 && r[0].PFC.Oper.OperMode && r[0].PFC.Oper.OperCfg.Enable == priorities &&
				r[0].PG.Oper.OperCfg == c.Ports[0].DCBX.PG.Config && l[0].PFC.Oper.Syncd && l[0].PFC.Oper.OperMode &&
				r[0].PFC.Oper.Syncd
		}
	}
	eventually(t, "the right end follows", follows(1<<3))
	d := b.DCBX()[0]
	if d.Port != "port0" || d.Interface != "right" || d.Peer != dcbx.PeerPresent || d.CIN != nil ||
		d.Control.Peer.AckNo == 0 {
		t.Errorf("%+v", d)
	}
	if n := b.Neighbors(); len(n) != 1 || len(n[0].Recognized) != 2 || !n[0].Recognized[0] || !n[0].Recognized[1] ||
		n[0].DCBX[0].Message == nil {
		t.Errorf("%+v", n)
	}
	if s := b.Statistics()[0].Rx; s.TotalUnrecognizedTLVs != 0 {
		t.Errorf("%d TLVs not recognized", s.TotalUnrecognizedTLVs)
	}

	reload := func(c station.Config) { must(t, w.a.Do(func() error { return a.Reload(c) })) }
	c = withDCBX("left", func(l *dcbx.Local) { storage(l); l.PFC.Config.Enable |= 1 << 4 })
	reload(c)
	eventually(t, "the right end follows the change", follows(3<<3))
	reload(on("left"))
	b.expect(t, "dcbx_peer_not_advertising")
	if d := b.DCBX()[0]; d.Peer != dcbx.PeerAbsent || d.PFC.Oper.OperMode || d.PFC.Oper.OperCfg.Enable != 0 {
		t.Errorf("%+v", d)
	}
	if l := a.DCBX(); len(l) > 0 {
		t.Errorf("DCBX is off: %+v", l)
	}
	reload(c)
	eventually(t, "the right end follows again", follows(3<<3))
	must(t, a.Close())
	b.expect(t, "dcbx_peer_shut_down")
}

// DCBX is the nearest bridge's only, and needs both directions.
func TestWhereDCBXIsNot(t *testing.T) {
	w := newWorld(t)
	c := withDCBX("left", willing)
	c.Ports[0].Destinations = []wire.MAC{lldp.NearestNonTPMRBridge}
	a, b := start(t, w.a, c), start(t, w.b, func() station.Config {
		d := withDCBX("right", willing)
		d.Ports[0].Destinations = []wire.MAC{lldp.NearestBridge, lldp.NearestNonTPMRBridge}
		return d
	}())
	if n := b.expect(t, "neighbor_added").Neighbor; len(n.Info.Org) != 0 {
		t.Errorf("%+v", n)
	}
	eventually(t, "DCBX of the right runs", func() bool { return b.DCBX()[0].Running })
	if a.DCBX()[0].Running {
		t.Error("DCBX runs without an agent of the nearest bridge")
	}
	d := withDCBX("right", willing)
	d.Ports[0].Destinations, d.Ports[0].Mode = []wire.MAC{lldp.NearestBridge, lldp.NearestNonTPMRBridge}, lldp.TxOnly
	must(t, w.b.Do(func() error { return b.Reload(d) }))
	eventually(t, "DCBX stops when LLDP no longer receives", func() bool { return !b.DCBX()[0].Running })
}

// speaker is an LLDPDU of a station of that name with a DCBX TLV.
func speaker(name string, ttl uint16, subtype uint8, payload []byte) []byte {
	pdu := lldp.PDU{Chassis: lldp.ChassisID{Subtype: lldp.ChassisLocal, ID: []byte(name)},
		Port: lldp.PortID{Subtype: lldp.PortLocal, ID: []byte("1")}, TTL: ttl}
	if ttl > 0 {
		pdu.Org = []lldp.Org{{OUI: lldp.OUI{0x00, 0x1B, 0x21}, Subtype: subtype, Info: payload}}
	}
	frame, _ := lldp.AppendFrame(nil, lldp.NearestBridge, lldptest.Source, &pdu)
	return frame
}

// DCBX, 2.3: with several neighbours there is no DCBX until one is left.
func TestDCBXWithSeveralNeighbors(t *testing.T) {
	w := newWorld(t)
	a, in := start(t, w.a, withDCBX("left", willing)), newInjector(t, w.b, "right")
	a.waitUp(t)
	m := dcbx.Message{Control: dcbx.Control{SeqNo: 1}, PFC: dcbx.FeatureTLV[dcbx.PFC]{Present: true,
		Header: dcbx.Header{Enable: true}, Config: dcbx.PFC{Enable: 0x10, NumTCs: 8}}}
	payload := m.Append(nil)
	in.send(t, speaker("first", 120, dcbx.Subtype, payload))
	a.expect(t, "dcbx_peer_found")
	in.send(t, speaker("second", 120, dcbx.Subtype, payload))
	a.expect(t, "dcbx_several_neighbors")
	if p := a.DCBX()[0].Peer; p != dcbx.PeerSeveral {
		t.Error(p)
	}
	in.send(t, speaker("second", 0, 0, nil))
	a.expect(t, "dcbx_peer_found")
}

// A peer of the older protocol (CIN) is shown, but counts as absent.
func TestPeerOfTheOlderDCBX(t *testing.T) {
	w := newWorld(t)
	a, in := start(t, w.a, withDCBX("left", willing)), newInjector(t, w.b, "right")
	a.waitUp(t)
	control := octets(t, "020a 00 00 00000007 00000006")
	pfc := octets(t, "0605 00 00 80 00 08")
	in.send(t, speaker("old", 120, dcbx.SubtypeCIN, slices.Concat(control, pfc)))
	a.expect(t, "dcbx_peer_not_advertising")
	d := a.DCBX()[0]
	if d.CIN == nil || d.CIN.Control.SeqNo != 7 || d.CIN.PFC.Config.Enable != 8 || d.Peer != dcbx.PeerAbsent {
		t.Errorf("%+v", d)
	}
	if d.CIN.Unknown == nil {
		t.Error("no list of unknown TLVs")
	}
	n := a.Neighbors()[0]
	if !n.Recognized[0] || !bytes.Equal(n.Info.Org[0].Info, slices.Concat(control, pfc)) || n.DCBX[0].CIN == nil {
		t.Errorf("%+v", n)
	}
	in.send(t, speaker("old", 120, dcbx.SubtypeCIN, control[:5]))
	eventually(t, "a TLV that cannot be read is not shown", func() bool { return a.DCBX()[0].CIN == nil })
}
