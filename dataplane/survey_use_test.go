package dataplane

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/attach"
	"uelink/dataplane/model"
)

// What a host loses that uses an interface, by what the port is and what the host did with it when it was taken.
func TestWhatAHostLoses(t *testing.T) {
	unused := attach.Use{}
	addressed := attach.Use{Addresses: []netip.Prefix{netip.MustParsePrefix("10.5.0.1/24")}}
	way := attach.Use{DefaultRoute: true}
	link := model.PortSettings{Interface: "eth1", Role: model.RoleLink, Native: attach.NativeSocket}
	pass, drop, edge, allowed := link, link, link, link
	pass.Native, drop.Native, edge.Role = attach.NativePass, attach.NativeDrop, model.RoleEdge
	allowed.Native, allowed.AllowZeroCopy = attach.NativePass, true
	const frames = "the host uses eth1 itself since uelinkd took it (the address 10.5.0.1/24), but native: "
	for _, c := range []struct {
		name     string
		s        model.PortSettings
		was, now attach.Use
		bind     attach.Bind
		want     []string // what is said begins and goes on so; none: nothing is said
	}{
		{"not used", link, unused, unused, attach.BindCopy, nil},
		{"used later", link, unused, addressed, attach.BindCopy, []string{frames + "socket takes", "set native: pass and reload"}},
		{"used later, drop", drop, unused, addressed, attach.BindCopy, []string{frames + "drop takes"}},
		{"used later, pass", pass, unused, addressed, attach.BindCopy, nil},
		{"used before, and socket was set all the same", link, addressed, way, attach.BindCopy, nil},
		{"an edge", edge, unused, addressed, attach.BindCopy,
			[]string{"the host uses eth1 itself (the address 10.5.0.1/24), but an edge takes", "another interface"}},
		{"an edge, used before", edge, addressed, addressed, attach.BindCopy, []string{"the host uses eth1 itself"}},
		{"zero copy", pass, unused, addressed, attach.BindZeroCopy, nil},
		{"zero copy, and the way to the host", pass, unused, way, attach.BindZeroCopy,
			[]string{"eth1 has the default route since uelinkd took it with zero copy", "allow_zerocopy: true"}},
		{"zero copy that is allowed", allowed, unused, way, attach.BindZeroCopy, nil},
		{"frames and zero copy", link, unused, way, attach.BindZeroCopy, []string{"the host uses eth1", "; eth1 has the default"}},
	} {
		is := lossText(&c.s, c.was, c.now, c.bind)
		rest := is
		for i, part := range c.want {
			before, after, found := strings.Cut(rest, part)
			if !found || i == 0 && before != "" {
				t.Errorf("%s: %q, want %q", c.name, is, part)
			}
			rest = after
		}
		if len(c.want) == 0 && is != "" {
			t.Errorf("%s: %q", c.name, is)
		}
	}
}

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
