package e2e

import "testing"

// threeLossless is a link of three lossless channels.
var threeLossless = settings{
	profile: lossless.profile,
	link: "cbfc: {mode: static, vcs: [{index: 0, lossless: true, limit: 256}, {index: 1, lossless: true, limit: 256}, " +
		"{index: 2, lossless: true, limit: 256}]}",
	edge: "qos: {trust: dot1p}",
}

// A command takes a channel out of its credits and back into them ten times, on a bad wire. The
// frames of the others, and its own, notice nothing.
func TestChannelLeavesItsCreditsAndComesBackUnderLoad(t *testing.T) {
	top := cabled(t)
	bad := top.cable("--loss", "0.001")
	p := top.daemons(threeLossless)
	p.lossless(0, 1, 2)
	c := top.between()
	c.Priorities, c.Window = []uint8{0, 1, 2}, 64
	c.LossTimeout = patience
	l := newLoad(t, c)
	for range 10 {
		p.a.tool("cbfc", "vc", "disable", "link0", "2").succeeds()
		p.a.phase(2, "best_effort")
		p.a.tool("cbfc", "vc", "enable", "link0", "2").succeeds()
		p.a.phase(2, "lossless")
		l.reach(l.least() + 100)
	}
	nothingLost(t, l.end())
	p.atRest(0, 1, 2)
	p.bounded(0, 1, 2)
	for _, d := range []*daemon{p.a, p.b} {
		for vc := range 3 {
			starts := uint64(1)
			if d == p.a && vc == 2 {
				starts = 11
			}
			if v := d.vc(vc); v.Counters.Starts != starts || v.Counters.Repaired+v.Counters.Refused > 0 {
				t.Errorf("%s: %+v", d.name, v)
			}
		}
		d.noDrops()
	}
	p.noFlush(t)
	if n := dropped(bad.pull()); n == 0 {
		t.Error("the wire lost nothing")
	}
}
