package e2e

import (
	"fmt"
	"testing"
	"time"
)

// negotiating is a link whose LLR is agreed on by LLDP that does not let anyone
// wait.
var negotiating = settings{llr: "mode: dynamic", link: "lldp: {tx_interval: 1s, tx_hold: 2}"}

// negotiated waits for what LLDP knows of the partner and for LLR to be on or off.
func (d *daemon) negotiated(partner string, on bool) {
	d.t.Helper()
	eventually(d.t, fmt.Sprintf("%s: partner %s, LLR on: %v", d.name, partner, on), func() string {
		l := d.llr()
		if n := l.Negotiation; n == nil || n.Partner != partner || n.Retiring || l.Local != on || l.Remote != on ||
			(l.TxStatus.String() != "OFF") != on {
			return fmt.Sprintf("tx %s, rx %s, local %v, remote %v, negotiation %+v", l.TxStatus, l.RxStatus,
				l.Local, l.Remote, n)
		}
		return ""
	})
}

func TestDynamicLLRComesUpWhenBothEndsOfferIt(t *testing.T) {
	top := direct(t)
	unwilling := negotiating
	unwilling.llr = "mode: dynamic, local: false, remote: false"
	p := pair{newDaemon(t, top.A, "A", negotiating), newDaemon(t, top.B, "B", unwilling)}
	p.a.start()
	p.a.negotiated("none", false)
	p.b.start()
	p.a.negotiated("present", false)
	p.b.negotiated("present", false)
	c := top.between()
	c.Frames = 2000
	untouched(t, c)
	if l := p.a.link(); l.Counters.TxNative == 0 || l.Counters.TxControl != 0 || l.LLR.Mode.String() != "dynamic" {
		t.Errorf("without LLR: %+v", l)
	}
	p.b.reload(negotiating.text(p.b.socket))
	p.advance()
	p.a.negotiated("present", true)
	untouched(t, c)
	shown := p.a.tool("llr", "interface", "link0").succeeds().objects()[0]
	if n, ok := shown["negotiation"].(map[string]any); !ok || shown["llr_mode"] != "dynamic" ||
		n["agreed_local"] != true || n["partner"] != "present" {
		t.Errorf("%v", shown)
	}
}

// One command at one end, and both are without LLR; another, and both have it
// again. The hosts do not notice.
func TestDynamicLLRIsGivenUpUnderLoadWithoutLoss(t *testing.T) {
	top := direct(t)
	p := top.daemons(negotiating)
	l := top.load(t, 2*time.Second)
	for range 2 {
		p.b.tool("llr", "local", "disable", "link0").succeeds()
		p.a.negotiated("present", false)
		p.b.negotiated("present", false)
		p.resume(t, "frames without LLR", time.Now())
		p.b.tool("llr", "local", "enable", "link0").succeeds()
		p.advance()
	}
	nothingLost(t, l.end())
}

func TestPartnerThatDoesNotSpeakLLDPStaysNative(t *testing.T) {
	top := direct(t)
	silent := settings{llr: "mode: off", link: "lldp: {mode: off}"}
	p := pair{newDaemon(t, top.A, "A", negotiating), newDaemon(t, top.B, "B", silent)}
	p.a.start()
	p.b.start()
	c := top.between()
	c.Frames = 2000
	untouched(t, c)
	p.a.negotiated("none", false)
	if l := p.a.link(); l.Counters.TxNative == 0 || l.Counters.TxBare != 0 || l.Counters.TxControl != 0 ||
		l.LLR.PartnerProblem != "" {
		t.Errorf("%+v", l)
	}
}

// A silent partner keeps its agreement, and negotiates again when it returns; a partner that says good-bye loses it.
func TestPartnerOfDynamicLLRThatGoes(t *testing.T) {
	t.Parallel()
	top := direct(t)
	p := top.daemons(negotiating)
	watch := p.a.watch()
	p.b.kill()
	watch.shows("ue_negotiation", "partner aged")
	p.a.negotiated("aged", true)
	p.b.start()
	p.advance()
	p.a.negotiated("present", true)
	if code := p.b.terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	p.a.negotiated("withdrawn", false)
	p.b.start()
	p.advance()
}
