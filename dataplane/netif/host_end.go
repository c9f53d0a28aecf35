package netif

import (
	"fmt"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// The changes at the host's end of a veth that pushes back.
const (
	// hostHandle is the handle of the queueing discipline, by which the process recognizes its own.
	hostHandle = 0x7565_0000
	// hostLimit is how many frames the discipline holds.
	hostLimit = 10000
	// hostSegments is gso_max_segs. With more, TCP sends segments again that were not lost; with fewer, TCP is slower.
	hostSegments = 16
)

// HostEnd is the state of the other end of a veth.
type HostEnd struct {
	Name       string
	Up         bool
	Qdisc      string // kind of the root queueing discipline, "noqueue" for none
	Ours       bool   // the discipline is the one that PushBack adds
	Backlog    int    // frames in the discipline
	QdiscDrops uint64 // by the discipline
	TxDropped  uint64 // by the veth
	Segments   int    // gso_max_segs
	index      int
	queues     int // TX queues in use
}

// dropped returns how many frames sent by the host were dropped at its end of the veth, by the queueing discipline or
// the driver.
func (e *HostEnd) dropped() uint64 { return e.QdiscDrops + e.TxDropped }

// readHostEnd returns the state of the host's end of a veth, an interface of the calling thread's network namespace:
// queues, queueing discipline, gso_max_segs and drops.
func readHostEnd(ifname string) (e HostEnd, err error) {
	nl, err := netlink.LinkByName(ifname)
	if err != nil {
		return e, err
	}
	a := nl.Attrs()
	e = HostEnd{Up: a.RawFlags&unix.IFF_UP != 0, Qdisc: noQdisc, Segments: int(a.GSOMaxSegs), Name: a.Name, index: a.Index}
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
		if q.Attrs().Parent == netlink.HANDLE_ROOT {
			e.Qdisc, e.Ours = q.Type(), q.Attrs().Handle == hostHandle
			if s := q.Attrs().Statistics; s != nil && s.Queue != nil {
				e.Backlog, e.QdiscDrops = int(s.Queue.Qlen), uint64(s.Queue.Drops)
			}
		}
	}
	return e, nil
}

// noQdisc is the kind of the kernel's discipline that holds no frame.
const noQdisc = "noqueue"

// HostEnd returns the state of the other end of the veth, which the host uses. If the network namespace of that end
// is out of reach, the error names the cure.
func (i *Interface) HostEnd() (e HostEnd, err error) {
	err = atPeer(i.index, func(ifname string) (err error) {
		e, err = readHostEnd(ifname)
		return err
	})
	return e, err
}

// addQdisc gives an interface a queueing discipline: a pfifo if it has one TX queue, else an mq with a pfifo for each
// of its queues.
func addQdisc(ifindex, queues int) error {
	if queues <= 1 {
		return replaceQdisc(ifindex, netlink.HANDLE_ROOT, hostHandle, "pfifo")
	}
	if err := replaceQdisc(ifindex, netlink.HANDLE_ROOT, hostHandle, "mq"); err != nil {
		return err
	}
	for q := range queues {
		if err := replaceQdisc(ifindex, hostHandle|uint32(q+1), 0, "pfifo"); err != nil {
			return err
		}
	}
	return nil
}

// replaceQdisc sets a queueing discipline of the given kind and handle below a parent on an interface, in place of
// any other.
func replaceQdisc(ifindex int, parent, handle uint32, kind string) error {
	r := nl.NewNetlinkRequest(unix.RTM_NEWQDISC, unix.NLM_F_CREATE|unix.NLM_F_REPLACE|unix.NLM_F_ACK)
	r.AddData(&nl.TcMsg{Family: nl.FAMILY_ALL, Ifindex: int32(ifindex), Parent: parent, Handle: handle})
	r.AddData(nl.NewRtAttr(nl.TCA_KIND, nl.ZeroTerminated(kind)))
	if kind == "pfifo" {
		r.AddData(nl.NewRtAttr(nl.TCA_OPTIONS, nl.Uint32Attr(hostLimit))) // struct tc_fifo_qopt
	}
	if _, err := r.Execute(unix.NETLINK_ROUTE, 0); err != nil {
		return fmt.Errorf("add the queueing discipline %s: %w", kind, err)
	}
	return nil
}

// changeHostEnd prepares the host's end of a veth, whose state is e, for push back: it adds a queueing discipline if
// there is none, and sets gso_max_segs. The previous values are recorded, to be restored later.
func (i *Interface) changeHostEnd(e HostEnd) error {
	return atPeer(i.index, func(string) error {
		end := &netlink.Device{LinkAttrs: netlink.LinkAttrs{Index: e.index}}
		if e.Qdisc == noQdisc {
			if err := i.write(func(r *record) { r.PeerQdisc = true }); err != nil {
				return err
			}
			if err := addQdisc(e.index, e.queues); err != nil {
				return err
			}
			i.logChanged(fmt.Sprintf("queueing discipline of the other end of the veth, %s: pfifo limit %d", e.Name, hostLimit))
		}
		if e.Segments == hostSegments {
			return nil
		}
		was := i.record.PeerSegments
		if err := i.write(func(r *record) { r.PeerSegments = was.changed(e.Segments, hostSegments) }); err != nil {
			return err
		}
		if err := netlink.LinkSetGSOMaxSegs(end, hostSegments); err != nil {
			return fmt.Errorf("set gso_max_segs: %w", err)
		}
		i.logChanged(fmt.Sprintf("gso_max_segs of the other end of the veth, %s: %d to %d", e.Name, e.Segments,
			hostSegments))
		return nil
	})
}

// drained is the longest wait for the frames in a queueing discipline that is to be deleted.
const drained = 100 * time.Millisecond

// putBackHostEnd removes the queueing discipline and restores gso_max_segs of the other end of the veth, where nobody
// has changed them since.
func (i *Interface) putBackHostEnd() {
	const what = "queueing discipline and gso_max_segs of the other end of the veth"
	err := atPeer(i.index, func(ifname string) error {
		e, err := readHostEnd(ifname)
		if err != nil {
			return err
		}
		if i.record.PeerQdisc {
			if err := i.putBackQdisc(e); err != nil {
				return err
			}
		}
		return i.putBackSegments(e)
	})
	if err != nil {
		i.logNotPutBack(what, err)
	}
}

func (i *Interface) putBackQdisc(e HostEnd) (err error) {
	for end := time.Now().Add(drained); e.Ours && e.Backlog > 0 && time.Now().Before(end); time.Sleep(drained / 100) {
		if e, err = readHostEnd(e.Name); err != nil {
			return err
		}
	}
	switch {
	case e.Ours:
		r := nl.NewNetlinkRequest(unix.RTM_DELQDISC, unix.NLM_F_ACK)
		r.AddData(&nl.TcMsg{Family: nl.FAMILY_ALL, Ifindex: int32(e.index), Parent: netlink.HANDLE_ROOT, Handle: hostHandle})
		if _, err := r.Execute(unix.NETLINK_ROUTE, 0); err != nil {
			return fmt.Errorf("delete the queueing discipline %s: %w", e.Qdisc, err)
		}
		i.logPutBack(fmt.Sprintf("queueing discipline of the other end of the veth, %s: none", e.Name))
	case e.Qdisc != noQdisc:
		i.logLeft(fmt.Sprintf("queueing discipline of %s is %s", e.Name, e.Qdisc))
	}
	i.record.PeerQdisc = false
	return nil
}

func (i *Interface) putBackSegments(e HostEnd) error {
	s := i.record.PeerSegments
	switch {
	case s == nil:
	case e.Segments == s.Set:
		end := &netlink.Device{LinkAttrs: netlink.LinkAttrs{Index: e.index}}
		if err := netlink.LinkSetGSOMaxSegs(end, s.Before); err != nil {
			return fmt.Errorf("set gso_max_segs: %w", err)
		}
		i.logPutBack(fmt.Sprintf("gso_max_segs of the other end of the veth, %s: %d to %d", e.Name, s.Set, s.Before))
	case e.Segments != s.Before:
		i.logLeft(fmt.Sprintf("gso_max_segs of %s is %d, was set to %d", e.Name, e.Segments, s.Set))
	}
	i.record.PeerSegments = nil
	return nil
}
