package dcbx

import (
	"testing"

	"pgregory.net/rapid"
)

// "A system set to Willing must be capable of accepting any valid DesiredCfg for the
// feature from the peer." What is not valid it does not take. That is no mismatch (table 6):
// it keeps its own, without an error, and says so.
func TestClause2_4_3_1_WhatAWillingSystemAccepts(t *testing.T) {
	for _, c := range []struct {
		name string
		pg   PG
		want string
	}{
		{"a group each", golden().PG.Config, "AdoptPeer"},
		{"shares of less than the link", PG{Group: [8]uint8{7: 1}, Percentage: [8]uint8{10, 20}}, "AdoptPeer"},
		{"shares of groups without priorities", PG{Percentage: [8]uint8{100, 100, 100}}, "AdoptPeer"},
		{"all without a limit", PG{Group: [8]uint8{15, 15, 15, 15, 15, 15, 15, 15}}, "AdoptPeer"},
		{"shares of more than the link", PG{Group: [8]uint8{7: 1}, Percentage: [8]uint8{60, 41}}, "KeepLocal"},
		{"a share of more than 100 percent", PG{Percentage: [8]uint8{101}}, "KeepLocal"},
		{"a reserved group", PG{Group: [8]uint8{7: 14}, Percentage: [8]uint8{100}}, "KeepLocal"},
	} {
		d := link(t, Default(), with(func(l *Local) { l.PG.Willing = false }))
		m := sends(t, d.a[1].port)
		m.PG.Config = c.pg
		d.a[0].port.Receive(1, [][]byte{m.Append(nil)}, &d.a[0].out)
		v := d.view(0).PG
		equal(t, c.name+": state", v.State, c.want)
		equal(t, c.name+": OperMode", v.Oper.OperMode, true)
		equal(t, c.name+": Error", v.Oper.Error, false)
		equal(t, c.name+": is taken", v.Oper.OperCfg.Group == c.pg.Group && v.Oper.OperCfg.Percentage == c.pg.Percentage,
			c.want == "AdoptPeer")
		equal(t, c.name+": note", v.Note, map[string]Reason{"KeepLocal": ReasonUnusable}[c.want])
	}
}

// "A node does not have to support 8 classes of service in order to be considered
// capable of accepting any valid DesiredCfg."
func TestClause2_4_3_1_FewerClassesThanPriorities(t *testing.T) {
	small := with(func(l *Local) { l.PG.Config.NumTCs, l.PFC.Config.NumTCs = 1, 1 })
	large := with(func(l *Local) {
		l.PG.Willing, l.PFC.Willing = false, false
		l.PG.Config = PG{Group: [8]uint8{4: 1, 2, 3, PGStrict}, Percentage: [8]uint8{40, 30, 20, 10}, NumTCs: 8}
		l.PFC.Config.Enable = 1<<3 | 1<<4 | 1<<5
	})
	v := link(t, small, large).view(0)
	equal(t, "groups", v.PG.Oper.OperCfg, PG{Percentage: [8]uint8{100}, NumTCs: 1})
	equal(t, "classes with flow control", v.PFC.Oper.OperCfg.NumTCs, 1)
	equal(t, "priorities with flow control", v.PFC.Oper.OperCfg.Enable, 1<<3|1<<4|1<<5)
	equal(t, "OperMode of pg and pfc", [2]bool{v.PG.Oper.OperMode, v.PFC.Oper.OperMode}, [2]bool{true, true})
}

// Groups are put together until the device has a class for each: the smallest first, the
// strict one last.
func TestClause2_4_3_1_GroupsAreCombined(t *testing.T) {
	peer := PG{Group: [8]uint8{0, 1, 2, 3, 3, 2, 1, PGStrict}, Percentage: [8]uint8{40, 10, 20, 30}, NumTCs: 8}
	for tcs, want := range map[uint8]PG{
		8: {Group: peer.Group, Percentage: peer.Percentage, NumTCs: 8},
		5: {Group: peer.Group, Percentage: peer.Percentage, NumTCs: 5},
		4: {Group: [8]uint8{0, 1, 1, 3, 3, 1, 1, PGStrict}, Percentage: [8]uint8{40, 30, 0, 30}, NumTCs: 4},
		3: {Group: [8]uint8{0, 1, 1, 1, 1, 1, 1, PGStrict}, Percentage: [8]uint8{40, 60}, NumTCs: 3},
		2: {Group: [8]uint8{7: PGStrict}, Percentage: [8]uint8{100}, NumTCs: 2},
		1: {Percentage: [8]uint8{100}, NumTCs: 1},
	} {
		equal(t, "groups", peer.adopted(PG{NumTCs: tcs}), want)
	}
	equal(t, "classes of a peer that has fewer", PG{Percentage: [8]uint8{100}, NumTCs: 3}.adopted(PG{NumTCs: 8}).NumTCs, 3)
	equal(t, "classes of a peer that says fewer than it uses",
		PG{Group: [8]uint8{7: 1}, Percentage: [8]uint8{50, 50}}.adopted(PG{NumTCs: 8}).NumTCs, 2)
}

// Whatever a peer wants that can be operated by, the traffic classes are those of the
// device at most, and no bandwidth is lost.
func TestClause2_4_3_1_NeverMoreClassesThanTheDevice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		own := PG{NumTCs: rapid.Uint8Range(1, 8).Draw(t, "own")}
		peer := PG{NumTCs: rapid.Uint8().Draw(t, "peer")}
		left := uint8(100)
		for i := range peer.Group {
			peer.Group[i] = rapid.SampledFrom([]uint8{0, 1, 2, 3, 4, 5, 6, 7, PGStrict}).Draw(t, "group")
			peer.Percentage[i] = rapid.Uint8Range(0, left).Draw(t, "share")
			left -= peer.Percentage[i]
		}
		got := peer.adopted(own)
		if got.NumTCs > own.NumTCs || got.classes() > int(got.NumTCs) || !got.usable() {
			t.Fatalf("%v of %d classes becomes %v of %d, own %d", peer, peer.NumTCs, got, got.NumTCs, own.NumTCs)
		}
		if a, b := shares(peer), shares(got); a != b {
			t.Fatalf("%v has %d %%, %v %d", peer, a, got, b)
		}
	})
}

// shares is the percentages of groups that have priorities, together.
func shares(c PG) (total int) {
	used, _ := c.used()
	for group, in := range used {
		if in {
			total += int(c.Percentage[group])
		}
	}
	return total
}

// Table 2: NoDCBXTLVReceived is set when the remote MIB has empty DCB TLVs.
func TestClause2_4_2_2_EmptyTLVIsNone(t *testing.T) {
	d := link(t, Default(), Default())
	a := d.a[0]
	a.out.Reset()
	a.port.Receive(1, [][]byte{{}}, &a.out)
	v := d.view(0)
	equal(t, "peer", v.Peer, PeerAbsent)
	equal(t, "note of PFC", v.PFC.Note, ReasonNotAdvertising)
	equal(t, "numbers", v.Control.Local, Control{SeqNo: 1})
	equal(t, "first event", a.out.Events[0], Event{Kind: EventPeerNotAdvertising})
	equal(t, "discarded TLVs", v.Counters.RxControlMissing, 0)
	d.talk()
	equal(t, "peer that is back", d.view(0).Peer, PeerPresent)
}
