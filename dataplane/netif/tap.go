package netif

import (
	"time"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/dataplane/attach"
)

// When the XDP program leaves a veth, the kernel frees the frames in the ring of the veth, and nobody counts them. So
// before that, the discipline of the other end is shut, which keeps the frames with the host, and the ring is emptied.
// The next PushBack, or the end of push back, opens the discipline.

// setTap makes the queueing discipline of the other end of the veth, whose state is e and which this process has added,
// hand frames on as t says. longest is the length of the longest frame, octets. A pfifo (kernels without tbf) cannot
// be shut, and stays open.
func (i *Interface) setTap(e HostEnd, longest int, t tap) error {
	kind, options := cutting, cutAt(longest, t)
	if !e.Cuts {
		kind, options = uncutting, holds(hostLimit)
		if t == tapRefuses {
			options = holds(0)
		}
	}
	if err := addLeaves(e.index, e.queues, kind, options); err != nil {
		return err
	}
	if i.shut && t != tapShut {
		wake(e)
	}
	i.shut = t == tapShut && e.Cuts
	return nil
}

// wake makes the disciplines of an interface hand on their frames again after their rate was raised: the kernel looks
// at a tbf when its timer fires, which was set for the old rate, or when a frame enters. The frames that enter reach no
// socket; their ports spread them over the TX queues. After an error the host's next frame wakes the discipline.
func wake(e HostEnd) {
	for n := range uint16(attempts * e.queues) {
		_ = sendFrames(e.index, pumpFrame(1024+n, discard), 1)
	}
}

// received returns how many frames the kernel has taken from the ring of the veth.
func (i *Interface) received() uint64 {
	nl, err := netlink.LinkByIndex(i.index)
	if err != nil || nl.Attrs().Statistics == nil {
		return 0
	}
	return nl.Attrs().Statistics.RxPackets
}

// emptied is the longest wait for the frames in the ring of a veth to be received.
const emptied = 20 * time.Millisecond

// KeepWithHost makes the frames of the host stay in the queueing discipline of the other end of the veth, and waits
// until the ring of the veth is empty: the kernel frees the frames in it when the XDP program leaves. It ends the
// pumps, and leaves the changed settings at the host's end for the next PushBack. If the discipline is not this
// process's, or is a pfifo, or the veth has several queues, the host's frames go on coming, and a few may be lost: the
// frames by which pumps learn their queues do not pass frames that wait, but for one queue.
func (i *Interface) KeepWithHost() {
	if len(i.pumps) == 0 {
		return
	}
	err := atPeer(i.index, func(ifname string) error {
		e, err := readHostEnd(ifname)
		if err != nil || !e.Cuts || len(i.pumps) > 1 || e.queues > 1 {
			return err
		}
		longest, err := i.longest(e)
		if err != nil {
			return err
		}
		return i.setTap(e, longest, tapShut)
	})
	if err != nil {
		i.log.Warn("frames of the host in the ring of the veth may be lost", zap.Error(err))
	}
	i.emptyRing()
	i.endPumps()
}

// emptyRing asks for the frames in the ring of the veth until no more come: the kernel counts a frame as received when
// it leaves the ring.
func (i *Interface) emptyRing() {
	last := uint64(0)
	for end := time.Now().Add(emptied); time.Now().Before(end); time.Sleep(emptied / 100) {
		for range (vethRing + attach.MostAsked - 1) / attach.MostAsked {
			for _, p := range i.pumps {
				p.Ask()
			}
		}
		n := i.received()
		if n == last || !i.shut {
			return
		}
		last = n
	}
}
