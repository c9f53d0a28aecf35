package station_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"uelink/lldp"
	"uelink/lldp/dcbx"
	"uelink/lldp/dot"
	"uelink/lldp/lldptest"
)

// org is an organizationally specific TLV.
func org(oui lldp.OUI, subtype byte, info ...byte) []byte {
	return lldptest.TLV(lldp.TypeOrg, append([]byte{oui[0], oui[1], oui[2], subtype}, info...)...)
}

// A peer that speaks DCBX of IEEE 802.1Qaz only is named so, as long as it does not speak
// this one.
func TestPeerThatSpeaksIEEEOnly(t *testing.T) {
	w := newWorld(t)
	a := start(t, w.a, withDCBX("left", willing))
	peer := newInjector(t, w.b, "right")
	a.waitUp(t)
	flow := org(dot.OUI1, 11, 0x88, 0x08)
	peer.send(t, lldptest.Good(flow))
	a.expect(t, "dcbx_peer_not_advertising")
	if d := a.DCBX()[0]; d.Peer != dcbx.PeerIEEEOnly {
		t.Errorf("the peer is %s", d.Peer)
	}
	payload, err := hex.DecodeString("020a00000000000100000000")
	must(t, err)
	peer.send(t, lldptest.Good(flow, org(lldp.OUI{0x00, 0x1B, 0x21}, dcbx.Subtype, payload...)))
	a.expect(t, "dcbx_peer_found")
	if d := a.DCBX()[0]; d.Peer != dcbx.PeerPresent {
		t.Errorf("the peer is %s", d.Peer)
	}
}

// With one direction of LLDP DCBX is disabled, and an event reports it.
func TestDCBXWithOneWayLLDP(t *testing.T) {
	w := newWorld(t)
	c := withDCBX("left", willing)
	c.Ports[0].Mode = lldp.TxOnly
	a := start(t, w.a, c)
	if e := a.expect(t, "dcbx_one_way"); !strings.Contains(e.Text, "LLDP does not go both ways: DCBX is disabled") {
		t.Errorf("%+v", e)
	}
	if d := a.DCBX()[0]; d.Running || !strings.Contains(string(d.Note), "set lldp.mode to rx-tx") {
		t.Errorf("%+v", d)
	}
}

// At most one LLDPDU a second where DCBX is on, unless it is configured otherwise.
func TestCreditOfAPortWithDCBX(t *testing.T) {
	w := newWorld(t)
	a := start(t, w.a, withDCBX("left", willing))
	b := start(t, w.b, on("right"))
	if n := a.Interfaces()[0].Timers.TxCreditMax; n != 1 {
		t.Errorf("txCreditMax is %d with DCBX", n)
	}
	if n := b.Interfaces()[0].Timers.TxCreditMax; n != 5 {
		t.Errorf("txCreditMax is %d without", n)
	}
}

// An event without a neighbour that says what the last one said is not told again, and
// what happened last is kept.
func TestRepeatedEventIsNotTold(t *testing.T) {
	w := newWorld(t)
	a := start(t, w.a, on("left"))
	for range 3 {
		must(t, w.a.SetLink("left", false))
		a.expectText(t, "interface", "down")
		must(t, w.a.SetLink("left", true))
		a.expectText(t, "interface", "up")
	}
	before := ""
	for _, e := range a.Recent() {
		if e.Neighbor == nil && e.Kind+e.Text == before {
			t.Errorf("%s %s is told twice", e.Kind, e.Text)
		}
		before = e.Kind + e.Text
	}
	if before == "" {
		t.Error("nothing is kept")
	}
}

// The event of a neighbour without a system name has no name.
func TestNeighbourWithoutAName(t *testing.T) {
	w := newWorld(t)
	a := start(t, w.a, on("left"))
	peer := newInjector(t, w.b, "right")
	a.waitUp(t)
	peer.send(t, lldptest.Good())
	if e := a.expect(t, "neighbor_added"); !strings.HasPrefix(e.Text, "chassis ") {
		t.Errorf("%q", e.Text)
	}
}
