package links

import (
	"testing"
	"time"

	"uelink/lab/e2e/bed"
)

// olderCommit is the last commit whose uelinkd does not know STATION.
const olderCommit = "bd55ba834e85937a4196ff49dd6ce271aea49dd5"

// A daemon of before STATION at the other end still works: over a bad wire, and when either
// end is killed and started again.
func TestOlderPartner(t *testing.T) {
	binary := bed.Older(t, olderCommit)
	top := bed.Cabled(t)
	top.Cable("--loss", "0.01", "--corrupt", "0.001", "--duplicate", "0.001", "--reorder", "0.001")
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", bed.Lossless), B: bed.NewDaemon(t, top.B, "B, older", bed.Lossless)}
	p.B.Binary = binary
	p.A.Start()
	p.B.Start()
	p.Advance()
	c := top.Between()
	c.Frames, c.Size = 50_000, "imix"
	bed.Untouched(t, c)
	for _, victim := range []*bed.Daemon{p.B, p.A} {
		l := top.Load(t, 50*time.Millisecond)
		victim.Kill()
		p.Resume(t, victim.Name+" was ready again", victim.Start())
		bed.NeverTwice(t, l.End())
	}
	bed.Untouched(t, c)
	if l := p.A.LLR(); l.PartnerProblem != "" || l.Counters.PartnerRestart != 0 {
		t.Errorf("%q, %d restarts", l.PartnerProblem, l.Counters.PartnerRestart)
	}
	if n := p.B.Link().Counters.RxControlType; n == 0 {
		t.Error("the older end has not passed over a STATION")
	}
}

// A partner that is replaced by a newer version, or by an older one again, is known again.
func TestPartnerThatIsReplacedByAnother(t *testing.T) {
	binary := bed.Older(t, olderCommit)
	top := bed.Direct(t)
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", bed.Settings{}), B: bed.NewDaemon(t, top.B, "B", bed.Settings{})}
	p.B.Binary = binary
	p.A.Start()
	p.B.Start()
	p.Advance()
	for _, next := range []string{"", binary, ""} {
		l := top.Load(t, 50*time.Millisecond)
		p.B.Kill()
		p.B.Binary = next
		p.B.Start()
		p.Advance()
		bed.Eventually(t, "frames of both", func() string { return p.A.Advances() + p.B.Advances() })
		bed.NeverTwice(t, l.End())
		c := top.Between()
		c.Frames = 10_000
		bed.Untouched(t, c)
	}
}
