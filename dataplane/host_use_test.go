package dataplane

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/wire"
)

// used gives near an address.
func (b *hostBed) used() {
	b.t.Helper()
	a, err := netlink.ParseAddr("10.5.0.1/24")
	b.must(err)
	b.must(netlink.AddrAdd(b.link("near"), a))
}

// On an interface that the host uses nothing is changed that no key names; frames that are not the link's are its own.
func TestHostKeepsItsNetwork(t *testing.T) {
	b, s := newHostBed(t), nearLink()
	b.used()
	s.Native = attach.NativeAuto
	before := b.state()
	near, _, _ := strings.Cut(before, "\n") // the kernel takes segmentation from far while near has a program
	h := b.open(s, 1514)
	b.send(0x0800, 100)
	b.send(0x88B5, 101)
	b.receives(h, 101)
	c, err := h.program.Counters()
	b.must(err)
	if want := (bpf.Counters{Data: 1, NativePass: 1}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
	if now := strings.Replace(b.state(), "true", "false", 1); !strings.HasPrefix(now, near+"\n") {
		t.Errorf("besides the program it is\n%s\nnot\n%s", now, before)
	}
	if len(h.notices) != 1 || !strings.HasPrefix(h.notices[0], "the host uses near itself (the address 10.5.0.1/24)") {
		t.Errorf("%q", h.notices)
	}
	h.close()
	if after := b.state(); after != before {
		t.Errorf("afterwards it is\n%s\nnot\n%s", after, before)
	}
}

// What a key names is done, also on an interface that the host uses.
func TestKeysThatNameAChange(t *testing.T) {
	b, s := newHostBed(t), nearLink()
	b.used()
	s.MTU, s.Offloads, s.Promiscuous, s.Native = model.MTUSet, model.OffloadsOff, model.PromiscuousOn, attach.NativeSocket
	before := b.state()
	h := b.open(s, 1514)
	if near := b.link("near").Attrs(); near.MTU != 1514 || near.Promisc != 1 || h.settings.Native != attach.NativeSocket {
		t.Errorf("%+v, %+v", near, h.settings)
	}
	h.close()
	if after := b.state(); after != before {
		t.Errorf("afterwards it is\n%s\nnot\n%s", after, before)
	}
}

// Zero copy is refused where somebody may lose his way to the host by it, on a link and on an edge.
func TestZeroCopyOnTheWayToTheHost(t *testing.T) {
	b := newHostBed(t)
	b.used()
	everywhere := &net.IPNet{IP: net.IPv4zero, Mask: net.CIDRMask(0, 32)}
	b.must(netlink.RouteAdd(&netlink.Route{LinkIndex: b.link("near").Attrs().Index, Dst: everywhere}))
	before := b.state()
	for _, role := range []model.Role{model.RoleLink, model.RoleEdge} {
		s := nearLink()
		s.Role, s.Bind = role, attach.BindZeroCopy
		_, err := openHost(s, 0, fewChunks, b.records, zap.NewNop())
		var coded *Error
		if !errors.As(err, &coded) || coded.ExitCode() != 2 || !strings.Contains(err.Error(),
			"bind: zerocopy is refused on near, which has the address 10.5.0.1/24, the default route: ") {
			t.Errorf("%v: %v", role, err)
		}
		if after := b.state(); after != before {
			t.Errorf("%v: afterwards it is\n%s\nnot\n%s", role, after, before)
		}
		s.AllowZeroCopy = true // a veth has no zero copy
		_, err = openHost(s, 0, fewChunks, b.records, zap.NewNop())
		if err == nil || strings.Contains(err.Error(), "refused on") {
			t.Errorf("%v, allowed: %v", role, err)
		}
	}
}

// The line that would help is told, as long as it would help.
func TestWhatALinkDoesNotGetIsTold(t *testing.T) {
	l := newLinkBed(t, func(s *model.PortSettings) {
		a, err := netlink.ParseAddr("10.5.0.1/24")
		if err == nil {
			err = netlink.AddrAdd(must(netlink.LinkByName("la")), a)
		}
		if err != nil {
			t.Fatal(err)
		}
		s.Native = attach.NativeAuto
	})
	l.send(20)
	l.whole()
	if n := l.state(l.a, "la").Counters.TxNative; n != 0 {
		t.Errorf("%d native frames were sent", n)
	}
	look := func(kind string) string {
		l.a.mu.Lock()
		defer l.a.mu.Unlock()
		g, a := l.a.find("la")
		nl := l.link("la")
		survey{group: g, member: a}.checkForeign(nl.Attrs(), kind)
		return a.fault()
	}
	if text := look("veth"); !strings.HasSuffix(text, "or type: ip link set dev la mtu 1514") {
		t.Errorf("of the MTU: %q", text)
	}
	if text := look("device"); !strings.HasSuffix(text, "or type: ip link set dev la promisc on") {
		t.Errorf("of promiscuous mode: %q", text)
	}
	l.must(netlink.LinkSetMTU(l.link("la"), 1514))
	l.must(netlink.SetPromiscOn(l.link("la")))
	l.a.reconcile()
	if text := look("device"); text != "" {
		t.Errorf("afterwards: %q", text)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// What cannot be switched for a partner that sends the addresses of hosts is told once, and for as long as it is so.
func TestPromiscuousModeThatFailsIsToldOnce(t *testing.T) {
	l, original := newLinkBed(t, func(s *model.PortSettings) { s.Encapsulation = model.Addressed }), setPromiscuous
	t.Cleanup(func() { setPromiscuous = original })
	setPromiscuous = func(*netif.Interface, bool) error { return errors.New("la: no promiscuous mode") }
	l.eventually("a partner that sends the addresses of hosts", func() bool {
		sends := false
		l.a.workers[0].Do(func(wire.Time) { sends = l.a.groups[0].member("la").port.Link.Partner.SendsHosts() })
		return sends
	})
	for tick := range 10 {
		l.a.survey(tick)
		l.a.reconcile()
	}
	reports := 0
	for _, e := range l.a.Recent() {
		if e.Kind == model.EventError {
			reports++
		}
	}
	if fault := l.state(l.a, "la").Fault; reports != 1 || fault != "la: no promiscuous mode" {
		t.Errorf("told %d times, and the fault is %q", reports, fault)
	}
	setPromiscuous = original
	l.a.survey(1)
	if fault := l.state(l.a, "la").Fault; fault != "" {
		t.Errorf("afterwards: %q", fault)
	}
}
