package credits

import (
	"fmt"
	"strings"
	"testing"

	"uelink/lab/e2e/bed"
)

// leaking is a link without LLR, whose channel 1 has credits that nothing repairs.
var leaking = bed.Settings{
	LLR:  `mode: "off"`,
	Link: "vcs: 2, cbfc: {mode: static, cc_message_timer: 0s, vcs: [{index: 1, lossless: true, limit: 64}]}",
	Edge: "qos: {trust: dot1p}",
}

// Without LLR a damaged frame takes its credits with it. Without CC_Updates the channel stops when
// all of them have gone, and no other channel does. With CC_Updates they come back.
func TestCreditsLeakUntilCCUpdatesRepairThem(t *testing.T) {
	t.Parallel()
	top := bed.Cabled(t)
	bad := top.Cable("--corrupt", "0.1")
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", leaking), B: bed.NewDaemon(t, top.B, "B", leaking)}
	p.A.Start()
	p.B.Start()
	underCredits(p, 1)
	told := p.A.Watch()
	hostA, hostB := bed.NewTalker(t, top.HostA, 1), bed.NewTalker(t, top.HostB, 2)
	c := bed.NewTalk(t, hostB)
	s := c.Stream(hostA, priority(1), hostB)
	bed.Eventually(t, "every credit lost, and a frame that waits", func() string {
		here, there := p.A.VC(1), p.B.VC(1)
		if leaked := int(here.CreditsConsumed - there.RxCreditsFreed); leaked < here.SenderCreditLimit || here.Blocked == 0 {
			c.SendNext(s, 1)
			return fmt.Sprintf("%d have leaked", leaked)
		}
		return ""
	})
	if v := p.A.VC(1); v.CreditsUsed != 64 || v.SenderCreditLimit != 64 {
		t.Errorf("%+v", v)
	}
	told.Await("cbfc_credits", "VC 1: the partner has returned no credits")
	stood := c.At(s, hostB).Frames
	other := c.Stream(hostA, priority(0), hostB)
	c.SendNext(other, 100)
	bed.Eventually(t, "frames of VC 0", func() string {
		if h := c.At(other, hostB); h.Frames < 50 {
			return fmt.Sprintf("of 100 %d have come", h.Frames)
		}
		return ""
	})
	if n := c.At(s, hostB).Frames; n > stood {
		t.Errorf("%d frames of VC 1 have come without a credit", n-stood)
	}

	repaired := leaking
	repaired.Link = strings.Replace(leaking.Link, "cc_message_timer: 0s", "cc_message_timer: 10ms", 1)
	p.A.Reload(repaired.Text(p.A.Socket))
	p.B.Reload(repaired.Text(p.B.Socket))
	atRest(p, 1)
	here, there := p.A.VC(1), p.B.VC(1)
	if there.Counters.Repaired < 64 || here.Counters.Starts != 1 || here.Blocked != 0 {
		t.Errorf("%+v; there %+v", here, there)
	}
	if n := bed.Dropped(bad.Pull()); n > 0 {
		t.Errorf("the wire lost %d frames, and was only to damage some", n)
	}
	top.Cable()
	again := top.Between()
	again.Priorities, again.Frames = []uint8{0, 1}, 5000
	bed.Untouched(t, again)
	atRest(p, 1)
	bounded(p, 1)
}
