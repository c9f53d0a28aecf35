package dataplane

import (
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/model"
	"uelink/dataplane/trouble"
	"uelink/wire"
)

// surveys checks a's ports at n ticks of the watch.
func (l *linkBed) surveys(from, n int) {
	for tick := from; tick < from+n; tick++ {
		l.a.survey(tick)
	}
}

// Frames that find the RX ring of an edge full are in the column of dropped frames. They are a fault while that lasts,
// and an event each time that it begins, both with what to do. So it is again after the counters were cleared.
func TestAFullRingIsTold(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	g := l.a.groups[0]
	events, end := l.a.Subscribe()
	defer end()
	overrun := func() {
		g.worker.Do(func(wire.Time) { l.send(1000) }) // while the worker does nothing else
	}
	const text = "frames are dropped because the RX ring of 64 entries is full (rx_ring_full): they come in longer " +
		"bursts, or the daemon gets too little CPU: raise rx_ring_size, bound the window of TCP"
	overrun()
	l.surveys(1, 1)
	s := l.state(l.a, "ea")
	rx, tx := s.Dropped()
	if full := s.Sockets.Stats.RxRingFull; full == 0 || rx != full || tx != 0 {
		t.Errorf("RX dropped %d, TX dropped %d, ring full %d", rx, tx, full)
	}
	if !strings.HasPrefix(s.Fault, text) {
		t.Errorf("fault %q", s.Fault)
	}
	l.expectEvent(events, model.EventError, text)

	l.surveys(2, trouble.DropsPause-1)
	if fault := l.state(l.a, "ea").Fault; strings.Contains(fault, trouble.LastDropped) {
		t.Errorf("just now, and it says %q", fault)
	}
	l.surveys(1+trouble.DropsPause, trouble.DropsQuiet-trouble.DropsPause+1)
	fault := l.state(l.a, "ea").Fault
	if !strings.HasPrefix(fault, text) || !strings.Contains(fault, trouble.LastDropped) {
		t.Errorf("not for long, and it says %q", fault)
	}
	overrun()
	l.surveys(2+trouble.DropsQuiet-1, 1)
	if fault := l.state(l.a, "ea").Fault; !strings.HasPrefix(fault, text) || strings.Contains(fault, trouble.LastDropped) {
		t.Errorf("they are dropped again, and it says %q", fault)
	}
	l.surveys(2+trouble.DropsQuiet, trouble.DropsQuiet)
	l.surveys(2+2*trouble.DropsQuiet, 1)
	if fault := l.state(l.a, "ea").Fault; fault != "" {
		t.Errorf("none was dropped for long, and it says %q", fault)
	}
	l.expectEvent(events, model.EventNotice, "frames are no longer dropped; ")

	g.clear(g.member("ea"))
	if rx, tx := l.dropped("ea"); rx+tx != 0 {
		t.Errorf("cleared: RX dropped %d, TX dropped %d", rx, tx)
	}
	overrun()
	l.surveys(100, 1)
	if rx, _ := l.dropped("ea"); rx == 0 {
		t.Error("cleared, and nothing more is counted")
	}
	l.expectEvent(events, model.EventError, text)
}

// dropped returns the columns of a port of a.
func (l *linkBed) dropped(port string) (rx, tx uint64) {
	s := l.state(l.a, port)
	return s.Dropped()
}

// What the sockets counted before they were opened anew, and before the interface went and came, is not forgotten.
func TestDropsOutliveSockets(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	g := l.a.groups[0]
	a := g.member("ea")
	g.worker.Do(func(wire.Time) { l.send(1000) })
	before, _ := l.dropped("ea")
	if before == 0 {
		t.Fatal("nothing was dropped")
	}
	if !g.renew(a, func() error { return a.host.reopen(a.geometry()) }) {
		t.Fatal("not opened anew")
	}
	if after, _ := l.dropped("ea"); after != before {
		t.Errorf("sockets opened anew: RX dropped %d, %d before", after, before)
	}
	g.detach(a)
	l.must(g.attach(a))
	if after, _ := l.dropped("ea"); after != before {
		t.Errorf("interface taken again: RX dropped %d, %d before", after, before)
	}
	l.surveys(1, 1)
	if fault := l.state(l.a, "ea").Fault; fault != "" {
		t.Errorf("what was dropped before is told again: %q", fault)
	}
}

// What the host's end of a veth that was made drops is a drop of the edge. Here it drops what is longer than the MTU of
// the other end.
func TestTheHostsEndDrops(t *testing.T) {
	b := newCreatedBed(t)
	b.must(netlink.LinkSetMTU(b.link("ue0"), 1000))
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	b.must(err)
	defer unix.Close(fd)
	to := &unix.SockaddrLinklayer{Ifindex: b.link("uelink0").Attrs().Index, Halen: 6}
	if err := unix.Sendto(fd, frametest.Long(1400), 0, to); err != unix.ENOBUFS { // new kernels say so
		b.must(err)
	}
	b.d.survey(surveyEvery)
	s := b.edge()
	if rx, tx := s.Dropped(); rx == 0 || tx != 0 || s.Device.RxTooLong != 1 {
		t.Errorf("RX dropped %d, TX dropped %d, %+v", rx, tx, s.Device)
	}
	const text = "frames of the host are longer than 1486 octets and a VLAN tag"
	const do = "lower the MTU of their senders"
	// Another fault may follow: what the kernel says of itself by IPv6 comes in as well, and the link may not carry yet.
	if fault, _, _ := strings.Cut(s.Fault, "; "); !strings.HasPrefix(fault, text) || !strings.HasSuffix(fault, do) {
		t.Errorf("fault %q", s.Fault)
	}
}
