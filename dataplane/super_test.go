package dataplane

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/wire"
)

// superBed is a linkBed whose edges take super-frames.
func superBed(t *testing.T) *linkBed {
	t.Helper()
	l := newLinkBed(t, func(lnk *model.PortSettings) { lnk.Offload = model.OffloadOn })
	l.must(unix.SetsockoptInt(int(l.to.Fd()), unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 16<<20)) // nobody reads during a flow
	l.must(unix.SetNonblock(int(l.to.Fd()), true))
	return l
}

// takesSuper demands the state of super-frames at an edge.
func (l *linkBed) takesSuper(d *Dataplane, port string, want model.SuperState) {
	l.t.Helper()
	if s := l.state(d, port).Sockets; s.Super != want {
		l.t.Errorf("%s: super-frames are %s (%s), want %s", port, s.Super, s.SuperWhy, want)
	}
}

// Super-frames begin and end by a reload, and whatever opens sockets ends them for a moment: no frame is lost, twice or
// out of order, at either end.
func TestSuperFramesBeginAndEndWithoutLoss(t *testing.T) {
	l := superBed(t)
	for _, d := range []*Dataplane{l.a, l.b} { // room for a second of the flow, which a busy machine may take to go on
		l.must(d.Reload(d.changed(func(lnk, edge *model.PortSettings) { lnk.RingSize, edge.RingSize = 1024, 1024 })))
	}
	for _, c := range []struct {
		name   string
		change func(lnk, edge *model.PortSettings)
		want   model.SuperState
	}{
		{"off", func(_, edge *model.PortSettings) { edge.Offload = model.OffloadOff }, model.SuperOff},
		{"on", func(_, edge *model.PortSettings) { edge.Offload = model.OffloadOn }, model.SuperOn},
		{"ring_size", func(_, edge *model.PortSettings) { edge.RingSize *= 2 }, model.SuperOn},
		{"a link's ring_size", func(lnk, _ *model.PortSettings) { lnk.RingSize *= 2 }, model.SuperOn},
		{"tx_path", func(_, edge *model.PortSettings) { edge.TxPath = attach.PathLive }, model.SuperFailed},
		{"tx_path: auto", func(_, edge *model.PortSettings) { edge.TxPath = attach.PathAuto }, model.SuperOn},
		{"nothing", func(_, _ *model.PortSettings) {}, model.SuperOn},
	} {
		for i, d := range []*Dataplane{l.a, l.b} {
			edge := []string{"ea", "eb"}[i]
			received := l.state(l.a, "ea").Counters.RxFrames
			end := l.flow()
			l.eventually("a flow", func() bool { return l.state(l.a, "ea").Counters.RxFrames > received+20 })
			l.must(d.Reload(d.changed(c.change)))
			l.takesSuper(d, edge, c.want)
			received = l.state(l.a, "ea").Counters.RxFrames
			l.eventually("the flow", func() bool { return l.state(l.a, "ea").Counters.RxFrames > received+20 })
			end()
			l.whole()
			l.sent = 0
		}
	}
}

// While an edge takes super-frames no XDP program is on its interface, and a filter keeps its network stack from the
// frames; afterwards it is the other way round.
func TestFilterIsThereWhileTheProgramIsNot(t *testing.T) {
	l := superBed(t)
	l.takesSuper(l.a, "ea", model.SuperOn)
	l.looks(1)
	if s := l.state(l.a, "ea").Sockets; !strings.HasPrefix(s.TxWhy, "offload: ") {
		t.Errorf("frames leave by %v: %s", s.TxPath, s.TxWhy)
	}
	program := func() bool { x := l.link("ea").Attrs().Xdp; return x != nil && x.Attached }
	if program() || !netif.Shielded(l.link("ea"), 0) {
		t.Errorf("with super-frames: program %v, filter %v", program(), netif.Shielded(l.link("ea"), 0))
	}
	l.must(l.a.Reload(l.a.changed(func(_, edge *model.PortSettings) { edge.Offload = model.OffloadOff })))
	if !program() || netif.Shielded(l.link("ea"), 0) {
		t.Errorf("without: program %v, filter %v", program(), netif.Shielded(l.link("ea"), 0))
	}
}

// Settings under which an edge cannot take super-frames are a problem of the port, which goes on without.
func TestSuperFramesThatCannotBe(t *testing.T) {
	l := superBed(t)
	l.must(l.a.Reload(l.a.changed(func(_, edge *model.PortSettings) {
		edge.PushBack, edge.RxRingSize = model.PushBackOn, 512
	})))
	st := l.state(l.a, "ea")
	if st.Sockets.Super != model.SuperFailed || st.Fault == "" {
		t.Errorf("super-frames are %s (%s), fault %q", st.Sockets.Super, st.Sockets.SuperWhy, st.Fault)
	}
	l.send(20)
	l.whole()
	l.must(l.a.Reload(l.a.changed(func(_, edge *model.PortSettings) { edge.Offload = model.OffloadAuto })))
	if st := l.state(l.a, "ea"); st.Sockets.Super != model.SuperOff || st.Sockets.SuperWhy == "" || st.Fault != "" {
		t.Errorf("auto: super-frames are %s (%s), fault %q", st.Sockets.Super, st.Sockets.SuperWhy, st.Fault)
	}
	l.must(l.a.Reload(l.a.changed(func(_, edge *model.PortSettings) { edge.PushBack = model.PushBackOff })))
	l.takesSuper(l.a, "ea", model.SuperOn)
}

// PFC of the host acts on an edge that takes super-frames, and LLDP of the host is not carried, as on other edges.
func TestControlFramesBesideSuperFrames(t *testing.T) {
	l := superBed(t)
	l.must(l.a.Reload(l.a.changed(func(_, edge *model.PortSettings) {
		edge.PFC = model.PFCSettings{Priorities: 1 << 3, XOff: 256, XOn: 128, Headroom: 4, Rate: 1e9}
	})))
	l.takesSuper(l.a, "ea", model.SuperOn)
	var f [wire.MinFrameLen]byte
	wire.PutPFC(f[:], wire.MAC{2}, wire.PFC{Enable: 1 << 3, Quanta: [wire.Priorities]uint16{3: 100}})
	_, err := unix.Write(l.from, f[:])
	l.must(err)
	l.eventually("a pause", func() bool { return l.state(l.a, "ea").PFC.Rx.Priority[3].RxPause == 1 })
	received := l.state(l.a, "ea").Counters.RxFrames
	lldp := append([]byte{0x01, 0x80, 0xc2, 0, 0, 0x0e, 2, 0, 0, 0, 0, 1, 0x88, 0xcc}, make([]byte, 46)...)
	_, err = unix.Write(l.from, lldp)
	l.must(err)
	l.send(20)
	l.whole()
	if n := l.state(l.a, "ea").Counters.RxFrames - received; n != 20 {
		t.Errorf("the edge has received %d frames, want 20 without LLDP", n)
	}
}
