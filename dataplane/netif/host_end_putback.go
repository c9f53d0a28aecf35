package netif

import (
	"fmt"
	"time"

	"github.com/vishvananda/netlink"
)

// drained is the longest wait for the frames in a queueing discipline that is to be deleted.
const drained = 100 * time.Millisecond

// putBackHostEnd removes the queueing discipline and restores gso_max_segs of the other end of the veth, where nobody
// has changed them since. An end moved into another network namespace has lost its discipline on the way.
func (i *Interface) putBackHostEnd() {
	const subject = "queueing discipline and gso_max_segs of the other end of the veth"
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
	switch {
	case err == nil:
	case i.cutAt > 0 && i.peerAt() != i.changedAt && i.record.PeerSegments == nil:
		i.record.PeerQdisc = false
	default:
		i.logNotPutBack(subject, err)
	}
}

// putBackQdisc deletes the queueing discipline of the other end of the veth, whose state is e, if it is this process's.
// First its frames leave. Where the host goes on sending, they never end: then the discipline refuses new frames, which
// it counts, until the others have left.
func (i *Interface) putBackQdisc(e HostEnd) (err error) {
	switch {
	case e.Ours:
		left, err := i.empty(e)
		if err != nil {
			return err
		}
		n, err := deleteQdisc(e.index, e.queues)
		if err != nil {
			return fmt.Errorf("delete the queueing discipline %s: %w", e.Qdisc, err)
		}
		i.drops.end(n + uint64(left))
		i.logPutBack(fmt.Sprintf("queueing discipline of the other end of the veth, %s: none", e.Name))
	case e.Qdisc != noQdisc:
		i.logLeft(fmt.Sprintf("queueing discipline of %s is %s", e.Name, e.Qdisc))
	}
	i.record.PeerQdisc = false
	return nil
}

// empty waits, for a bounded time, until the frames in the queueing discipline of the other end of the veth have left,
// and makes the discipline refuse new ones. It returns how many have not left by then, and are lost.
func (i *Interface) empty(e HostEnd) (left int, err error) {
	longest, err := i.longest(e)
	if err != nil {
		return 0, err
	}
	for _, t := range []tap{tapOpen, tapRefuses} {
		if err := i.setTap(e, longest, t); err != nil {
			return 0, err
		}
		for end := time.Now().Add(drained); ; time.Sleep(drained / 100) {
			now, err := readHostEnd(e.Name)
			if err != nil {
				return 0, err
			}
			if left = now.Backlog; left == 0 || time.Now().After(end) {
				break
			}
		}
	}
	return left, nil
}

// Stuck returns how many frames wait in this process's queueing discipline at the other end of the veth and would be
// lost by FreeHostEnd: those that leave too slowly for the time that FreeHostEnd gives them. It takes up to drained.
func (i *Interface) Stuck() (frames int) {
	first, err := i.HostEnd()
	if err != nil || !first.Ours {
		return 0
	}
	for end := time.Now().Add(drained); ; time.Sleep(drained / 20) {
		now, err := i.HostEnd()
		if err != nil || now.Outpaces(&first) {
			return 0
		}
		if time.Now().After(end) {
			return now.Backlog
		}
	}
}

// putBackSegments puts gso_max_segs of the other end of the veth back, unless somebody has changed it since.
func (i *Interface) putBackSegments(e HostEnd) error {
	s := i.record.PeerSegments
	switch {
	case s == nil:
	case e.Segments == s.Set:
		end := &netlink.Device{LinkAttrs: netlink.LinkAttrs{Index: e.index}}
		if err := netlink.LinkSetGSOMaxSegs(end, s.Before); err != nil {
			return fmt.Errorf("set gso_max_segs: %w", err)
		}
		i.logPutBack(fmt.Sprintf("gso_max_segs of the other end of the veth, %s, from %d to %d", e.Name, s.Set, s.Before))
	case e.Segments != s.Before:
		i.logLeft(fmt.Sprintf("gso_max_segs of %s is %d, was set to %d", e.Name, e.Segments, s.Set))
	}
	i.record.PeerSegments = nil
	return nil
}
