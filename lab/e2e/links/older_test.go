package links

import (
	"testing"
	"time"

	"uelink/control/api"
	"uelink/lab/e2e/bed"
	"uelink/llr"
)

// Commits of older versions: the last ones whose uelinkd does not know STATION, and no selective replay.
const (
	olderCommit     = "bd55ba834e85937a4196ff49dd6ce271aea49dd5"
	beforeSelective = "fa99110abbe52dabe38075c6d5ff27a95f357595"
)

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

// A partner of before selective replay gets go-back-N, whatever this end wants, and every frame arrives once and in
// order over a bad wire.
func TestPartnerBeforeSelectiveReplay(t *testing.T) {
	binary := bed.Older(t, beforeSelective)
	for kind, reason := range map[string]llr.ReplayReason{"go_back_n": llr.ReplayConfigured, "auto": llr.ReplayPartner,
		"selective": llr.ReplayPartner} {
		t.Run(kind, func(t *testing.T) {
			top := bed.Cabled(t)
			top.Cable("--loss", "0.01", "--corrupt", "0.001", "--duplicate", "0.001", "--reorder", "0.001")
			p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", replaying(kind)), B: bed.NewDaemon(t, top.B, "B, older", bed.Lossless)}
			p.B.Binary = binary
			p.A.Start()
			p.B.Start()
			p.Advance()
			f := top.Between()
			f.Frames, f.Size = 20_000, "imix"
			bed.Untouched(t, f)
			awaitReplay(t, p.A, llr.GoBackN, reason)
		})
	}
}

// Two daemons of before selective replay are upgraded, one after the other, and then reloaded with it, under load over
// a wire that loses a frame in a hundred: no frame is lost.
func TestUpgradeToSelectiveReplayLosesNothing(t *testing.T) {
	binary, present := bed.Older(t, beforeSelective), bed.Program("uelinkd")
	top := bed.Cabled(t)
	top.Cable("--loss", "0.01")
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", bed.Lossless), B: bed.NewDaemon(t, top.B, "B", bed.Lossless)}
	p.A.Binary, p.B.Binary = binary, binary
	p.Start()
	p.Advance()
	p.A.EndsLast()
	p.B.EndsLast()
	load := top.Load(t, bed.Patience)
	for _, d := range []*bed.Daemon{p.A, p.B} {
		if err := d.Client.Upgrade(t.Context(), api.Upgrade{Binary: present}); err != nil {
			t.Fatal(err)
		}
		awaitReplay(t, d, llr.GoBackN, llr.ReplayConfigured)
	}
	for _, d := range []*bed.Daemon{p.A, p.B} {
		d.Write(replaying("selective").Text(d.Socket))
		d.Tool("reload").Succeeds()
	}
	for _, d := range []*bed.Daemon{p.A, p.B} {
		awaitReplay(t, d, llr.Selective, llr.ReplaySelective)
	}
	bed.NothingLost(t, load.End())
	for _, d := range []*bed.Daemon{p.A, p.B} {
		if n := d.LLRCounters(); n.TxFlushedFrames+n.PartnerRestart > 0 {
			t.Errorf("%s: %+v", d.Name, n)
		}
	}
}
