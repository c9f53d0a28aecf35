package ue_test

import (
	"testing"

	"uelink/lldp"
	"uelink/lldp/ue"
)

// A port sends its wishes in any state, hears those of a neighbour, and counts UE TLVs of no use, of every subtype.
func TestAnnouncer(t *testing.T) {
	c := ue.Codec{OUI: ue.DefaultOUI}
	own := ue.Wishes{DCBX: true, PFC: true, Asks: true, Priorities: 8}
	a := ue.NewAnnouncer(c, ue.Wishes{})
	if !a.SetOwn(own) || a.SetOwn(own) || a.Own() != own || a.PortChanged(lldp.PortStatus{}, 0) {
		t.Error("a change of the wishes is not a local change, or something else is")
	}
	sent := a.AppendTLVs(nil)
	if got, ok := ue.NewAnnouncer(c, ue.Wishes{}).FindWishes(sent); !ok || got != own || len(sent) != 1 ||
		!a.Recognizes(sent[0].OUI, sent[0].Subtype) || a.Recognizes(c.OUI, ue.SubtypeLink) {
		t.Errorf("%+v came as %+v", own, got)
	}
	if got, ok := ue.NewAnnouncer(ue.Codec{OUI: lldp.OUI{1, 2, 3}}, own).FindWishes(sent); ok {
		t.Errorf("another OUI: %+v", got)
	}
	for i, bad := range [][]lldp.Org{
		{{OUI: c.OUI, Subtype: ue.SubtypeWishes, Info: []byte{1, 2}}},
		{{OUI: c.OUI, Subtype: ue.SubtypeWishes, Info: []byte{0, 0, 0}}},
		append(sent, sent...),
		{{OUI: c.OUI, Subtype: ue.SubtypeLink}},
		{{OUI: c.OUI, Subtype: ue.SubtypeCBFC, Info: make([]byte, 9)}},
		{{OUI: c.OUI, Subtype: ue.SubtypeCreditSize, Info: make([]byte, 4)}},
	} {
		n := &lldp.Info{PDU: lldp.PDU{Org: bad}}
		a.NeighborSeen(lldp.Sighting{Subject: n}, 0)
		a.NeighborSeen(lldp.Sighting{Subject: n, Gone: lldp.Aged}, 0)
		if got, ok := a.FindWishes(bad); ok || *a.Faulty() != uint64(i+1) {
			t.Errorf("% x: %+v, %d of no use, want %d", bad, got, *a.Faulty(), i+1)
		}
	}
}
