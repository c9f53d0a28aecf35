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
	reported := p.A.Watch()
	hostA, hostB := bed.NewTalker(t, top.HostA, 1), bed.NewTalker(t, top.HostB, 2)
	c := bed.NewTalk(t, hostB)
	s := c.Stream(hostA, priority(1), hostB)
	bed.Eventually(t, "every credit lost, and a frame that waits", func() string {
		near, far := p.A.VC(1), p.B.VC(1)
		if leaked := int(near.CreditsConsumed - far.RxCreditsFreed); leaked < near.SenderCreditLimit || near.Blocked == 0 {
			c.SendNext(s, 1)
			return fmt.Sprintf("%d have leaked", leaked)
		}
		return ""
	})
	if v := p.A.VC(1); v.CreditsUsed != 64 || v.SenderCreditLimit != 64 {
		t.Errorf("%+v", v)
	}
	reported.Await("cbfc_credits", "VC 1: the partner has returned no credits")
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
	near, far := p.A.VC(1), p.B.VC(1)
	if far.Counters.Repaired < 64 || near.Counters.Starts != 1 || near.Blocked != 0 {
		t.Errorf("%+v; there %+v", near, far)
	}
	if n := bed.Dropped(bad.Pull()); n > 0 {
		t.Errorf("the wire lost %d frames, and was only to damage some", n)
	}
	top.Cable()
	repeat := top.Between()
	repeat.Priorities, repeat.Frames = []uint8{0, 1}, 5000
	bed.Untouched(t, repeat)
	atRest(p, 1)
	bounded(p, 1)
}
