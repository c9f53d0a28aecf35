package restarts

import (
	"testing"
	"time"

	"uelink/lab/e2e/bed"
)

// A restart in good order loses nothing where the hosts obey PFC: they are stopped before the daemon stops to take
// their frames, for longer than it is away, and the partner holds the frames for it.
func TestRestartLosesNothingOfHostsThatObeyPFC(t *testing.T) {
	top := bed.Direct(t)
	s := bed.Lossless
	s.Link = "cbfc: {mode: static, vcs: [{index: 1, lossless: true}]}"
	s.Edge = "qos: {trust: dot1p}, pfc: {mode: static, priorities: [1], rate: 10Mbps}" // a pause lasts three seconds
	p := top.Daemons(s)
	c := top.Between()
	c.Priorities, c.PFCRate, c.Rate, c.LossTimeout = []uint8{1}, 10_000_000, 1000, 2*time.Second
	l := bed.NewLoad(t, c)
	l.Reach(200)
	if code := p.A.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	p.A.Start()
	p.Advance()
	l.Reach(l.Least() + 200)
	for i, d := range l.End() {
		if d.Lost+d.Duplicated+d.Reordered > 0 {
			t.Errorf("%s to %s: %+v", d.From, d.To, d)
		}
		if i == 0 && d.PausesReceived == 0 {
			t.Error("the host of the daemon that ended was not stopped")
		}
		t.Logf("%s to %s: %d pauses, %.1f s, %d frames held back", d.From, d.To, d.PausesReceived, d.PausedSeconds,
			d.HeldBack)
	}
}
