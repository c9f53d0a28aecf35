package station

import (
	"slices"
	"strings"
	"testing"

	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/lldp/dcbnl"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/dialect"
	"uelink/wire"
)

// causesOf returns the causes of a port's findings, notes in brackets.
func causesOf(p *port) string {
	var list []string
	for _, f := range p.findings() {
		if f.Note {
			f.Cause = "(" + f.Cause + ")"
		}
		list = append(list, f.Cause)
	}
	return strings.Join(list, " ")
}

// Verdicts whose cure is no command of uelink or lldptool, and those that lldpad cannot be made to deserve: made by
// scripted LLDPDUs, and gone when the script ends the cause. lldpad 1.1 sends no TLV at all when it is forced to CIN.
func TestVerdictsAboutScriptedPeers(t *testing.T) {
	cin := lldp.Org{OUI: dcbxOUI, Subtype: dcbx.SubtypeCIN, Info: []byte{2, 10, 0, 0, 0, 0, 0, 7, 0, 0, 0, 6}}
	second := func(a, b *twin, gone lldp.Cause) {
		n := b.says()
		s := lldp.Sighting{Subject: n, Source: b.mac, New: gone == lldp.NotGone, Gone: gone, Neighbors: []*lldp.Info{n},
			Sources: []wire.MAC{b.mac}}
		if gone == lldp.NotGone {
			s.Neighbors, s.Sources = append(s.Neighbors, n), append(s.Sources, b.mac)
		}
		a.NeighborSeen(s, 10e9)
	}
	for _, c := range []struct {
		want       string
		begin, end func(a, b *twin)
	}{
		{causeSeveral, func(a, b *twin) { second(a, b, lldp.NotGone) }, func(a, b *twin) { second(a, b, lldp.Aged) }},
		{causeSeveral, func(a, b *twin) { second(a, b, lldp.NotGone) }, func(a, b *twin) { second(a, b, lldp.ShutDown) }},
		{"(" + causeBoth + ")", func(_, b *twin) { b.also = newTwin(9, bside(dialect.CEE, false)).says().Org },
			func(_, b *twin) { b.also = nil }},
		{causeCIN, func(_, b *twin) { b.bare, b.also = true, []lldp.Org{cin} }, func(_, b *twin) { b.bare, b.also = false, nil }},
		{causeUnusable, func(_, b *twin) { b.recommends(90) }, func(_, b *twin) { b.recommends(80) }},
	} {
		a, b := newTwin(0x0a, aside(dialect.Auto, true)), newTwin(0x0b, bside(dialect.IEEE, false))
		p := &port{exchange: a.exchange, config: a.config}
		p.config.Name, p.config.Interface = "link0", "eth0"
		met(a, b, 9)
		if got := causesOf(p); got != "" {
			t.Errorf("%s: before it there is %q", c.want, got)
		}
		c.begin(a, b)
		if !strings.Contains(c.want, causeSeveral) {
			a.hears(b, 10)
		}
		if got := causesOf(p); got != c.want {
			t.Errorf("there is %q, want %q", got, c.want)
		}
		c.end(a, b)
		a.hears(b, 11)
		if got := causesOf(p); got != "" {
			t.Errorf("%s: after it there is %q", c.want, got)
		}
	}
}

// recommends makes an end recommend shares: of class 0, and 20 of class 1.
func (e *twin) recommends(share uint8) {
	local := *e.config.IEEE
	local.Recommendation.Bandwidth[0], local.Recommendation.Bandwidth[1] = share, 20
	e.config.IEEE = &local
	e.set(&e.config)
}

// What a NIC refuses, or has otherwise, is a verdict until it takes the settings. A driver without DCB has a command
// that ends it.
func TestVerdictsAboutNICs(t *testing.T) {
	a := newTwin(0x0a, aside(dialect.Auto, true))
	p := &port{exchange: a.exchange, config: a.config}
	p.config.Name, p.config.Interface, p.config.DCBNL = "port0", "eth0", true
	for problem, command := range map[error]string{
		dcbnl.ErrUnsupported: "uelink config set ports.port0.dcbx.dcbnl off && uelink reload",
		dcbnl.ErrDiffers:     "dcb pfc show dev eth0",
	} {
		p.program.problem = problem.Error()
		list := p.findings()
		i := slices.IndexFunc(list, func(f agent.Finding) bool { return f.Cause == causeNIC })
		if i < 0 || list[i].Command != command {
			t.Errorf("%v: %+v, want %q", problem, list, command)
		}
		p.program.problem = ""
		if got := causesOf(p); got != "" {
			t.Errorf("after %v there is %q", problem, got)
		}
	}
}
