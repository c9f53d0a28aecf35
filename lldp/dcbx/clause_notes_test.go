package dcbx

import "testing"

// agreed is two ends that operate PFC on one priority.
func agreed(t *testing.T) *duel {
	t.Helper()
	on := with(func(l *Local) { l.PFC.Config.Enable = 1 << 3 })
	d := link(t, on, on)
	equal(t, "OperMode", d.view(0).PFC.Oper.OperMode, true)
	equal(t, "note", d.view(0).PFC.Note, ReasonNone)
	d.a[0].out.Reset()
	return d
}

// about is the events of one kind.
func (a *agent) about(k EventKind) (list []Event) {
	for _, e := range a.out.Events {
		if e.Kind == k {
			list = append(list, e)
		}
	}
	return list
}

// DCBX, 2.4.4: a manager is told why a feature goes off, once, and can read it as
// long as it is so; and when it is on again.
func TestClause2_4_4_WhyAFeatureIsOff(t *testing.T) {
	change := func(c func(m *Message)) func(*duel) {
		return func(d *duel) {
			m := sends(t, d.a[1].port)
			c(m)
			for range 3 { // a refresh says nothing new
				d.a[0].port.Receive(1, [][]byte{m.Append(nil)}, &d.a[0].out)
			}
		}
	}
	for _, c := range []struct {
		reason Reason
		do     func(*duel)
	}{
		{ReasonPeerError, change(func(m *Message) { m.PFC.Error = true })},
		{ReasonPeerDisabled, change(func(m *Message) { m.PFC.Enable = false })},
		{ReasonNotCompatible, change(func(m *Message) { m.PFC.Config.Enable = 1 })},
		{ReasonAbsent, change(func(m *Message) { m.PFC.Present = false })},
		{ReasonDuplicate, change(func(m *Message) { m.Unknown = []Raw{{Type: uint8(FeaturePFC), Body: make([]byte, 6)}} })},
		{ReasonNotAdvertising, func(d *duel) { d.a[0].port.Receive(1, nil, &d.a[0].out) }},
		{ReasonTimedOut, func(d *duel) { d.a[0].port.NeighborDeleted(true, 0, &d.a[0].out) }},
		{ReasonShutDown, func(d *duel) { d.a[0].port.NeighborDeleted(false, 0, &d.a[0].out) }},
		{ReasonSeveral, func(d *duel) { d.a[0].port.Receive(2, nil, &d.a[0].out) }},
	} {
		d := agreed(t)
		c.do(d)
		a := d.a[0]
		equal(t, "note", d.view(0).PFC.Note, c.reason)
		want := []Event{{EventOperOff, FeaturePFC, c.reason}}
		if c.reason == ReasonNotAdvertising || c.reason == ReasonTimedOut || c.reason == ReasonShutDown ||
			c.reason == ReasonSeveral {
			want = append([]Event{{EventOperOff, FeaturePG, c.reason}}, want...)
		}
		equal(t, string(c.reason)+": events", a.about(EventOperOff), want)
		if c.reason == ReasonSeveral {
			a.port.NeighborDeleted(true, 1, &a.out)
		}
		d.talk()
		equal(t, string(c.reason)+": note afterwards", d.view(0).PFC.Note, ReasonNone)
	}
	equal(t, "a sentence", Event{EventOperOff, FeaturePFC, ReasonPeerError}.String(),
		"pfc: off: the peer reports an error")
	equal(t, "a sentence", Event{EventOperOff, FeaturePG, ReasonPeerError}.String(),
		"pg: off, our own settings are in force: the peer reports an error")
}

// A change by the administrator makes a note and no event.
func TestWhatTheAdministratorDoesIsANote(t *testing.T) {
	d := agreed(t)
	a := d.a[0]
	for _, c := range []struct {
		reason Reason
		do     func()
	}{
		{noteDisabled, func() { a.port.SetEnabled(false, &a.out) }},
		{noteNoLink, func() { a.port.SetEnabled(true, &a.out); a.port.SetLink(false, &a.out) }},
	} {
		c.do()
		equal(t, "note", d.view(0).Note, c.reason)
		equal(t, "note of PFC", d.view(0).PFC.Note, ReasonOff)
		equal(t, "events", len(a.about(EventOperOff)), 0)
	}
}

// DCBX, 2.3: with one direction of LLDP DCBX is disabled. That is told once; without
// any direction, or without a link, it is not.
func TestClause2_3_OneWayIsTold(t *testing.T) {
	d := agreed(t)
	a := d.a[0]
	a.port.SetLLDP(false, false, &a.out)
	equal(t, "note without LLDP", d.view(0).Note, noteOneWay)
	equal(t, "events without LLDP", len(a.about(EventOneWay)), 0)
	a.port.SetLLDP(true, false, &a.out)
	a.port.SetLLDP(false, true, &a.out)
	equal(t, "events with one direction", a.about(EventOneWay), []Event{{Kind: EventOneWay}})
	a.port.SetLLDP(true, true, &a.out)
	equal(t, "note with both", d.view(0).Note, ReasonNone)
}

// An unusable TLV makes an event, one for each new fault.
func TestMalformedTLVsAreTold(t *testing.T) {
	d := &duel{t: t}
	d.a[0] = &agent{}
	a := d.a[0]
	a.port = must(NewPort(Default(), &a.out))(t)
	a.port.SetLink(true, &a.out)
	for range 3 {
		a.port.Receive(1, [][]byte{{0x02, 0x0a, 0}}, &a.out)
	}
	const reason = "offset 0, sub-TLV type 1: sub-TLV is longer than what is left of the DCBX TLV"
	equal(t, "events", a.about(EventPeerMalformed), []Event{{Kind: EventPeerMalformed, Why: reason}})
	equal(t, "peer", d.view(0).Peer, PeerMalformed)
	equal(t, "note", d.view(0).Note, "the peer's DCBX TLV is malformed: "+reason)
	a.port.Receive(1, [][]byte{{}, {}}, &a.out)
	equal(t, "events after another fault", len(a.about(EventPeerMalformed)), 2)
	a.port.Receive(1, nil, &a.out)
	equal(t, "peer without a TLV", d.view(0).Peer, PeerAbsent)
	equal(t, "note without a TLV", d.view(0).Note, ReasonNone)
}

// Two changes before an acknowledgement: what has been acknowledged is no longer wanted,
// so nothing of it is judged, and no error is shown that nobody has made.
func TestClause2_4_3_3_TwoChangesBeforeAnAcknowledgement(t *testing.T) {
	d := agreed(t)
	a, b := d.a[0], d.a[1]
	set := func(of *agent, priorities uint8) {
		t.Helper()
		of.local.PFC.Config.Enable = priorities
		if err := of.port.SetLocal(of.local, &of.out); err != nil {
			t.Fatal(err)
		}
	}
	set(a, 1<<4)
	first := sends(t, a.port)
	set(a, 1<<3) // and back, as the peer has it
	equal(t, "what is sent", sends(t, a.port), first)
	acknowledged := sends(t, b.port)
	acknowledged.Control.AckNo = first.Control.SeqNo
	a.port.Receive(1, [][]byte{acknowledged.Append(nil)}, &a.out)
	m := sends(t, a.port)
	equal(t, "Error", m.PFC.Error, false)
	equal(t, "priorities", m.PFC.Config.Enable, 1<<3)
	equal(t, "SeqNo", m.Control.SeqNo, first.Control.SeqNo+1)
	equal(t, "events", a.about(EventErrorSet), nil)
	d.talk()
	equal(t, "OperMode", d.view(0).PFC.Oper.OperMode, true)
	equal(t, "note", d.view(0).PFC.Note, ReasonNone)
}
