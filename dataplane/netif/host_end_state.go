package netif

import (
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/internal/dump"
)

// HostEndState is the state of the other end of a veth, which the host uses.
type HostEndState struct {
	Name       string
	Up         bool
	Qdisc      string // kind of the root queueing discipline, "noqueue" for none
	Ours       bool   // the discipline is the one that PushBack adds
	Cuts       bool   // Ours, and the discipline cuts packets of TCP into frames
	Backlog    int    // frames in the discipline
	Sent       uint32 // frames that the discipline has handed on, modulo 2^32
	QdiscDrops uint64 // frames dropped by the discipline, and by earlier disciplines of the interface
	TxDropped  uint64 // frames dropped by the driver of the veth
	Segments   int    // gso_max_segs
	MTU        int
	index      int
	queues     int // TX queues in use
}

// dropped returns how many frames sent by the host were dropped at its end of the veth, by the queueing discipline or
// the driver.
func (e *HostEndState) dropped() uint64 { return e.QdiscDrops + e.TxDropped }

// Outpaces reports whether the discipline has handed on, since an earlier state, at least as many frames as wait now:
// the waiting frames will then leave within as much time.
func (e *HostEndState) Outpaces(earlier *HostEndState) bool {
	return int64(e.Sent-earlier.Sent) >= int64(e.Backlog)
}

// readHostEnd returns the state of the host's end of a veth, an interface of the calling thread's network namespace:
// queues, queueing discipline, gso_max_segs and drops.
func readHostEnd(ifname string) (e HostEndState, err error) {
	nl, err := netlink.LinkByName(ifname)
	if err != nil {
		return e, err
	}
	a := nl.Attrs()
	e = HostEndState{Name: a.Name, Up: a.RawFlags&unix.IFF_UP != 0, Qdisc: noQdisc, Segments: int(a.GSOMaxSegs),
		MTU: a.MTU, index: a.Index}
	if a.Statistics != nil {
		e.TxDropped = a.Statistics.TxDropped
	}
	if _, e.queues, err = channels(ifname); err != nil {
		return e, err
	}
	all, err := dump.All(func() ([]netlink.Qdisc, error) { return netlink.QdiscList(nl) })
	if err != nil {
		return e, fmt.Errorf("list the queueing disciplines of %s: %w", ifname, err)
	}
	for _, q := range all {
		e.Cuts = e.Cuts || q.Type() == cutting
		if q.Attrs().Parent == netlink.HANDLE_ROOT {
			e.Qdisc, e.Ours = q.Type(), q.Attrs().Handle == hostHandle
			if s := q.Attrs().Statistics; s != nil && s.Queue != nil && s.Basic != nil {
				e.Backlog, e.QdiscDrops, e.Sent = int(s.Queue.Qlen), uint64(s.Queue.Drops), s.Basic.Packets
			}
		}
	}
	e.Cuts = e.Cuts && e.Ours
	return e, nil
}

// qdiscDrops counts the frames dropped by all queueing disciplines that an interface has had, one after the other: the
// kernel's counter begins at 0 with each.
type qdiscDrops struct {
	past uint64 // by earlier disciplines
	last uint64 // by the present discipline, at the last look
}

// look returns the number of all dropped frames; the present discipline has dropped n.
func (d *qdiscDrops) look(n uint64) uint64 {
	if n < d.last { // another discipline
		d.past += d.last
	}
	d.last = n
	return d.past + n
}

// end counts the frames dropped by a discipline that has been deleted, n.
func (d *qdiscDrops) end(n uint64) { d.past, d.last = d.past+n, 0 }
