package dataplane

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/dataplane/vnet"
	"uelink/wire"
)

// edge returns the attachment of port ea, and its group.
func (l *linkBed) edge() (g *group, a *attachment) {
	for _, g := range l.a.groups {
		for _, a := range g.members {
			if a.settings.Name == "ea" {
				return g, a
			}
		}
	}
	l.t.Fatal("there is no port ea")
	return nil, nil
}

// looks makes the data plane look at its interfaces as in a number of seconds.
func (l *linkBed) looks(seconds int) {
	for range seconds {
		l.a.survey(surveyEvery)
	}
}

// without demands that edge ea takes no super-frames, and shows a reason with these words, and that frames cross.
func (l *linkBed) without(want model.SuperState, words string) {
	l.t.Helper()
	s := l.state(l.a, "ea")
	if s.Sockets.Super != want || !strings.Contains(s.Sockets.SuperWhy, words) ||
		(s.Fault != "") != (want == model.SuperFailed) {
		l.t.Errorf("super-frames are %s (%s), fault %q; want %s with %q", s.Sockets.Super, s.Sockets.SuperWhy, s.Fault, want,
			words)
	}
	l.crosses()
}

// crosses demands that frames cross, once and in order.
func (l *linkBed) crosses() {
	l.t.Helper()
	l.sent = 0
	l.send(20)
	l.whole()
	l.sent = 0
}

// A slot of the ring that the kernel never fills ends super-frames: the kernel counts what it drops, frames cross
// without super-frames, and these begin again later, each time after twice the time.
func TestSlotThatTheKernelNeverFills(t *testing.T) {
	l := superBed(t)
	g, a := l.edge()
	for _, wait := range []int{superRetry, 2 * superRetry} {
		l.takesSuper(l.a, "ea", model.SuperOn)
		l.crosses()
		l.looks(1)
		var read uint64
		g.worker.Do(func(wire.Time) { read, _ = a.host.super.Progress() })
		l.stick(a.super.socket, int(read))
		before := l.state(l.a, "ea").Sockets.Stats.RxSuperNoRoom
		l.send(10)
		l.looks(2)
		l.without(model.SuperFailed, "the kernel drops all frames")
		s := l.state(l.a, "ea")
		if n := s.Sockets.Stats.RxSuperNoRoom - before; n != 10 || s.NoticeReason != model.NoticeSuper {
			t.Errorf("%d of 10 frames are counted, notice %q", n, s.Notice)
		}
		l.looks(wait/surveyEvery - 2)
		l.without(model.SuperFailed, "the kernel drops all frames")
		l.looks(1)
	}
	l.takesSuper(l.a, "ea", model.SuperOn)
	l.crosses()
	l.looks(2*superRetry/surveyEvery + 1)
	if a.super.wait != 0 {
		t.Errorf("after a time without trouble the next attempt comes after %d ticks", a.super.wait)
	}
}

// stick makes a slot of the ring of a packet socket look to the kernel as if it were in use, as a frame does that no
// virtio_net_hdr describes.
func (l *linkBed) stick(s *vnet.Socket, slot int) {
	l.t.Helper()
	const slots, slotLen = 8192, 2048
	ring, err := unix.Mmap(s.FD(), 0, slots*slotLen, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	l.must(err)
	binary.NativeEndian.PutUint32(ring[slot%slots*slotLen:], unix.TP_STATUS_LOSING)
	l.must(unix.Munmap(ring))
}

// The receive buffers of all edges together have a bound, and an edge beyond it shows so.
func TestBoundOfEdgesWithSuperFrames(t *testing.T) {
	l := superBed(t)
	l.must(l.a.Reload(l.a.changed(func(_, edge *model.PortSettings) { edge.Offload = model.OffloadOff })))
	if l.a.supers.octets != 0 {
		t.Errorf("without super-frames %d octets are in use", l.a.supers.octets)
	}
	l.a.supers.octets = mostSuperRoom - vnet.WantedRoom + 1
	l.must(l.a.Reload(l.a.changed(func(_, edge *model.PortSettings) { edge.Offload = model.OffloadAuto })))
	l.without(model.SuperOff, "16 other edges take super-frames")
	l.a.supers.octets = 0
	l.looks(superRetry / surveyEvery)
	l.takesSuper(l.a, "ea", model.SuperOn)
}

// An XDP program at the host's end takes frames one by one: the edge is back to frames within a second, without a
// problem with auto, and takes super-frames again when the program has gone.
func TestProgramAtTheHostsEnd(t *testing.T) {
	l := superBed(t)
	l.must(l.a.Reload(l.a.changed(func(_, edge *model.PortSettings) { edge.Offload = model.OffloadAuto })))
	l.takesSuper(l.a, "ea", model.SuperOn)
	steered := bpf.Config{Native: attach.NativePass, Link: true}
	passes, err := bpf.Attach(l.link("ha").Attrs().Index, steered, attach.ModeDriver)
	l.must(err)
	l.looks(1)
	l.without(model.SuperOff, "an XDP program is at the other end")
	l.looks(superRetry / surveyEvery)
	l.without(model.SuperOff, "an XDP program is at the other end")
	l.must(passes.Close())
	l.looks(superRetry / surveyEvery)
	l.takesSuper(l.a, "ea", model.SuperOn)
	l.crosses()
}

// Sockets that were opened without places for super-frames, as by a release before or while the edge pushed back, are
// opened again.
func TestSocketsWithoutPlaces(t *testing.T) {
	l := superBed(t)
	l.must(l.a.Reload(l.a.changed(func(_, edge *model.PortSettings) {
		edge.PushBack, edge.Offload, edge.RxRingSize = model.PushBackOn, model.OffloadAuto, 512
	})))
	l.without(model.SuperOff, "the edge pushes back")
	l.must(l.a.Reload(l.a.changed(func(_, edge *model.PortSettings) { edge.PushBack = model.PushBackOff })))
	l.takesSuper(l.a, "ea", model.SuperOn)
	l.crosses()
}

// With an MTU whose frames take several chunks there are no super-frames, and with a smaller one there are again.
func TestJumboFramesInsteadOfSuperFrames(t *testing.T) {
	l := superBed(t)
	l.must(l.a.Reload(l.a.changed(func(_, edge *model.PortSettings) { edge.Offload = model.OffloadAuto })))
	for _, end := range []string{"ha", "ea"} {
		l.must(netlink.LinkSetMTU(l.link(end), 9000))
	}
	l.a.reconcile()
	if s := l.state(l.a, "ea").Sockets; s.Super == model.SuperOn || !strings.Contains(s.SuperWhy, "several chunks") {
		t.Errorf("super-frames are %s (%s)", s.Super, s.SuperWhy)
	}
	l.crosses()
}

// An edge with super-frames follows its MTU, and leaves the host's end of the veth as it is: with a queueing
// discipline, as push back has it, the host would send no super-frames any more.
func TestMTUOfAnEdgeWithSuperFrames(t *testing.T) {
	l := superBed(t)
	before := l.link("ha").Attrs()
	for _, c := range []struct {
		end string
		mtu int
	}{{"ea", 1504}, {"ea", 1500}, {"ha", 1400}, {"ha", 1500}} {
		l.must(netlink.LinkSetMTU(l.link(c.end), c.mtu))
		l.a.reconcile()
		l.looks(1)
		l.takesSuper(l.a, "ea", model.SuperOn)
		after := l.link("ha").Attrs()
		list, err := netlink.QdiscList(l.link("ha"))
		l.must(err)
		for _, q := range list {
			if q.Type() != "noqueue" {
				t.Errorf("%+v: the host's end has a queueing discipline %s", c, q.Type())
			}
		}
		if after.GSOMaxSegs != before.GSOMaxSegs {
			t.Errorf("%+v: gso_max_segs is %d, was %d", c, after.GSOMaxSegs, before.GSOMaxSegs)
		}
		l.crosses()
	}
}
