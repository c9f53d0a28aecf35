package path

import (
	"math/bits"

	"uelink/dataplane/frame"
	"uelink/hippi"
	"uelink/wire"
	"uelink/wire/micropacket"
)

// deliver receives frames of micropackets, and forwards the frames of the Messages that have arrived. It returns the
// number of both. It looks for such Messages in every round: a chunk may have become free, or a Link Reset may have cut
// a Message.
func (h *HIPPI) deliver(d *Domain, now wire.Time) (n int) {
	for _, s := range h.Port.inlets() {
		for heard, more := 0, true; more && heard < inARound; {
			limit := max(1, (inARound-heard)/h.perFrame())
			descs := h.Port.receive(s, limit)
			for i := range descs {
				s.fetchAhead(descs, i)
				micropackets, hearing := h.hear(s.area[descs[i].Addr:][:descs[i].Len], now)
				n += h.received(d, micropackets, hearing, now)
				heard += 1 + len(micropackets)/micropacket.Len
			}
			s.device.Recycle(descs)
			n += len(descs)
			more = len(descs) == limit
		}
	}
	return n + h.arrived(d, now)
}

// inARound is about how many micropackets are received in a round from one RX ring: half of those that can be under
// way. Then the ACK indications of a full window leave in two rounds, and both ends work at the same time: the partner
// sends again while this end handles the other half.
const inARound = (hippi.Sequences - 1) / 2

// received passes the micropackets of a frame to the machine, and forwards the frames of Messages that have arrived.
// hearing says which of the micropackets count. received returns the number of forwarded frames. A Message gets a chunk
// before its second micropacket comes, so that its octets are copied once.
func (h *HIPPI) received(d *Domain, micropackets []byte, hearing hippi.Hearing, now wire.Time) (n int) {
	for left := micropackets; len(left) > 0; n += h.arrived(d, now) {
		done := h.End.ReceiveBurst(now, left, len(left)/micropacket.Len, hearing)
		left = left[done*micropacket.Len:]
	}
	return n
}

// hear returns the micropackets of a received frame f, and in hearing which of them count. It returns no micropackets
// of a frame that is damaged, looped back, or not from the partner, and counts it. The sender of any other frame is
// noted as the partner.
func (h *HIPPI) hear(f []byte, now wire.Time) (micropackets []byte, hearing hippi.Hearing) {
	if !h.ours(f, now) {
		return nil, hearing
	}
	head, fault := micropacket.ParseFrame(f)
	switch fault {
	case wire.NoFault:
	case wire.FaultCRC:
		h.count.RxBadFCS++
		return nil, hearing
	default:
		h.count.RxBadFrame++
		return nil, hearing
	}
	from := wire.MAC(f[wire.AddrLen:])
	switch {
	case from == h.Port.iface.mac:
		h.Port.Counters.RxLooped++
		return nil, hearing
	case h.stranger(from):
		h.Port.Counters.RxOtherStation++
		h.strays.station, h.strays.stationAt = from, now
		return nil, hearing
	}
	hearing, ok := h.End.Hear(head)
	if !ok {
		return nil, hearing
	}
	h.count.RxMicropacketFrames++
	h.partner, h.llrAt, h.strays.typeAt = from, 0, 0
	return f[micropacket.FrameHeadLen:][:int(head.N)*micropacket.Len], hearing
}

// ours reports whether f is a frame of micropackets under the link's EtherType. It counts any other frame: one of LLR,
// whose time it notes (llrAt), or a plain Ethernet frame.
func (h *HIPPI) ours(f []byte, now wire.Time) bool {
	if len(f) < wire.HeaderLen {
		h.Port.Counters.RxRunt++
		return false
	}
	switch t := wire.EtherType(f); {
	case t == h.Port.settings.EtherTypeData && micropacket.IsFrame(f):
		return true
	case t == h.Port.settings.EtherTypeData, t == h.Port.settings.EtherTypeControl:
		h.Port.Counters.RxOtherProtocol++
		h.strays.native(h, f, now)
		_, _, fault := wire.ParseControl(f, &h.control)
		if fault == wire.NoFault && !h.stranger(wire.MAC(f[wire.AddrLen:])) {
			h.llrAt = now
		}
	default:
		h.Port.Counters.RxNativeDropped++
		h.strays.native(h, f, now)
	}
	return false
}

// hippiStrays describes micropackets that arrived at a link from another station, or under another EtherType.
type hippiStrays struct {
	station   wire.MAC  // a station other than the configured partner that sends micropackets
	stationAt wire.Time // time at which that other station last sent micropackets; 0: never
	etherType uint16    // EtherType, other than this end's, under which micropackets arrived
	from      wire.MAC  // sender of the micropackets under etherType
	typeAt    wire.Time // time of the last micropackets under etherType; 0: never, or the partner was heard since
}

// native notes a frame under another EtherType than those of the link, if it is an undamaged frame of micropackets, and
// not from a stranger.
func (o *hippiStrays) native(h *HIPPI, f []byte, now wire.Time) {
	if !micropacket.IsFrame(f) {
		return
	}
	from := wire.MAC(f[wire.AddrLen:])
	if _, fault := micropacket.ParseFrame(f); fault == wire.NoFault && from != h.Port.iface.mac && !h.stranger(from) {
		o.etherType, o.from, o.typeAt = wire.EtherType(f), from, now
	}
}

// stranger reports whether the sender of a frame, from, is another station than the partner: the configured partner, or
// in Normal the station heard before.
func (h *HIPPI) stranger(from wire.MAC) bool {
	if pinned := h.Port.settings.Partner; pinned != (wire.MAC{}) {
		return from != pinned
	}
	return h.End.Ready() && h.partner != from
}

// arrived forwards the frames of Messages that have arrived, and gives chunks to Messages that wait for one. It returns
// the number of frames.
func (h *HIPPI) arrived(d *Domain, now wire.Time) (n int) {
	for vcs := h.End.Awaiting(); vcs != 0; vcs &= vcs - 1 {
		vc := uint8(bits.TrailingZeros8(vcs))
		for more := true; more; {
			i, ok := h.End.TransferIndicate(vc)
			if ok {
				h.forward(d, vc, &i, now)
				h.End.TransferResponse(vc, now)
				n++
				continue
			}
			more = h.accept(vc, now)
		}
	}
	return n
}

// accept gives a chunk to the Message of a virtual channel that waits for one. A Message that is no frame, or too long
// for every port or for its channel (HIPPI-6400 §6.2), or on VC3 without permission, is refused; an Admin micropacket
// is kept for an event. It reports whether more may have arrived: not if nothing waits, or no chunk is free.
// Clauses: HIPPI-6400/fields.3.
func (h *HIPPI) accept(vc uint8, now wire.Time) bool {
	if data, status, ok := h.End.AdminIndicate(vc); ok {
		h.count.RxAdmin++
		h.admin.received(vc, data, status)
		h.End.TransferResponse(vc, now)
		return true
	}
	head, ok := h.End.Arriving(vc)
	if !ok || !h.Port.Attached() {
		return false
	}
	n, ok := hippi.FrameLength(head)
	if !ok || n > assemblyChunk || n-wire.HeaderLen > hippi.LongestMessage(vc) || !h.End.MayArrive(vc) {
		h.End.Refuse(vc, now)
		return true
	}
	chunk := h.in.assembly.take(vc)
	if chunk == noChunk {
		return false
	}
	h.in.filling[vc] = chunk
	return h.End.AcceptFrame(vc, h.in.assembly.chunk(chunk), now)
}

// forward sends the frame of a Message that has arrived on a virtual channel to its egress port, or makes it wait in
// its chunk. A Message with an error is dropped; the machine has counted it.
func (h *HIPPI) forward(d *Domain, vc uint8, i *hippi.Indication, now wire.Time) {
	number := h.in.filling[vc]
	h.in.filling[vc] = noChunk
	chunk := h.in.assembly.chunk(number)
	n, good := i.FrameOf(chunk)
	if !good || !h.Port.Attached() || d.uncarried(&h.Port, chunk[:n], now) || !h.passOn(d, vc, number, n, now) {
		h.in.assembly.give(number)
	}
}

// passOn forwards a frame of n octets, which lies in a chunk of link h's assembly memory, by its destination. retained
// reports whether the frame waits in its chunk.
func (h *HIPPI) passOn(d *Domain, vc uint8, chunk, n int, now wire.Time) (retained bool) {
	desc := frame.Desc{Addr: uint64(chunk) * assemblyChunk, Len: uint32(n)}
	h.in.arrives.arrives = arrival{class: vc, assured: true}
	if d.Bridge != nil {
		return d.switched(h.in.arrives, &desc, vc, now)
	}
	return d.pass(h.in.arrives, &desc, h.Port.Other, vc, wire.Retag{}, now)
}
