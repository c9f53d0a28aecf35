package dataplane

import (
	"time"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/trouble"
	"uelink/dataplane/xsk"
)

// counts is the counts of a port that its worker does not have.
type counts struct {
	past       frame.Stats          // kernel counts of sockets already closed
	baseline   trouble.Counters     // kernel counts when the counters were cleared, or the interface was attached
	device     model.DeviceCounters // at the last tick of the watch
	unsocketed uint64               // the XDP program's count of frames without a socket, when the counters were cleared
	kicked     uint64               // system calls of the worker on the sockets, when the counters were cleared
	closed     bool                 // frames of the host go to the kernel: the daemon ends
	untaken    uint64               // noSocket when closed was set, less the counts cleared since
}

// deviceCounters returns the kernel's counters of an interface.
func deviceCounters(nl *netlink.LinkAttrs) (c model.DeviceCounters) {
	if s := nl.Statistics; s != nil {
		c = model.DeviceCounters{RxMissed: s.RxMissedErrors, TxErrors: s.TxErrors, TxDropped: s.TxDropped}
	}
	return c
}

// counted returns the kernel's counters of a port's AF_XDP sockets, since the port was added.
func (a *attachment) counted() frame.Stats {
	sum := a.counts.past
	if a.host != nil {
		sum.Add(a.host.stats())
	}
	return sum
}

// readDevice copies the interface's counters from nl, and those of the host's end of a veth at its last reading, into
// the port.
func (a *attachment) readDevice(nl *netlink.LinkAttrs) {
	c := deviceCounters(nl)
	c.HostTxDropped, c.HostQdiscDropped, c.RxTooLong = a.far.txDropped, a.far.qdiscDropped, a.far.tooLong
	a.counts.device = c
}

// beginDrops takes the present counts of frames dropped by the kernel at a newly attached interface as the start,
// so that only later drops are reported.
func (a *attachment) beginDrops() {
	a.far.read(a)
	a.readDevice(a.host.owned.Link().Attrs())
	a.counts.baseline.DeviceCounters = a.counts.device
	a.monitor.SkipDrops(&trouble.Counters{Stats: a.counted(), DeviceCounters: a.counts.device})
}

// checkDrops reports a trouble for each place in the kernel (ring, driver, veth) that begins to drop frames of a
// port, and its end.
func (s survey) checkDrops() {
	s.member.monitor.CheckDrops(s.member.drops(), s.tick, time.Now())
	s.group.publishTroubles(s.member)
	s.member.far.changed = false
}

// drops returns the facts about the frames that the kernel drops at a port.
func (a *attachment) drops() *trouble.Drops {
	return &trouble.Drops{
		Counters: trouble.Counters{Stats: a.counted(), DeviceCounters: a.counts.device},
		Settings: &a.settings, Interface: a.ifname(), MTU: a.host.mtu, Pieces: a.host.pieces, Bound: xsk.BoundedQueue,
		Host: a.far.facts(), NoCarrier: a.host.owned.TakesCarrier(), PushChanged: a.far.changed,
	}
}

// noSocket returns the number of received frames lost because the XDP program found no socket for them, without
// those before the last clearing; 0 if the program's counters cannot be read.
func (a *attachment) noSocket() uint64 {
	if c, err := a.host.program.Counters(); err == nil {
		return c.NoSocket - a.counts.unsocketed
	}
	return 0
}

// correctLost corrects the count of lost frames after the sockets of a port were reopened: caught frames are not lost.
// before is noSocket before the reopening, n the number of caught frames, missed the number of frames for which the
// packet socket had no room.
func (a *attachment) correctLost(before, n, missed uint64) {
	came := a.noSocket() - before // frames that the program has passed to the kernel, and so to the packet socket
	// Lost are those that were not caught, at least the missed ones; all others are taken out of the count.
	a.counts.unsocketed += came - max(came-min(n, came), missed)
}

// diverted returns how many frames of an edge port's host went to the kernel since endIntake; 0 before endIntake.
func (a *attachment) diverted() uint64 {
	if !a.counts.closed {
		return 0
	}
	return a.noSocket() - a.counts.untaken
}
