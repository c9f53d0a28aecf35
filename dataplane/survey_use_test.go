package dataplane

import (
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/attach"
	"uelink/dataplane/model"
)

// An address that comes to the interfaces of a link and of an edge is told until it goes, or until the link passes on
// the host's frames.
func TestHostThatComesToUseAnInterfaceIsTold(t *testing.T) {
	l := newLinkBed(t, func(s *model.PortSettings) { s.Native = attach.NativeAuto })
	address := must(netlink.ParseAddr("10.5.0.1/24"))
	fault := func(port, want string) {
		t.Helper()
		l.a.surveyUses(true)
		for _, p := range l.a.Ports() {
			if p.Name == port && (want == "" && p.Fault != "" || !strings.HasPrefix(p.Fault, want)) {
				t.Errorf("%s: %q, want %q", port, p.Fault, want)
			}
		}
	}
	fault("la", "")
	l.must(netlink.AddrAdd(l.link("ea"), address))
	fault("ea", "the host uses ea itself (the address 10.5.0.1/24), but an edge takes all frames that arrive")
	l.must(netlink.AddrDel(l.link("ea"), address))
	fault("ea", "")
	l.must(netlink.AddrAdd(l.link("la"), address))
	fault("la", "the host uses la itself since uelinkd took it (the address 10.5.0.1/24), but native: socket takes")

	next := l.a.settings
	next.Ports[0].Native = attach.NativePass
	l.must(l.a.Reload(next))
	l.a.surveyUses(false)
	if p := l.state(l.a, "la"); p.Fault != "" {
		t.Errorf("with native: pass: %q", p.Fault)
	}
	l.send(20)
	l.whole()
}
