package dataplane

import (
	"strings"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/ethtool"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/trouble"
)

// farEnd is the host's end of the veth of an edge port, at the last look, and the frames that the kernel has dropped
// between the host and the XDP program since the first look.
//
//	host ──► queueing discipline ──► host's end ──► MTU of the edge's end ──► ring ──► XDP program
//	           qdiscDropped           txDropped          tooLong
type farEnd struct {
	netif.HostEndState
	seen         bool
	near         *nearEnd // counts of the edge's end at the last look; nil: no look yet
	txDropped    uint64   // this count and the next two: see the drawing
	qdiscDropped uint64
	tooLong      uint64
	changed      bool // push_back has changed the host's end since the last check of drops
}

// facts returns the host's end of the veth for the checks of drops.
func (f *farEnd) facts() trouble.HostEnd {
	return trouble.HostEnd{Seen: f.seen, Name: f.Name, Qdisc: f.Qdisc, MTU: f.MTU}
}

// nearEnd holds counts of the edge's end of a veth.
type nearEnd struct {
	dropped uint64 // by the kernel before and behind the XDP program: frames too long, and frames that nobody takes
	passed  uint64 // by the XDP program to the kernel, where perhaps nobody takes them
}

// tooLong returns how many frames longer than the MTU were dropped between the counts old and n: the dropped frames
// less those that the XDP program has passed to the kernel, which may be among them.
func (n nearEnd) tooLong(old nearEnd) uint64 {
	dropped, passed := grown(old.dropped, n.dropped), grown(old.passed, n.passed)
	return dropped - min(dropped, passed)
}

// grown returns by how much a count has grown; one that has shrunk has begun again at 0.
func grown(old, now uint64) uint64 {
	if now < old {
		return now
	}
	return now - old
}

// read reads the counts of the veth of an edge port at both ends, and the state of the host's end, if that is
// within reach.
func (f *farEnd) read(a *attachment) {
	if a.host == nil || a.settings.Role != model.RoleEdge || !a.host.owned.IsVeth() {
		return
	}
	n := f.readNear(a)
	if e, err := a.host.owned.HostEnd().State(); err == nil {
		f.record(a, e, n)
	}
}

// readNear counts the frames that the kernel has dropped at the edge's end of a veth since the last look, because
// they were longer than its MTU, and returns their number.
func (f *farEnd) readNear(a *attachment) uint64 {
	n, err := a.host.nearEnd()
	if err != nil {
		return 0
	}
	tooLong := uint64(0)
	if f.near != nil {
		tooLong = n.tooLong(*f.near)
	}
	f.near = &n
	f.tooLong += tooLong
	a.counts.device.RxTooLong = f.tooLong
	return tooLong
}

// record records the state e of the host's end of the veth, and the frames dropped there since the last look. tooLong
// is the number of frames that the edge's end has refused since the last look: the host's end counts these, too, and
// record subtracts them. Frames dropped before the first look do not count.
func (f *farEnd) record(a *attachment, e netif.HostEndState, tooLong uint64) {
	if f.seen {
		dropped := grown(f.TxDropped, e.TxDropped)
		f.txDropped += dropped - min(dropped, tooLong)
		f.qdiscDropped += grown(f.QdiscDrops, e.QdiscDrops)
	}
	f.HostEndState, f.seen = e, true
	a.counts.device.HostTxDropped, a.counts.device.HostQdiscDropped = f.txDropped, f.qdiscDropped
}

// nearEnd reads the counts of the edge's end of a veth. The kernel's count of dropped frames includes frames that the
// driver could not give to a socket (rx_queue_N_drops). The socket counts these, too, so nearEnd subtracts them.
func (h *host) nearEnd() (n nearEnd, err error) {
	nl, err := netlink.LinkByIndex(h.ifindex)
	if err != nil {
		return n, err
	}
	c, err := ethtool.Open(nl.Attrs().Name)
	if err != nil {
		return n, err
	}
	defer c.Close()
	all, err := c.Statistics()
	if err != nil {
		return n, err
	}
	ours := uint64(0)
	for name, value := range all {
		if strings.HasPrefix(name, "rx_queue_") && strings.HasSuffix(name, "_drops") &&
			!strings.HasSuffix(name, "_xdp_drops") {
			ours += value
		}
	}
	program, err := h.program.Counters()
	if err != nil {
		return n, err
	}
	s := nl.Attrs().Statistics
	return nearEnd{dropped: s.RxDropped - min(s.RxDropped, ours), passed: program.LLDP + program.NoSocket}, nil
}

// surveyMTU reports a problem while the MTU of an edge on a veth and that of its host's end differ, so that the
// kernel drops the longer frames. An MTU of the edge that is larger by VLAN tags is right. The daemon itself sets the
// MTU of a veth that it has made.
func (f *farEnd) surveyMTU(g *group, a *attachment) {
	if a.settings.Role != model.RoleEdge || a.settings.Host != nil || !f.seen {
		return
	}
	a.monitor.CheckHostMTU(a.settings.Interface, a.host.mtu, f.facts())
	g.publishTroubles(a)
}
