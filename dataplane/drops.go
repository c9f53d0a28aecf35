package dataplane

import (
	"time"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/trouble"
	"uelink/dataplane/xsk"
)

// deviceCounters returns the kernel's counters of an interface.
func deviceCounters(nl *netlink.LinkAttrs) (c model.DeviceCounters) {
	if s := nl.Statistics; s != nil {
		c = model.DeviceCounters{RxMissed: s.RxMissedErrors, TxErrors: s.TxErrors, TxDropped: s.TxDropped}
	}
	return c
}

// counted returns the kernel's counters of a port's AF_XDP sockets, since the port was added.
func (a *attachment) counted() frame.Stats {
	sum := a.past
	if a.host != nil {
		sum.Add(a.host.stats())
	}
	return sum
}

// readDevice copies the interface's counters from nl, and those of the host's end of a veth at its last reading, into
// the port.
func (a *attachment) readDevice(nl *netlink.LinkAttrs) {
	f := &a.far
	a.device = deviceCounters(nl)
	a.device.HostTxDropped, a.device.HostQdiscDropped, a.device.RxTooLong = f.txDropped, f.qdiscDropped, f.tooLong
}

// beginDrops takes the present counts of frames dropped by the kernel at a newly attached interface as the start,
// so that only later drops are reported.
func (a *attachment) beginDrops() {
	a.far.read(a)
	a.readDevice(a.host.owned.Link().Attrs())
	a.baseline.DeviceCounters = a.device
	a.monitor.SkipDrops(&trouble.Counters{Stats: a.counted(), DeviceCounters: a.device})
}

// checkDrops reports a trouble for each place in the kernel (ring, driver, veth) that begins to drop frames of a
// port, and its end.
func (s survey) checkDrops() {
	s.port.monitor.CheckDrops(s.port.drops(), s.tick, time.Now())
	s.group.publishTroubles(s.port)
	s.port.far.changed = false
}

// drops returns the facts about the frames that the kernel drops at a port.
func (a *attachment) drops() *trouble.Drops {
	return &trouble.Drops{
		Counters: trouble.Counters{Stats: a.counted(), DeviceCounters: a.device},
		Settings: &a.settings, Interface: a.ifname(), MTU: a.host.mtu, Pieces: a.host.pieces, Bound: xsk.BoundedQueue,
		Host: a.far.facts(), NoCarrier: a.host.owned.TakesCarrier(), PushChanged: a.far.changed,
	}
}
