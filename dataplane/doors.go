package dataplane

import (
	"fmt"
	"strings"
	"time"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/xsk"
	"uelink/wire"
)

// door is one place where the kernel drops frames of a port, before the worker receives them or after the worker has
// sent them.
type door struct {
	is    trouble
	count func(c *kernelCounters) uint64
	text  func(a *attachment, c *kernelCounters) string // the event, its likely cause, and the cure
}

// doors returns the places where the kernel may drop frames of a port, each with its counter and the text of its
// problem.
func doors() []door {
	return []door{
		{troubleRing, func(c *kernelCounters) uint64 { return c.RxRingFull }, ringText},
		{troubleChunks, func(c *kernelCounters) uint64 { return c.RxDropped }, chunksText},
		{troublePieces, func(c *kernelCounters) uint64 { return c.RxPiecesTooLong }, longText},
		{troublePlaces, func(c *kernelCounters) uint64 { return c.RxPiecesNoPlace }, placesText},
		{troubleMissed, func(c *kernelCounters) uint64 { return c.RxMissed }, missedText},
		{troubleHostEnd, func(c *kernelCounters) uint64 { return c.HostTxDropped }, hostQueueText},
		{troubleQdisc, func(c *kernelCounters) uint64 { return c.HostQdiscDropped }, qdiscText},
		{troubleSuperRoom, func(c *kernelCounters) uint64 { return c.RxSuperNoRoom }, superRoomText},
		{troubleSuperLost, func(c *kernelCounters) uint64 { return c.RxSuperMalformed + c.TxSuperRefused }, superLostText},
		{troubleTooLong, func(c *kernelCounters) uint64 { return c.RxTooLong }, tooLongText},
		{troubleDriver, func(c *kernelCounters) uint64 { return c.TxErrors + c.DeviceCounters.TxDropped }, driverText},
		{troubleDescs, func(c *kernelCounters) uint64 { return c.RxInvalidDescs + c.TxInvalidDescs }, descsText},
	}
}

// doorsQuiet is the number of ticks of the watch without a dropped frame that end the problem of a door: 10 s. After
// doorsPause without one, the problem says when the last was dropped.
const (
	doorsQuiet = 40
	doorsPause = 4
)

// doorsLate is the number of ticks for which drops of frames too long for an MTU may be counted after the MTU was
// raised.
const doorsLate = 8

// byLength reports whether a door drops the frames that are longer than an MTU. The queueing discipline of a host does
// so, too: one that shapes takes no frame longer than its MTU.
func (d *door) byLength() bool {
	return d.is == troublePieces || d.is == troubleTooLong || d.is == troubleQdisc
}

// lengths is the MTUs of the two ends of an interface, as far as they are known, and the tick at which longer frames
// began to fit.
type lengths struct{ near, far, fitAt int }

// see records the MTUs at a tick.
func (l *lengths) see(near, far, tick int) {
	if l.near != 0 && (near > l.near || far < l.far) {
		l.fitAt = tick
	}
	l.near, l.far = near, far
}

// counted returns the kernel's counters of a port's AF_XDP sockets, since the port was added.
func (a *attachment) counted() frame.Stats {
	sum := a.past
	if a.host != nil {
		sum.Add(a.host.stats())
	}
	return sum
}

// lookAtDevice copies the interface's counters from nl, and those of the host's end of a veth from the last look at it,
// into the port.
func (a *attachment) lookAtDevice(nl *netlink.LinkAttrs) {
	f := &a.far
	a.device = deviceCounters(nl)
	a.device.HostTxDropped, a.device.HostQdiscDropped, a.device.RxTooLong = f.txDropped, f.qdiscDropped, f.tooLong
}

// beginDoors takes the present counts of frames dropped by the kernel at a newly attached interface as the start,
// so that only later drops are reported.
func (a *attachment) beginDoors() {
	a.lookAtHostEnd()
	a.lookAtDevice(a.host.owned.Link().Attrs())
	a.baseline.DeviceCounters = a.device
	c := kernelCounters{a.counted(), a.device}
	for _, door := range doors() {
		a.doors[door.is].Seen = door.count(&c)
	}
}

// surveyDoors reports a problem for each place in the kernel (ring, driver, veth) that begins to drop frames of a
// port, and the end of the problem after doorsQuiet without a drop. tick is the present time in ticks.
func (g *group) surveyDoors(a *attachment, tick int) {
	c := kernelCounters{a.counted(), a.device}
	a.lengths.see(a.host.mtu, a.far.MTU, tick)
	for _, door := range doors() {
		d := &a.doors[door.is]
		if a.lengths.fitAt > 0 && tick-a.lengths.fitAt < doorsLate && door.byLength() {
			d.Settle(door.count(&c))
			g.over(a, door.is, fmt.Sprintf("frames of this length fit now: the MTU is %d; %d were dropped", a.host.mtu,
				d.Lost()))
			continue
		}
		began := d.Update(door.count(&c), int64(tick), doorsQuiet)
		switch {
		case began:
			g.trouble(a, door.is, door.text(a, &c))
		case !d.Now && a.faults[door.is] != "":
			g.over(a, door.is, fmt.Sprintf("no more frames are dropped as before; %d were", d.Lost()))
		case d.Now:
			a.faults[door.is] = untilNow(a.faults[door.is], d.Quiet(int64(tick)))
		}
	}
	a.exchanged = false
}

// lastDropped begins the end of the text of a problem whose frames are not dropped now.
const lastDropped = "; none is dropped now, the last was at "

// untilNow returns the text of a door's problem, which says when the last frame was dropped if that is a while ago:
// quiet ticks of the watch.
func untilNow(text string, quiet int64) string {
	begin, _, past := strings.Cut(text, lastDropped)
	switch {
	case quiet < doorsPause:
		return begin
	case past:
		return text
	}
	last := time.Now().Add(-time.Duration(quiet) * reconcilePeriod)
	return begin + lastDropped + last.Format(time.TimeOnly)
}

// repaired returns "; LLR sends them again", for the problem text of dropped frames, if LLR repeats frames of the
// port; else "". on: LLR is on in the direction of the frames, LLR_MODE_LOCAL for received ones, LLR_MODE_REMOTE
// for those to be sent.
func repaired(s *model.PortSettings, on bool) string {
	if s.Protocol == model.HIPPI6400 {
		return "; the link sends them again"
	}
	if s.Role == model.RoleLink && s.LLR.Mode != model.LLROff && on {
		return "; LLR sends them again"
	}
	return ""
}

// ringText returns the problem text, with cause and cure, of frames dropped because the RX ring is full.
func ringText(a *attachment, _ *kernelCounters) string {
	s := &a.settings
	text := fmt.Sprintf("frames are dropped because the RX ring of %d entries is full (rx_ring_full)%s: they come in "+
		"longer bursts, or the daemon gets too little CPU: raise rx_ring_size, ", s.RxRing(), repaired(s, s.LLR.Local))
	if s.Role == model.RoleLink && s.Protocol == model.LLR {
		return text + "lower max_outstanding_frames of the partner's profile to less than it, or give the daemon a core"
	}
	return text + "bound the window of TCP at the host that receives (ip route change ... window N), or give the daemon " +
		"a core"
}

// chunksText returns the problem text, with cause and cure, of frames dropped because the kernel had no chunk for
// them.
func chunksText(a *attachment, c *kernelCounters) string {
	if c.RxFillRingEmpty == 0 && a.host.pieces == 1 {
		return longerText(a, "rx_dropped")
	}
	if c.RxQueueBounded > 0 {
		return fmt.Sprintf("frames are dropped because no chunk is free (rx_dropped): more arrive than the "+
			"daemon forwards, and then no more than %d wait (rx_queue_bounded), or too many wait to leave "+
			"elsewhere: give the daemon a core, have the host wait (push_back: on, for an edge on a veth), "+
			"or raise ring_size", xsk.BoundedQueue)
	}
	return fmt.Sprintf("frames are dropped because no chunk is free (rx_dropped)%s: too many wait to leave elsewhere, or "+
		"the daemon gets too little CPU: raise rx_ring_size and ring_size, or give the daemon a core",
		repaired(&a.settings, a.settings.LLR.Local))
}

// longText returns the problem text, with cause and cure, of dropped frames that are longer than the MTU.
func longText(a *attachment, _ *kernelCounters) string {
	return longerText(a, "rx_pieces_too_long")
}

// longerText returns the problem text of dropped frames that are longer than the MTU. A host puts several segments into
// a frame where its offload of segmentation is on, and the edge is in generic mode or on the tap of a virtual machine.
func longerText(a *attachment, counter string) string {
	text := fmt.Sprintf("frames come that are longer than the MTU of %d, and are dropped (%s): the other end of the wire "+
		"has a larger MTU: lower it there, or raise that of %s", a.host.mtu, counter, a.ifname())
	if a.settings.Role == model.RoleEdge && a.settings.Host == nil {
		text += "; or it puts several segments into a frame: ethtool -K IF tso off gso off there"
	}
	return text
}

// tooLongText returns the problem text, with cause and cure, of frames of the host that the kernel drops at the edge's
// end of a veth. A veth takes a frame of its MTU with one VLAN tag.
func tooLongText(a *attachment, _ *kernelCounters) string {
	name, mtu := a.settings.Interface, a.host.mtu
	const longer = "frames of the host are longer than %d octets and a VLAN tag, and the kernel drops them at %s " +
		"(rx_too_long): "
	switch {
	case a.settings.Host != nil, a.far.seen && a.far.MTU < mtu: // of a created veth the daemon sets the MTU
		return fmt.Sprintf(longer+"lower the MTU of those who send them", mtu, name)
	case a.far.seen && a.far.MTU == mtu:
		return fmt.Sprintf(longer+"full frames with two tags need 4 octets more, at the edge alone: ip link set dev %s "+
			"mtu %d, or lower the MTU of those who send them", mtu, name, name, mtu+wire.VLANTagLen)
	}
	return fmt.Sprintf("frames of the host are longer than the MTU of %s, %d, and the kernel drops them (rx_too_long): "+
		"raise it (ip link set dev %s mtu N), or lower that of the host", name, mtu, name)
}

// placesText returns the problem text, with cure, of dropped frames of several chunks for which no memory to join
// the chunks was free.
func placesText(*attachment, *kernelCounters) string {
	return "frames of several chunks come faster than they are worked, and are dropped (rx_pieces_no_place): raise " +
		"rx_ring_size"
}

// missedText returns the problem text, with cause and cure, of a NIC that drops received frames for want of
// memory.
func missedText(a *attachment, _ *kernelCounters) string {
	return fmt.Sprintf("the NIC drops frames for want of memory (rx_missed)%s: the kernel or the daemon gets too little "+
		"CPU: raise its RX ring (ethtool -G %s rx N) and rx_ring_size, or give the daemon a core",
		repaired(&a.settings, a.settings.LLR.Local), a.ifname())
}

// hostQueueText returns the problem text, with cause and cure, of a host whose end of the veth drops frames.
func hostQueueText(a *attachment, _ *kernelCounters) string {
	name := a.far.Name
	if a.host.owned.TakesCarrier() {
		return fmt.Sprintf("%s drops frames of the host (host_tx_dropped): the host sends although the interface has no "+
			"carrier (link_loss: forward)", name)
	}
	if a.exchanged {
		return fmt.Sprintf("%s dropped frames of the host (host_tx_dropped): those that the host sent in the moment in "+
			"which push_back changed its queueing discipline: change push_back when the host sends little", name)
	}
	return fmt.Sprintf("%s drops frames of the host (host_tx_dropped): a veth holds 256, and the kernel gets too little "+
		"CPU to hand them on: a queueing discipline has the host wait from Linux 6.16 on: set push_back: on for the edge, "+
		"or tc qdisc replace dev %s root pfifo limit 10000", name, name)
}

// qdiscText returns the problem text of a host whose queueing discipline drops frames.
func qdiscText(a *attachment, _ *kernelCounters) string {
	e := &a.far
	if a.exchanged {
		return fmt.Sprintf("%s dropped frames of the host (host_qdisc_dropped): those that the host sent while its queue "+
			"was emptied, before push_back took the queueing discipline away: change push_back when the host sends little",
			e.Name)
	}
	if e.MTU > a.host.mtu {
		return fmt.Sprintf("somebody has raised the MTU of %s, the host's end of the veth, to %d, and %s has %d: the "+
			"queueing discipline drops the host's longer frames (host_qdisc_dropped)", e.Name, e.MTU, a.ifname(), a.host.mtu)
	}
	return fmt.Sprintf("the queueing discipline of the host's end of the veth, %s, drops frames of the host "+
		"(host_qdisc_dropped): more senders than it has room for do not wait, such as many sockets of UDP: give it more "+
		"room (tc qdisc replace dev %[2]s root pfifo limit 100000), or give them smaller send buffers "+
		"(net.core.wmem_default)", e.Qdisc, e.Name)
}

// superRoomText returns the problem text, with cause and cure, of super-frames of the host for which there was no room.
func superRoomText(*attachment, *kernelCounters) string {
	return "super-frames of the host are dropped because no room is left (rx_super_no_room): UDP without a bound, or " +
		"more TCP than 64 MB hold, or the daemon gets too little CPU: set offload: off and push_back: on, bound the " +
		"senders, or give the daemon a core"
}

// superLostText returns the problem text, with cause and cure, of super-frames that cannot be cut, or that the host's
// kernel does not take.
func superLostText(*attachment, *kernelCounters) string {
	return "super-frames are dropped (rx_super_malformed, tx_super_refused): they are of a tunnel, or longer than the " +
		"MTU of the other end of the veth: give both ends the same MTU, or set offload: off"
}

// driverText returns the problem text of a driver that does not send frames.
func driverText(a *attachment, _ *kernelCounters) string {
	return fmt.Sprintf("the driver drops frames that leave (tx_errors, tx_dropped)%s: its queue is full, or the other "+
		"end of a veth takes none: see ip -s link show dev %s, and raise its TX ring (ethtool -G %[2]s tx N) or, at the "+
		"other end of a veth, the MTU, or give who reads it more CPU",
		repaired(&a.settings, a.settings.LLR.Remote), a.ifname())
}

// descsText returns the problem text, with cure, of AF_XDP descriptors that the kernel refuses.
func descsText(*attachment, *kernelCounters) string {
	return "the kernel refuses descriptors, and their frames are lost (rx_invalid_descs, tx_invalid_descs): that is an " +
		"error of uelink: restart uelinkd, and report it with the file that uelink support writes"
}
