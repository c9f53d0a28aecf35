package dcbx

import "testing"

// "A system set to Willing must be capable of accepting any valid DesiredCfg for the
// feature from the peer." What is not valid it does not take: it is incompatible.
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
		{"shares of more than the link", PG{Group: [8]uint8{7: 1}, Percentage: [8]uint8{60, 41}}, "CfgNotCompatible"},
		{"a share of more than 100 percent", PG{Percentage: [8]uint8{101}}, "CfgNotCompatible"},
		{"a reserved group", PG{Group: [8]uint8{7: 14}, Percentage: [8]uint8{100}}, "CfgNotCompatible"},
	} {
		d := link(t, Default(), with(func(l *Local) { l.PG.Willing = false }))
		m := sends(t, d.a[1].port)
		m.PG.Config = c.pg
		d.a[0].port.Receive(1, [][]byte{m.Append(nil)}, &d.a[0].out)
		v := d.view(0).PG
		equal(t, c.name+": state", v.State, c.want)
		equal(t, c.name+": OperMode", v.Oper.OperMode, c.want == "AdoptPeer")
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
	equal(t, "groups", v.PG.Oper.OperCfg.Group, large.PG.Config.Group)
	equal(t, "priorities with flow control", v.PFC.Oper.OperCfg.Enable, 1<<3|1<<4|1<<5)
	equal(t, "OperMode of pg and pfc", [2]bool{v.PG.Oper.OperMode, v.PFC.Oper.OperMode}, [2]bool{true, true})
}
