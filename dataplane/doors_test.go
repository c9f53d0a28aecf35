package dataplane

import (
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/frame"
	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/model"
	"uelink/wire"
)

// surveys looks at the doors of a's ports at n ticks of the watch.
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
	const said = "frames are dropped because the RX ring of 64 entries is full (rx_ring_full): they come in longer " +
		"bursts, or the daemon gets too little CPU: raise rx_ring_size, bound the window of TCP"
	overrun()
	l.surveys(1, 1)
	s := l.state(l.a, "ea")
	rx, tx := s.Dropped()
	if full := s.Sockets.Stats.RxRingFull; full == 0 || rx != full || tx != 0 {
		t.Errorf("RX dropped %d, TX dropped %d, ring full %d", rx, tx, full)
	}
	if !strings.HasPrefix(s.Fault, said) {
		t.Errorf("fault %q", s.Fault)
	}
	l.told(events, model.EventError, said)

	l.surveys(2, doorsPause-1)
	if fault := l.state(l.a, "ea").Fault; strings.Contains(fault, lastDropped) {
		t.Errorf("just now, and it says %q", fault)
	}
	l.surveys(1+doorsPause, doorsQuiet-doorsPause+1)
	if fault := l.state(l.a, "ea").Fault; !strings.HasPrefix(fault, said) || !strings.Contains(fault, lastDropped) {
		t.Errorf("not for long, and it says %q", fault)
	}
	overrun()
	l.surveys(2+doorsQuiet-1, 1)
	if fault := l.state(l.a, "ea").Fault; !strings.HasPrefix(fault, said) || strings.Contains(fault, lastDropped) {
		t.Errorf("they are dropped again, and it says %q", fault)
	}
	l.surveys(2+doorsQuiet, doorsQuiet)
	l.surveys(2+2*doorsQuiet, 1)
	if fault := l.state(l.a, "ea").Fault; fault != "" {
		t.Errorf("none was dropped for long, and it says %q", fault)
	}
	l.told(events, model.EventNotice, "no more frames are dropped as before; ")

	g.clear(g.member("ea"))
	if rx, tx := l.dropped("ea"); rx+tx != 0 {
		t.Errorf("cleared: RX dropped %d, TX dropped %d", rx, tx)
	}
	overrun()
	l.surveys(100, 1)
	if rx, _ := l.dropped("ea"); rx == 0 {
		t.Error("cleared, and nothing more is counted")
	}
	l.told(events, model.EventError, said)
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
	was, _ := l.dropped("ea")
	if was == 0 {
		t.Fatal("nothing was dropped")
	}
	if !g.renew(a, func() error { return a.host.reopen(a.geometry()) }) {
		t.Fatal("not opened anew")
	}
	if is, _ := l.dropped("ea"); is != was {
		t.Errorf("sockets opened anew: RX dropped %d, %d before", is, was)
	}
	g.detach(a)
	l.must(g.attach(a))
	if is, _ := l.dropped("ea"); is != was {
		t.Errorf("interface taken again: RX dropped %d, %d before", is, was)
	}
	l.surveys(1, 1)
	if fault := l.state(l.a, "ea").Fault; fault != "" {
		t.Errorf("what was dropped before is told again: %q", fault)
	}
}

// Each kind of drop names itself and what to do.
func TestEveryDoorSaysWhatToDo(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	g := l.a.groups[0]
	for _, c := range []struct {
		name, port string
		kernel     frame.Stats
		device     model.DeviceCounters
		said       []string
	}{
		{"ring of a link", "la", frame.Stats{RxRingFull: 1}, model.DeviceCounters{},
			[]string{"(rx_ring_full); LLR sends them again", "raise rx_ring_size, lower max_outstanding_frames"}},
		{"no chunk", "ea", frame.Stats{RxDropped: 1, RxFillRingEmpty: 1}, model.DeviceCounters{},
			[]string{"no chunk is free (rx_dropped):", "raise rx_ring_size and ring_size"}},
		{"more than is forwarded", "ea", frame.Stats{RxDropped: 1, RxFillRingEmpty: 1, RxQueueBounded: 1},
			model.DeviceCounters{},
			[]string{"(rx_dropped): more arrive than the daemon forwards", "no more than 512",
				"push_back: on"}},
		{"longer than a chunk", "la", frame.Stats{RxDropped: 1}, model.DeviceCounters{},
			[]string{"longer than the MTU of 1514", "(rx_dropped)", "raise that of la"}},
		{"too many pieces", "ea", frame.Stats{JoinDrops: frame.JoinDrops{RxPiecesTooLong: 1}}, model.DeviceCounters{},
			[]string{"longer than the MTU of 1500", "(rx_pieces_too_long)"}},
		{"no place", "ea", frame.Stats{JoinDrops: frame.JoinDrops{RxPiecesNoPlace: 1}}, model.DeviceCounters{},
			[]string{"(rx_pieces_no_place): raise rx_ring_size"}},
		{"missed", "ea", frame.Stats{}, model.DeviceCounters{RxMissed: 1}, []string{"(rx_missed):", "ethtool -G ea rx N"}},
		{"super-frames without room", "ea", frame.Stats{SuperCounts: frame.SuperCounts{RxSuperNoRoom: 1}},
			model.DeviceCounters{}, []string{"(rx_super_no_room):", "set offload: off and push_back: on"}},
		{"malformed super-frames", "ea", frame.Stats{SuperCounts: frame.SuperCounts{RxSuperMalformed: 1}},
			model.DeviceCounters{}, []string{"rx_super_malformed", "set offload: off"}},
		{"refused super-frames", "ea", frame.Stats{SuperCounts: frame.SuperCounts{TxSuperRefused: 1}},
			model.DeviceCounters{}, []string{"tx_super_refused)", "the same MTU"}},
		{"driver", "la", frame.Stats{}, model.DeviceCounters{TxErrors: 1},
			[]string{"(tx_errors, tx_dropped); LLR", "ip -s link show dev la", "ethtool -G la tx N"}},
		{"driver has no room", "ea", frame.Stats{}, model.DeviceCounters{TxDropped: 1}, []string{"(tx_errors, tx_dropped):"}},
		{"descriptors", "ea", frame.Stats{TxInvalidDescs: 1}, model.DeviceCounters{}, []string{"tx_invalid_descs", "uelink support"}},
		{"chunks", "ea", frame.Stats{RxInvalidDescs: 1}, model.DeviceCounters{}, []string{"rx_invalid_descs", "uelink support"}},
	} {
		a := g.member(c.port)
		a.past.Add(c.kernel)
		a.device = c.device
		g.surveyDoors(a, 1)
		fault := a.fault()
		for _, said := range c.said {
			if !strings.Contains(fault, said) {
				t.Errorf("%s: the fault %q does not say %q", c.name, fault, said)
			}
		}
		a.past, a.device = frame.Stats{}, model.DeviceCounters{}
		g.surveyDoors(a, 2)
		g.surveyDoors(a, 3+doorsQuiet)
		if fault := a.fault(); fault != "" {
			t.Errorf("%s: over, and it says %q", c.name, fault)
		}
	}
}

// Drops of frames too long are over when the MTU is raised, also those that are counted a moment later. Later ones
// begin again.
func TestRaisedMTUEndsDropsByLength(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	g := l.a.groups[0]
	a := g.member("ea")
	drop := func(tick int) string {
		a.device.RxTooLong++
		g.surveyDoors(a, tick)
		return a.faults[troubleTooLong]
	}
	if text := drop(1); !strings.Contains(text, "longer than 1500 octets") {
		t.Fatalf("%q", text)
	}
	events, end := l.a.Subscribe()
	defer end()
	mtu := a.host.mtu
	a.host.mtu += 100
	for tick := range doorsLate {
		if text := drop(2 + tick); text != "" {
			t.Errorf("%d ticks after the MTU was raised: %q", tick, text)
		}
	}
	l.told(events, model.EventNotice, "frames of this length fit now: the MTU is ")
	a.host.mtu, a.far.MTU = mtu, mtu+500
	if text := qdiscText(a, nil); !strings.Contains(text, "somebody has raised the MTU of ") {
		t.Errorf("the host's end has a larger MTU: %q", text)
	}
	a.far.MTU = mtu
	if text := drop(2 + doorsLate); text == "" {
		t.Error("the MTU was lowered, frames are dropped again, and nothing says so")
	}
	a.device.RxTooLong = 0
}

// A host that sends although its carrier was taken is not told to wait for the daemon.
func TestHostSendsWithoutItsCarrier(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	a := l.a.owner("ea")
	l.must(a.host.owned.TakeCarrier())
	if text := hostQueueText(a, nil); !strings.Contains(text, "has no carrier (link_loss: forward)") {
		t.Error(text)
	}
}

// Frames that a door drops are sent again only where LLR is on in their direction.
func TestDoorsOfALinkWithLLRInOneDirection(t *testing.T) {
	const again = "LLR sends them again"
	for _, c := range []struct {
		name          string
		llr           model.LLRSettings
		received, out bool
	}{
		{"both", model.LLRSettings{Mode: model.LLRStatic, Local: true, Remote: true}, true, true},
		{"received only", model.LLRSettings{Mode: model.LLRStatic, Local: true}, true, false},
		{"sent only", model.LLRSettings{Mode: model.LLRStatic, Remote: true}, false, true},
		{"neither", model.LLRSettings{Mode: model.LLRStatic}, false, false},
		{"off", model.LLRSettings{Local: true, Remote: true}, false, false},
	} {
		a := &attachment{settings: model.PortSettings{Role: model.RoleLink, LLR: c.llr}}
		if text := ringText(a, nil); strings.Contains(text, again) != c.received {
			t.Errorf("%s: %q", c.name, text)
		}
		if text := driverText(a, nil); strings.Contains(text, again) != c.out {
			t.Errorf("%s: %q", c.name, text)
		}
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
	const said = "frames of the host are longer than 1486 octets and a VLAN tag"
	const do = "lower the MTU of those who send them"
	// Another fault may follow: what the kernel says of itself by IPv6 comes in as well, and the link may not carry yet.
	if fault, _, _ := strings.Cut(s.Fault, "; "); !strings.HasPrefix(fault, said) || !strings.HasSuffix(fault, do) {
		t.Errorf("fault %q", s.Fault)
	}
}
