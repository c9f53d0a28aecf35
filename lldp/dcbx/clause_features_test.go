package dcbx

import "testing"

// Table 6: nothing of Priority Groups needs to match.
func TestClause3_1_3_PriorityGroupsNeverMismatch(t *testing.T) {
	d := link(t, Default(), with(func(l *Local) {
		l.PG.Config = PG{Group: [8]uint8{7: PGStrict}, Percentage: [8]uint8{100}, NumTCs: 3}
	}))
	for end := range d.a {
		equal(t, "OperMode", d.view(end).PG.Oper.OperMode, true)
	}
}

// SetCfg(FALSE) of Priority Groups: "local configuration (DesiredCfg) shall be
// applied to operational values".
func TestClause3_1_4_SetCfgFalse(t *testing.T) {
	own := PG{Group: [8]uint8{4: 1, 1, 1, 1}, Percentage: [8]uint8{70, 30}, NumTCs: 8}
	d := link(t, with(func(l *Local) { l.PG.Config = own }), with(func(l *Local) { l.PG.Willing = false }))
	equal(t, "adopted", d.view(0).PG.Oper.OperCfg, Default().PG.Config)
	d.a[0].port.NeighborDeleted(true, 0, &d.a[0].out)
	equal(t, "without a peer", d.view(0).PG.Oper.OperCfg, own)
}

// The enabled priorities have to be the same, the number of classes has not.
func TestClause3_2_3_Comparison(t *testing.T) {
	same := with(func(l *Local) { l.PFC.Config = PFC{Enable: 1 << 3, NumTCs: 1} })
	d := link(t, with(func(l *Local) { l.PFC.Config = PFC{Enable: 1 << 3, NumTCs: 8} }), same)
	equal(t, "OperMode", d.view(0).PFC.Oper.OperMode, true)
	d = link(t, with(func(l *Local) { l.PFC.Config = PFC{Enable: 1<<3 | 1, NumTCs: 1} }), same)
	equal(t, "OperMode", d.view(0).PFC.Oper.OperMode, false)
}

// SetCfg(FALSE) of PFC: "then feature shall be Disabled".
func TestClause3_2_4_SetCfgFalse(t *testing.T) {
	on := with(func(l *Local) { l.PFC.Config.Enable = 1 << 3 })
	d := link(t, on, on)
	equal(t, "pfc", d.view(0).PFC.Oper.OperCfg.Enable, 1<<3)
	a := d.a[0]
	for _, gone := range []func(){
		func() { a.port.NeighborDeleted(false, 0, &a.out) },
		func() { a.port.SetLink(false, &a.out); a.port.SetLink(true, &a.out) },
		func() { a.port.Receive(1, nil, &a.out) },
		func() { a.port.SetEnabled(false, &a.out); a.port.SetEnabled(true, &a.out) },
	} {
		gone()
		equal(t, "pfc without a peer", d.view(0).PFC.Oper.OperCfg.Enable, 0)
		equal(t, "last SetCfg", a.out.PFC[len(a.out.PFC)-1].Oper.Enable, 0)
		d.talk()
		equal(t, "pfc with a peer", d.view(0).PFC.Oper.OperCfg.Enable, 1<<3)
	}
}

// DCBXFeatureUpdate is "an indication from the DCBX Control state machine that there is new information from the peer
// (such as a new DCBX TLV or data has expired)": it reaches each feature machine, and only then they look at the peer.
func TestClause2_4_3_3_FeatureUpdate(t *testing.T) {
	d := link(t, everyFeature(), everyFeature())
	a, tlv := d.a[0], sends(t, d.a[1].port)
	newer := *tlv
	newer.Control.SeqNo++
	otherVersion := *tlv
	otherVersion.Control.OperVersion, otherVersion.Control.MaxVersion = 1, 1
	receive := func(m *Message) func() {
		return func() { a.port.Receive(1, [][]byte{m.Append(nil)}, &a.out) }
	}
	all := func(state FeatureState) [3]string { return [3]string{state.String(), state.String(), state.String()} }
	for _, c := range []struct {
		news string
		what func()
		want [3]string // states that the features enter first
	}{
		{"a new DCBX TLV", receive(&newer), all(FeatureReadPeerCfg)},
		{"the data has expired", func() { a.port.NeighborDeleted(true, 0, &a.out) }, all(FeaturePeerNotAdvertiseDCBX)},
		{"it has expired before", func() { a.port.NeighborDeleted(true, 0, &a.out) }, [3]string{}},
		{"a DCBX TLV again", receive(tlv), all(FeatureReadPeerCfg)},
		{"a shutdown", func() { a.port.NeighborDeleted(false, 0, &a.out) }, all(FeaturePeerNotAdvertiseDCBX)},
		{"a DCBX TLV after it", receive(tlv), all(FeatureReadPeerCfg)},
		{"an LLDPDU without one", func() { a.port.Receive(1, nil, &a.out) }, all(FeaturePeerNotAdvertiseDCBX)},
		{"a TLV of a version that is not agreed on yet", receive(&otherVersion), [3]string{}},
		{"a command of our own", func() { a.port.SetLocal(a.local, &a.out) }, [3]string{}},
	} {
		a.out.Reset()
		a.out.Trace = true
		c.what()
		equal(t, "with "+c.news+", the features enter", firstSteps(a.out.Steps), c.want)
	}
}

// everyFeature is local parameters that advertise all three features.
func everyFeature() Local {
	return with(func(l *Local) { l.PG.Advertise, l.PFC.Advertise, l.App.Advertise = true, true, true })
}

// firstSteps is the first state that each feature machine has entered.
func firstSteps(steps []Step) (states [3]string) {
	for _, s := range steps {
		for i, f := range []Feature{FeaturePG, FeaturePFC, FeatureApp} {
			if s.Feature == f && states[i] == "" {
				states[i] = s.State
			}
		}
	}
	return states
}
