package trouble

import (
	"fmt"

	"uelink/wire"
)

// tooLongText returns the text, with cause and cure, of frames of the host that the kernel drops at the edge's end of a
// veth because they are too long. A veth takes a frame of its MTU with one VLAN tag.
func tooLongText(f *Drops) string {
	name, mtu := f.Settings.Interface, f.MTU
	const longer = "frames of the host are longer than %d octets and a VLAN tag, and the kernel drops them at %s " +
		"(rx_too_long): "
	switch {
	case f.Settings.Host != nil, f.Host.Seen && f.Host.MTU < mtu: // of a created veth the daemon sets the MTU
		return fmt.Sprintf(longer+"lower the MTU of their senders", mtu, name)
	case f.Host.Seen && f.Host.MTU == mtu:
		return fmt.Sprintf(longer+"full frames with two tags need an MTU larger by 4, at the edge's end alone: ip link set "+
			"dev %s mtu %d, or lower the MTU of their senders", mtu, name, name, mtu+wire.VLANTagLen)
	}
	return fmt.Sprintf("frames of the host are longer than the MTU of %s, %d, and the kernel drops them (rx_too_long): "+
		"raise this MTU (ip link set dev %s mtu N), or lower the MTU of the host", name, mtu, name)
}

// hostTxText returns the text, with cause and cure, of a host whose end of the veth drops frames.
func hostTxText(f *Drops) string {
	name := f.Host.Name
	if f.NoCarrier {
		return fmt.Sprintf("%s drops frames of the host (host_tx_dropped): the host sends although the interface has no "+
			"carrier (link_loss: forward)", name)
	}
	if f.PushChanged {
		return fmt.Sprintf("%s dropped frames of the host (host_tx_dropped): the host sent them while push_back changed "+
			"its queueing discipline: change push_back when the host sends little", name)
	}
	return fmt.Sprintf("%s drops frames of the host (host_tx_dropped): a veth holds 256 frames, and the kernel gets too "+
		"little CPU to pass them on. With a queueing discipline the host waits instead, from Linux 6.16 on: set push_back: "+
		"on for the edge, or type at the host: tc qdisc replace dev %s root pfifo limit 10000", name, name)
}

// qdiscText returns the text, with cause and cure, of frames that the host's queueing discipline drops.
func qdiscText(f *Drops) string {
	e := &f.Host
	if f.PushChanged {
		return fmt.Sprintf("%s dropped frames of the host (host_qdisc_dropped): the host sent them while its queue was "+
			"emptied, before push_back removed the queueing discipline: change push_back when the host sends little",
			e.Name)
	}
	if e.MTU > f.MTU {
		return fmt.Sprintf("somebody has raised the MTU of %s, the host's end of the veth, to %d, and %s has %d: the "+
			"queueing discipline drops the host's longer frames (host_qdisc_dropped)", e.Name, e.MTU, f.Interface, f.MTU)
	}
	return fmt.Sprintf("the queueing discipline of the host's end of the veth, %s, drops frames of the host "+
		"(host_qdisc_dropped): it has too little room for all senders that do not wait, such as many sockets of UDP: give "+
		"the discipline more room (tc qdisc replace dev %[2]s root pfifo limit 100000), or the senders smaller send buffers "+
		"(net.core.wmem_default)", e.Qdisc, e.Name)
}

// superRoomText returns the text, with cause and cure, of super-frames of the host for which there was no room.
func superRoomText(*Drops) string {
	return "super-frames of the host are dropped because no room is left (rx_super_no_room): the host sends UDP without " +
		"a bound, or more TCP than 64 MB hold, or the daemon gets too little CPU: set offload: off and push_back: on, " +
		"bound the senders, or give the daemon a core"
}

// superLostText returns the text, with cause and cure, of super-frames that cannot be cut, or that the host's
// kernel does not take.
func superLostText(*Drops) string {
	return "super-frames are dropped (rx_super_malformed, tx_super_refused): they belong to a tunnel, or are longer " +
		"than the MTU of the other end of the veth: give both ends the same MTU, or set offload: off"
}
