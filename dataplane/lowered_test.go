package dataplane

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/model"
)

// An MTU that somebody lowers is told and raised again; a program that lowers it again and again is a problem, until it
// stops.
func TestMTUThatIsLowered(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	l.a.mu.Lock()
	defer l.a.mu.Unlock()
	g, a := l.a.find("la")
	for i := range loweredOften {
		l.must(netlink.LinkSetMTU(l.link("la"), 1400))
		g.reconcile()
		if mtu := l.link("la").Attrs().MTU; mtu != 1514 {
			t.Fatalf("the MTU is %d", mtu)
		}
		const notice = "somebody has lowered the MTU of la from 1514 to 1400"
		if repeated := i == loweredOften-1; !strings.Contains(a.notice.text, notice) ||
			slices.Contains(a.faultReasons(), "mtu_lowered") != repeated {
			t.Errorf("lowered %d times: %q, %q", i+1, a.notice.text, a.fault())
		}
	}
	a.lowering.survey(g, a, a.lowering.last.Add(loweredApart))
	const problem = "a program lowers the MTU of la again and again, to 1400 lately, and 1514 are needed"
	if !strings.Contains(a.fault(), problem) {
		t.Errorf("%q", a.fault())
	}
	if a.lowering.survey(g, a, a.lowering.last.Add(loweredApart+time.Second)); a.fault() != "" {
		t.Errorf("after a minute: %q", a.fault())
	}
}
