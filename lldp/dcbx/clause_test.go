package dcbx

import (
	"reflect"
	"testing"
)

// Each test is named after the section of DCBX that it holds the ports to.

// link joins two ports with these local parameters and lets them agree.
func link(t *testing.T, a, b Local) *duel {
	d := &duel{t: t}
	for i, local := range []Local{a, b} {
		d.a[i] = &agent{local: local}
		d.a[i].port = must(NewPort(local, &d.a[i].out))(t)
		d.a[i].port.SetLink(true, &d.a[i].out)
	}
	d.talk()
	return d
}

// talk exchanges LLDPDUs until nothing can change any more.
func (d *duel) talk() {
	for range 8 {
		d.send(d.a[0], d.a[1])
		d.send(d.a[1], d.a[0])
		d.check()
	}
}

// view is the snapshot of an end.
func (d *duel) view(end int) Snapshot { return d.a[end].port.Snapshot() }

// with is the default, changed.
func with(change func(*Local)) Local {
	l := Default()
	change(&l)
	return l
}

// sends returns the message that a port sends.
func sends(t *testing.T, p *Port) *Message {
	t.Helper()
	payload, ok := p.AppendTLV(nil)
	if !ok {
		t.Fatal("no DCBX TLV")
	}
	return must(Decode(payload))(t)
}

func equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s is %+v, want %+v", what, got, want)
	}
}

// "DCBX enabled by default with an option for DCBX to be administratively disabled."
func TestClause2_3_EnabledByDefault(t *testing.T) {
	d := link(t, Default(), Default())
	a := d.a[0]
	equal(t, "Running", a.port.Running(), true)
	a.port.SetEnabled(false, &a.out)
	if octets, ok := a.port.AppendTLV([]byte{1}); ok || len(octets) != 1 {
		t.Error("a disabled port has a TLV to send")
	}
}

// "If either of Rx or Tx is in disable state, DCBX is disabled on the interface."
func TestClause2_3_EitherDirectionDisabled(t *testing.T) {
	for _, mode := range [][2]bool{{false, true}, {true, false}, {false, false}} {
		d := link(t, Default(), Default())
		a := d.a[0]
		a.port.SetLLDP(mode[0], mode[1], &a.out)
		equal(t, "somethingChangedLocal", a.out.Changed, true)
		before := d.view(0)
		a.port.Receive(1, [][]byte{{0xff}}, &a.out)
		equal(t, "what is known after a TLV", d.view(0), before)
		d.send(a, d.a[1])
		equal(t, "the peer's idea", d.view(1).Peer, PeerAbsent)
	}
}

// "DCBX behaves as if the peer's DCBX TLVs are not present until the multiple
// LLDP neighbor condition is no longer present."
func TestClause2_3_MultipleNeighbors(t *testing.T) {
	d := link(t, Default(), Default())
	a := d.a[0]
	payload, _ := d.a[1].port.AppendTLV(nil)
	a.port.Receive(2, [][]byte{payload}, &a.out)
	equal(t, "peer", d.view(0).Peer, PeerSeveral)
	equal(t, "OperMode", d.view(0).PFC.Oper.OperMode, false)
	a.out.Reset()
	for range 1000 { // a flood of neighbors is one event
		a.port.Receive(33, [][]byte{payload}, &a.out)
	}
	equal(t, "output of a flood", a.out, Output{PG: a.out.PG, PFC: a.out.PFC, App: a.out.App, Events: a.out.Events[:0],
		Steps: a.out.Steps})
	a.port.NeighborDeleted(true, 1, &a.out)
	d.talk()
	equal(t, "peer", d.view(0).Peer, PeerPresent)
	equal(t, "OperMode", d.view(0).PFC.Oper.OperMode, true)
}

// "This is equivalent to DCBX TLV TTL expired in the Control State machine."
func TestClause2_3_ShutdownIsExpiry(t *testing.T) {
	views := [2]Snapshot{}
	for i, aged := range []bool{false, true} {
		d := link(t, Default(), Default())
		d.a[0].port.NeighborDeleted(aged, 0, &d.a[0].out)
		views[i] = d.view(0)
	}
	for i, reason := range []Reason{ReasonShutDown, ReasonTimedOut} { // the only difference
		equal(t, "note", [2]Reason{views[i].PG.Note, views[i].PFC.Note}, [2]Reason{reason, reason})
		views[i].PG.Note, views[i].PFC.Note = ReasonNone, ReasonNone
	}
	equal(t, "expiry", views[1], views[0])
	equal(t, "numbers", views[0].Control.Local, Control{SeqNo: 1})
}

// "A duplicate DCBX Control TLV causes an error for all features."
func TestClause2_4_1_DuplicateControl(t *testing.T) {
	d := link(t, Default(), Default())
	m := sends(t, d.a[1].port)
	payload := m.Control.append(m.Append(nil))
	d.a[0].port.Receive(1, [][]byte{payload}, &d.a[0].out)
	v := d.view(0)
	equal(t, "Error of pg and pfc", [2]bool{v.PG.Oper.Error, v.PFC.Oper.Error}, [2]bool{true, true})
	equal(t, "OperMode of pg and pfc", [2]bool{v.PG.Oper.OperMode, v.PFC.Oper.OperMode}, [2]bool{})
}

// SeqNo: "A value that changes each time an exchanged parameter in one or more
// of the DCB feature TLV's changes."
func TestClause2_4_2_1_SeqNo(t *testing.T) {
	d := link(t, Default(), Default())
	a, seq := d.a[0], d.view(0).Control.Local.SeqNo
	for _, change := range []func(*Local){
		func(l *Local) { l.PG.Config.NumTCs = 4 },
		func(l *Local) { l.PG.Willing = false },
		func(l *Local) { l.PFC.Enable = false },
		func(l *Local) { l.PFC.Config.NumTCs = 2 },
		func(l *Local) { l.PFC.Advertise = false },
	} {
		change(&a.local)
		if err := a.port.SetLocal(a.local, &a.out); err != nil {
			t.Fatal(err)
		}
		seq++
		equal(t, "SeqNo", d.view(0).Control.Local.SeqNo, seq)
		d.talk()
	}
	if err := a.port.SetLocal(a.local, &a.out); err != nil {
		t.Fatal(err)
	}
	equal(t, "SeqNo after no change", d.view(0).Control.Local.SeqNo, seq)
}

// RcvdAckNo is "an acknowledgement from the peer that a specific SeqNo has been
// received": of a number that was never sent it is none.
func TestClause2_4_2_2_AckOfTheFuture(t *testing.T) {
	var out Output
	p := must(NewPort(Default(), &out))(t)
	p.SetLink(true, &out)
	m := golden()
	receive := func(seq, ack uint32) {
		m.Control = Control{SeqNo: seq, AckNo: ack}
		p.Receive(1, [][]byte{m.Append(nil)}, &out)
	}
	receive(1, 0) // heard, so that changes wait
	receive(1, 2)
	equal(t, "Syncd", p.Snapshot().PG.Oper.Syncd, false)
	receive(1, 1)
	equal(t, "Syncd", p.Snapshot().PG.Oper.Syncd, true)
}

// "A PDU with SeqNo 11 is not sent until an AckNo of 10 is received." What was
// captured under SeqNo 10 stays on the wire until then.
func TestClause2_4_2_3_OneChangeInFlight(t *testing.T) {
	d := link(t, Default(), Default())
	a := d.a[0]
	before := sends(t, a.port)
	for enable := range uint8(4) {
		a.local.PFC.Config.Enable = enable + 1
		a.local.PG.Config.NumTCs = enable + 1
		if err := a.port.SetLocal(a.local, &a.out); err != nil {
			t.Fatal(err)
		}
		m := sends(t, a.port)
		equal(t, "SeqNo", m.Control.SeqNo, before.Control.SeqNo+1)
		equal(t, "pfc on the wire", m.PFC.Config.Enable, 1)
		equal(t, "pg on the wire", m.PG.Config.NumTCs, 1)
	}
	equal(t, "Pending", d.view(0).PFC.Pending, true)
	d.talk()
	equal(t, "pfc on the wire", sends(t, a.port).PFC.Config.Enable, 4)
	equal(t, "Pending", d.view(0).PFC.Pending, false)
}

// D13: "The peer has sent a Control TLV with a new sequence number. Send a new
// Control TLV with an updated AckNo field."
func TestClause2_4_2_3_AckKeepsSeqNo(t *testing.T) {
	d := link(t, Default(), Default())
	a, before := d.a[0], sends(t, d.a[0].port)
	m := sends(t, d.a[1].port)
	m.Control.SeqNo += 7
	a.port.Receive(1, [][]byte{m.Append(nil)}, &a.out)
	equal(t, "somethingChangedLocal", a.out.Changed, true)
	before.Control.AckNo += 7
	equal(t, "what is sent", sends(t, a.port), before)
}

// Willing: "the system uses the DesiredCfg supplied by a !Willing peer as the
// OperCfg. [...] If both [...] have the same value for the Willing flag, then
// the local DesiredCfg is used."
func TestClause2_4_3_1_Willing(t *testing.T) {
	own, other := PFC{Enable: 1 << 3, NumTCs: 8}, PFC{Enable: 1 << 4, NumTCs: 8}
	for _, c := range []struct {
		own, peer bool
		want      PFC
		failed    bool
	}{
		{false, false, PFC{NumTCs: 8}, true},
		{true, true, PFC{NumTCs: 8}, true},
		{true, false, other, false},
		{false, true, own, false},
	} {
		d := link(t,
			with(func(l *Local) { l.PFC.Willing, l.PFC.Config = c.own, own }),
			with(func(l *Local) { l.PFC.Willing, l.PFC.Config = c.peer, other }))
		v := d.view(0).PFC.Oper
		equal(t, "OperCfg", v.OperCfg, c.want)
		equal(t, "Error", v.Error, c.failed)
	}
}

// "The TLV always carries the DesiredCfg."
func TestClause2_4_3_1_TLVCarriesDesiredCfg(t *testing.T) {
	d := link(t, with(func(l *Local) { l.PFC.Config.Enable = 1 << 3 }),
		with(func(l *Local) { l.PFC.Willing, l.PFC.Config.Enable = false, 1<<4 }))
	equal(t, "OperCfg", d.view(0).PFC.Oper.OperCfg.Enable, 1<<4)
	equal(t, "the TLV", sends(t, d.a[0].port).PFC.Config.Enable, 1<<3)
}

// "The Feature turns OperMode to FALSE if either the local or remote Error flag
// is set to TRUE."
func TestClause2_4_3_1_RemoteError(t *testing.T) {
	d := link(t, Default(), Default())
	a, m := d.a[0], sends(t, d.a[1].port)
	m.PG.Error = true
	a.port.Receive(1, [][]byte{m.Append(nil)}, &a.out)
	v := d.view(0).PG.Oper
	equal(t, "OperMode and Error", [2]bool{v.OperMode, v.Error}, [2]bool{false, false})
}

// "When Advertise is False, received TLVs for this feature are ignored."
func TestClause2_4_3_2_NotAdvertised(t *testing.T) {
	silent := with(func(l *Local) { l.PFC.Advertise, l.PFC.Config.Enable = false, 1<<3 })
	d := link(t, silent, with(func(l *Local) { l.PFC.Willing, l.PFC.Config.Enable = false, 1<<5 }))
	equal(t, "OperCfg", d.view(0).PFC.Oper.OperCfg.Enable, 1<<3)
	equal(t, "in the TLV", sends(t, d.a[0].port).PFC.Present, false)
	equal(t, "the peer's pfc", d.view(1).PFC.State, "FeatureAbsent")
	off := with(func(l *Local) { l.PFC.Advertise, l.PFC.Enable, l.PFC.Config.Enable = false, false, 1<<3 })
	equal(t, "OperCfg when not enabled", link(t, off, Default()).view(0).PFC.Oper.OperCfg.Enable, 0)
}

// "The implementation might keep track of whether or not the OperCfg and
// OperMode have actually changed": SetCfg comes once.
func TestClause2_4_3_3_SetCfgOnChange(t *testing.T) {
	d := link(t, Default(), Default())
	for _, a := range d.a {
		a.out.Reset()
	}
	d.send(d.a[0], d.a[1])
	if out := d.a[1].out; len(out.PG)+len(out.PFC)+len(out.App)+len(out.Events) > 0 || out.Changed {
		t.Errorf("a repetition wants %+v", out)
	}
}

// SetCfg has a configuration and a Boolean, and sets the operational parameters: whoever programs hardware learns of a
// change of the Boolean alone, too.
func TestClause2_4_3_3_SetCfgHasAConfigurationAndABoolean(t *testing.T) {
	on := with(func(l *Local) { l.PFC.Config.Enable = 1 << 3 })
	d := link(t, on, on)
	a, config := d.a[0], on.PFC.Config
	last := func(what string, want Setting[PFC]) {
		t.Helper()
		_, setting := a.port.Settings()
		equal(t, what+": the setting in force", setting, want)
		equal(t, what+": OperCfg", d.view(0).PFC.Oper.OperCfg, want.Oper)
		equal(t, what+": the Boolean shown", d.view(0).PFC.Oper.Applied, want.Apply)
		a.out.Reset()
	}
	last("with a peer", Setting[PFC]{Config: config, Apply: true, OperMode: true, Oper: config})
	a.port.NeighborDeleted(true, 0, &a.out)
	equal(t, "calls without a peer", len(a.out.PFC), 1)
	last("without it", Setting[PFC]{Config: config, Oper: config.withoutPeer()})

	off := on
	off.PFC.Enable, off.PFC.Advertise = false, false // FALSE becomes TRUE; configuration and OperMode stay
	if err := a.port.SetLocal(off, &a.out); err != nil {
		t.Fatal(err)
	}
	equal(t, "calls for the Boolean alone", len(a.out.PFC), 1)
	last("neither enabled nor advertised", Setting[PFC]{Config: config, Apply: true, Oper: config.withoutPeer()})
}

// The four conditions of 2.4.4.
func TestClause2_4_4_Notifications(t *testing.T) {
	expect := func(out *Output, want ...Event) {
		t.Helper()
		for _, e := range want {
			found := false
			for _, got := range out.Events {
				found = found || got == e
			}
			if !found {
				t.Errorf("events are %v, without %v", out.Events, e)
			}
		}
	}
	d := link(t, with(func(l *Local) { l.PFC.Config.Enable = 1 }), with(func(l *Local) { l.PFC.Config.Enable = 1 }))
	a, m := d.a[0], sends(t, d.a[1].port)
	m.PFC.Config.Enable = 2
	a.port.Receive(1, [][]byte{m.Append(nil)}, &a.out)
	expect(&a.out, Event{Kind: EventNotCompatible, Feature: FeaturePFC}, Event{Kind: EventErrorSet, Feature: FeaturePFC},
		Event{EventOperOff, FeaturePFC, ReasonNotCompatible})

	a.out.Reset()
	m.PG.Present = false
	a.port.Receive(1, [][]byte{m.Append(nil)}, &a.out)
	expect(&a.out, Event{Kind: EventFeatureAbsent, Feature: FeaturePG}, Event{Kind: EventErrorSet, Feature: FeaturePG},
		Event{EventOperOff, FeaturePG, ReasonAbsent})

	a.out.Reset()
	a.port.NeighborDeleted(true, 0, &a.out)
	expect(&a.out, Event{Kind: EventPeerTimedOut})
	equal(t, "a sentence", a.out.Events[0].String(), "port: the peer stopped sending LLDPDUs")
	equal(t, "a word", a.out.Events[0].Kind.String(), "peer_timed_out")
}
