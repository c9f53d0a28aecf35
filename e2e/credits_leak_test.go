package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// leaking is a link without LLR, whose channel 1 has credits that nothing repairs.
var leaking = settings{
	llr:  `mode: "off"`,
	link: "vcs: 2, cbfc: {mode: static, cc_message_timer: 0s, vcs: [{index: 1, lossless: true, limit: 64}]}",
	edge: "qos: {trust: dot1p}",
}

// Without LLR a damaged frame takes its credits with it. Without CC_Updates the channel stops when
// all of them have gone, and no other channel does. With CC_Updates they come back.
func TestCreditsLeakUntilCCUpdatesRepairThem(t *testing.T) {
	t.Parallel()
	top := cabled(t)
	bad := top.cable("--corrupt", "0.1")
	p := pair{newDaemon(t, top.A, "A", leaking), newDaemon(t, top.B, "B", leaking)}
	p.a.start()
	p.b.start()
	p.lossless(1)
	told := p.a.watch()
	hostA, hostB := newTalker(t, top.hostA, 1), newTalker(t, top.hostB, 2)
	c := newTalk(t, hostB)
	s := c.stream(hostA, priority(1), hostB)
	eventually(t, "every credit lost, and a frame that waits", func() string {
		here, there := p.a.vc(1), p.b.vc(1)
		if leaked := int(here.CreditsConsumed - there.RxCreditsFreed); leaked < here.SenderCreditLimit || here.Blocked == 0 {
			c.say(s, 1)
			return fmt.Sprintf("%d have leaked", leaked)
		}
		return ""
	})
	if v := p.a.vc(1); v.CreditsUsed != 64 || v.SenderCreditLimit != 64 {
		t.Errorf("%+v", v)
	}
	told.shows("cbfc_credits", "VC 1: the partner has returned no credits")
	stood := c.at(s, hostB).frames
	other := c.stream(hostA, priority(0), hostB)
	c.say(other, 100)
	eventually(t, "frames of VC 0", func() string {
		if h := c.at(other, hostB); h.frames < 50 {
			return fmt.Sprintf("of 100 %d have come", h.frames)
		}
		return ""
	})
	if n := c.at(s, hostB).frames; n > stood {
		t.Errorf("%d frames of VC 1 have come without a credit", n-stood)
	}

	repaired := leaking
	repaired.link = strings.Replace(leaking.link, "cc_message_timer: 0s", "cc_message_timer: 10ms", 1)
	p.a.reload(repaired.text(p.a.socket))
	p.b.reload(repaired.text(p.b.socket))
	p.atRest(1)
	here, there := p.a.vc(1), p.b.vc(1)
	if there.Counters.Repaired < 64 || here.Counters.Starts != 1 || here.Blocked != 0 {
		t.Errorf("%+v; there %+v", here, there)
	}
	if n := dropped(bad.pull()); n > 0 {
		t.Errorf("the wire lost %d frames, and was only to damage some", n)
	}
	top.cable()
	again := top.between()
	again.Priorities, again.Frames = []uint8{0, 1}, 5000
	untouched(t, again)
	p.atRest(1)
	p.bounded(1)
}
