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
	d.a[0].port.Gone(true, 0, &d.a[0].out)
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
		func() { a.port.Gone(false, 0, &a.out) },
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
