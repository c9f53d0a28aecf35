package netif

import (
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// hostSegments is gso_max_segs at the host's end of a veth that pushes back, where the queueing discipline does not cut
// packets of TCP into frames. With more segments, more frames overtake each other, and TCP sends them again though
// nothing was lost; with fewer, TCP is slower.
const hostSegments = 16

// HostEnd is the state of the other end of a veth.
type HostEnd struct {
	Name       string
	Up         bool
	Qdisc      string // kind of the root queueing discipline, "noqueue" for none
	Ours       bool   // the discipline is the one that PushBack adds
	Cuts       bool   // Ours, and the discipline cuts packets of TCP into frames
	Backlog    int    // frames in the discipline
	Sent       uint32 // frames that the discipline has handed on, modulo 2^32
	QdiscDrops uint64 // by the discipline, and by those that were there before
	TxDropped  uint64 // by the veth
	Segments   int    // gso_max_segs
	MTU        int
	index      int
	queues     int // TX queues in use
}

// dropped returns how many frames sent by the host were dropped at its end of the veth, by the queueing discipline or
// the driver.
func (e *HostEnd) dropped() uint64 { return e.QdiscDrops + e.TxDropped }

// Outpaces reports whether the frames in the discipline leave as soon as others have left since an earlier look: at
// least as many have left as wait now.
func (e *HostEnd) Outpaces(earlier *HostEnd) bool {
	return int64(e.Sent-earlier.Sent) >= int64(e.Backlog)
}

// readHostEnd returns the state of the host's end of a veth, an interface of the calling thread's network namespace:
// queues, queueing discipline, gso_max_segs and drops.
func readHostEnd(ifname string) (e HostEnd, err error) {
	nl, err := netlink.LinkByName(ifname)
	if err != nil {
		return e, err
	}
	a := nl.Attrs()
	e = HostEnd{Up: a.RawFlags&unix.IFF_UP != 0, Qdisc: noQdisc, Segments: int(a.GSOMaxSegs), Name: a.Name, MTU: a.MTU,
		index: a.Index}
	if a.Statistics != nil {
		e.TxDropped = a.Statistics.TxDropped
	}
	if _, e.queues, err = channels(ifname); err != nil {
		return e, err
	}
	all, err := netlink.QdiscList(nl)
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

// qdiscDrops counts the frames dropped by the queueing disciplines of an interface, one after the other: each begins
// at 0.
type qdiscDrops struct {
	past uint64 // by those that have gone
	last uint64 // by the present one, at the last look
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

// IsVeth reports whether the interface is a veth, so that it has a HostEnd.
func (i *Interface) IsVeth() bool { return i.link.Type() == "veth" }

// HostEnd returns the state of the other end of the veth, which the host uses. If the network namespace of that end
// is out of reach, the error names the cure.
func (i *Interface) HostEnd() (e HostEnd, err error) {
	err = atPeer(i.index, func(ifname string) (err error) {
		e, err = readHostEnd(ifname)
		return err
	})
	if err == nil {
		e.QdiscDrops = i.drops.look(e.QdiscDrops)
	}
	return e, err
}

// changeHostEnd prepares the host's end of a veth, whose state is e, for push back: it adds a queueing discipline if
// there is none, and sets gso_max_segs where the discipline does not cut packets of TCP into frames. The previous
// values are recorded, to be restored later.
func (i *Interface) changeHostEnd(e HostEnd) error {
	longest, err := i.longest(e)
	if err != nil {
		return err
	}
	at := i.peerAt()
	return atPeer(i.index, func(string) (err error) {
		end := &netlink.Device{LinkAttrs: netlink.LinkAttrs{Index: e.index}}
		switch {
		case e.Qdisc == noQdisc:
			if err := i.write(func(r *record) { r.PeerQdisc = true }); err != nil {
				return err
			}
			if e.Cuts, err = addQdisc(e.index, e.queues, longest); err != nil {
				return err
			}
			kind := "pfifo"
			if e.Cuts {
				kind = cutting
			}
			i.logChanged(fmt.Sprintf("queueing discipline of the other end of the veth, %s: %s", e.Name, kind))
		case e.Cuts:
			if err := i.setTap(e, longest, tapOpen); err != nil {
				return err
			}
		}
		i.cutAt, i.changedAt = longest, at
		if e.Cuts || e.Segments == hostSegments {
			return nil
		}
		old := i.record.PeerSegments
		if err := i.write(func(r *record) { r.PeerSegments = old.changed(e.Segments, hostSegments) }); err != nil {
			return err
		}
		if err := netlink.LinkSetGSOMaxSegs(end, hostSegments); err != nil {
			return fmt.Errorf("set gso_max_segs: %w", err)
		}
		i.logChanged(fmt.Sprintf("gso_max_segs of the other end of the veth, %s, from %d to %d", e.Name, e.Segments,
			hostSegments))
		return nil
	})
}

// longest returns the length of the longest frame that crosses the veth from the host's end e, in octets.
func (i *Interface) longest(e HostEnd) (int, error) {
	nl, err := netlink.LinkByIndex(i.index)
	if err != nil {
		return 0, err
	}
	return min(nl.Attrs().MTU, e.MTU) + taggedHeader, nil
}

// peerAt returns the ID of the network namespace that holds the other end of the veth; -1: the present namespace.
func (i *Interface) peerAt() int {
	if nl, err := netlink.LinkByIndex(i.index); err == nil {
		return nl.Attrs().NetNsID
	}
	return i.changedAt
}
