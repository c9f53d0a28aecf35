package credits

import (
	"testing"

	"uelink/lab/e2e/bed"
)

// threeLossless is a link of three lossless channels.
var threeLossless = bed.Settings{
	Profile: bed.Lossless.Profile,
	Link: "cbfc: {mode: static, vcs: [{index: 0, lossless: true, limit: 256}, {index: 1, lossless: true, limit: 256}, " +
		"{index: 2, lossless: true, limit: 256}]}",
	Edge: "qos: {trust: dot1p}",
}

// A command takes a channel out of its credits and back into them ten times, on a bad wire. The
// frames of the others, and its own, notice nothing.
func TestChannelLeavesItsCreditsAndComesBackUnderLoad(t *testing.T) {
	top := bed.Cabled(t)
	bad := top.Cable("--loss", "0.001")
	p := top.Daemons(threeLossless)
	underCredits(p, 0, 1, 2)
	c := top.Between()
	c.Priorities, c.Window = []uint8{0, 1, 2}, 64
	c.LossTimeout = bed.Patience
	l := bed.NewLoad(t, c)
	for range 10 {
		p.A.Tool("cbfc", "vc", "disable", "link0", "2").Succeeds()
		phase(p.A, 2, "best_effort")
		p.A.Tool("cbfc", "vc", "enable", "link0", "2").Succeeds()
		phase(p.A, 2, "lossless")
		l.Reach(l.Least() + 100)
	}
	bed.NothingLost(t, l.End())
	atRest(p, 0, 1, 2)
	bounded(p, 0, 1, 2)
	for _, d := range []*bed.Daemon{p.A, p.B} {
		for vc := range 3 {
			starts := uint64(1)
			if d == p.A && vc == 2 {
				starts = 11
			}
			if v := d.VC(vc); v.Counters.Starts != starts || v.Counters.Repaired+v.Counters.Refused > 0 {
				t.Errorf("%s: %+v", d.Name, v)
			}
		}
		noDrops(d)
	}
	p.NoFlush(t)
	if n := bed.Dropped(bad.Pull()); n == 0 {
		t.Error("the wire lost nothing")
	}
}
