package path

import "uelink/wire"

// sendPlain copies a frame to an edge port's next TX slot and posts the slot, and returns whether the frame was sent,
// must wait or was dropped. A frame too long for the port is dropped and counted at from, the ingress. The source
// address is compared with the host's (twin).
func (p *Port) sendPlain(carried []byte, from *Port) outcome {
	switch {
	case p.Suspended:
		return waits
	case !p.Ready():
		p.Counters.TxDropDown++
		return dropped
	case len(carried) > p.iface.maxFrame:
		from.Counters.RxOversized++
		return dropped
	case p.txRoom() == 0:
		p.blocked = true
		return waits
	}
	slot, chunk := p.slot()
	p.Slots.state[slot].len = uint32(copy(chunk, carried))
	p.findings.twin.look(chunk)
	p.post(slot)
	return sent
}

// chunk returns the next TX slot of an edge port for a frame of n octets of a traffic class from a link, or nil if
// the frame cannot leave at once. The frame is copied to the slot before LLR decides whether to deliver the frame.
func (p *Port) chunk(n int, class uint8) []byte {
	if p.link != nil || !p.egress.free(p.queueOf(class)) || p.egress.shaped || !p.Ready() || n > p.iface.maxFrame ||
		p.txRoom() == 0 {
		return nil
	}
	_, chunk := p.next()
	return chunk
}

// emit posts the slot that chunk has returned, with a frame of n octets in it, for sending.
func (p *Port) emit(n int, queue uint8) {
	slot, chunk := p.slot()
	p.Slots.state[slot].len = uint32(n)
	p.findings.twin.look(chunk)
	p.post(slot)
	p.egress.counters[queue].Sent(n)
}

// twin counts frames to the host of an edge that come from the host's own address: another host has the same one, or a
// switch beyond the link sends frames back.
type twin struct {
	host   wire.MAC // zero: not known
	frames uint64
}

// look counts a frame that leaves for the host, if its source is the host's own address.
func (t *twin) look(f []byte) {
	if wire.MAC(f[wire.AddrLen:wire.AddressesLen]) == t.host {
		t.frames++
	}
}

// SetHost sets the address of the host behind an edge, zero if it is not known, and returns how many frames to the
// host have come from its own address. Only the worker may call it.
func (p *Port) SetHost(mac wire.MAC) (frames uint64) {
	p.findings.twin.host = mac
	return p.findings.twin.frames
}
