package lldp

import (
	"fmt"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
)

// negotiating is a link whose LLR is agreed on by LLDP that does not let anyone
// wait.
var negotiating = bed.Settings{LLR: "mode: dynamic", Link: "lldp: {tx_interval: 1s, tx_hold: 2}"}

// negotiated waits for what LLDP knows of the partner and for LLR to be on or off.
func negotiated(d *bed.Daemon, partner string, on bool) {
	d.T.Helper()
	bed.Eventually(d.T, fmt.Sprintf("%s: partner %s, LLR on: %v", d.Name, partner, on), func() string {
		l := d.LLR()
		if n := l.Negotiation; n == nil || n.Partner != partner || n.Retiring || l.Local != on || l.Remote != on ||
			(l.TxStatus.String() != "OFF") != on {
			return fmt.Sprintf("tx %s, rx %s, local %v, remote %v, negotiation %+v", l.TxStatus, l.RxStatus,
				l.Local, l.Remote, n)
		}
		return ""
	})
}

func TestDynamicLLRComesUpWhenBothEndsOfferIt(t *testing.T) {
	top := bed.Direct(t)
	unwilling := negotiating
	unwilling.LLR = "mode: dynamic, local: false, remote: false"
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", negotiating), B: bed.NewDaemon(t, top.B, "B", unwilling)}
	p.A.Start()
	negotiated(p.A, "none", false)
	p.B.Start()
	negotiated(p.A, "present", false)
	negotiated(p.B, "present", false)
	c := top.Between()
	c.Frames = 2000
	bed.Untouched(t, c)
	if l := p.A.Link(); l.Counters.TxNative == 0 || l.Counters.TxControl != 0 || l.LLR.Mode.String() != "dynamic" {
		t.Errorf("without LLR: %+v", l)
	}
	p.B.Reload(negotiating.Text(p.B.Socket))
	p.Advance()
	negotiated(p.A, "present", true)
	bed.Untouched(t, c)
	shown := p.A.Tool("llr", "interface", "link0").Succeeds().Objects()[0]
	if n, ok := shown["negotiation"].(map[string]any); !ok || shown["llr_mode"] != "dynamic" ||
		n["agreed_local"] != true || n["partner"] != "present" {
		t.Errorf("%v", shown)
	}
}

// One command at one end, and both are without LLR; another, and both have it
// again. The hosts do not notice.
func TestDynamicLLRIsGivenUpUnderLoadWithoutLoss(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(negotiating)
	l := top.Load(t, 2*time.Second)
	for range 2 {
		p.B.Tool("llr", "local", "disable", "link0").Succeeds()
		negotiated(p.A, "present", false)
		negotiated(p.B, "present", false)
		p.Resume(t, "frames without LLR", time.Now())
		p.B.Tool("llr", "local", "enable", "link0").Succeeds()
		p.Advance()
	}
	bed.NothingLost(t, l.End())
}

func TestPartnerThatDoesNotSpeakLLDPStaysNative(t *testing.T) {
	top := bed.Direct(t)
	silent := bed.Settings{LLR: "mode: off", Link: "lldp: {mode: off}"}
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", negotiating), B: bed.NewDaemon(t, top.B, "B", silent)}
	p.A.Start()
	p.B.Start()
	c := top.Between()
	c.Frames = 2000
	bed.Untouched(t, c)
	negotiated(p.A, "none", false)
	if l := p.A.Link(); l.Counters.TxNative == 0 || l.Counters.TxBare != 0 || l.Counters.TxControl != 0 ||
		l.LLR.PartnerProblem != "" {
		t.Errorf("%+v", l)
	}
}

// A silent partner keeps its agreement, and negotiates again when it returns; a partner that says good-bye loses it.
func TestPartnerOfDynamicLLRThatGoes(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := top.Daemons(negotiating)
	watch := p.A.Watch()
	p.B.Kill()
	watch.Await("ue_negotiation", "partner state aged")
	negotiated(p.A, "aged", true)
	p.B.Start()
	p.Advance()
	negotiated(p.A, "present", true)
	if code := p.B.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	negotiated(p.A, "withdrawn", false)
	p.B.Start()
	p.Advance()
}
