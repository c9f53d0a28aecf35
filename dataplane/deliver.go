package dataplane

import (
	"uelink/dataplane/frame"
	"uelink/llr"
	"uelink/wire"
)

// deliver moves a batch from each of the link port's RX rings to the edge port.
// It takes no more frames than the edge port has room for: what is left waits in
// the ring, and what overflows there LLR brings back. But where the edge stands still
// the link's ring is emptied nevertheless, for the control frames in it.
func (x *xconnect) deliver(now int64) (n int) {
	l := x.link
	for q := range l.devices {
		room := batch
		if x.edge.ready() {
			room = x.edge.txRoom()
		}
		if x.judgeEdge(room, now); x.edgeStill.refusing {
			room = batch
		}
		if l.stalled = room == 0; l.stalled {
			l.heard, l.blocked = now, true
			return n
		}
		descs := l.receive(q, room)
		if len(descs) > 0 {
			l.heard = now
		}
		area := l.areas[q]
		data := x.control(descs, area, now)
		if x.edgeStill.refusing {
			x.refuse(data, area)
			data = nil
		}
		for _, d := range data {
			x.data(area[d.Addr : d.Addr+uint64(d.Len)])
		}
		l.devices[q].Recycle(descs)
		n += len(descs)
	}
	return n
}

// control works the control frames of a batch and returns its data frames, in
// their order, in place.
func (x *xconnect) control(descs []frame.Desc, area []byte, now int64) []frame.Desc {
	l := x.link
	n := 0
	for i, d := range descs {
		f := area[d.Addr : d.Addr+uint64(d.Len)]
		if len(f) < wire.HeaderLen {
			l.counters.RxRunt++
			continue
		}
		if wire.EtherType(f) == l.settings.EtherTypeControl {
			l.readControl(f, now)
			continue
		}
		descs[n], descs[i] = descs[i], descs[n]
		n++
	}
	return descs[:n]
}

// data works one data frame of the link: shimmed or native.
func (x *xconnect) data(f []byte) {
	l := x.link
	if wire.EtherType(f) != l.settings.EtherTypeData {
		x.native(f)
		return
	}
	p, fault := wire.ParseData(f, l.settings.Dialect)
	if fault != wire.NoFault {
		l.countDataFault(f, fault)
		return
	}
	n := wire.CarriedLen(len(f), p.FCS)
	fcs := l.check(f, p, x.edgeChunk(n))
	if p.Sequenced {
		if l.llr.Rx.Receive(p.Seq, fcs, n) != llr.Deliver {
			return
		}
	} else if !l.bare(f, fcs) {
		return
	}
	if int(p.VC) >= len(l.sched.queues) {
		l.counters.RxVC++
		return
	}
	x.emit(n)
}

// edgeChunk is where a frame of n octets is copied to before it is known whether it
// is delivered: the edge port's next slot, or nil if the port does not take it.
func (x *xconnect) edgeChunk(n int) []byte {
	if !x.edge.ready() || n > x.edge.maxFrame {
		return nil
	}
	_, chunk := x.edge.next()
	return chunk
}

// check is the state of a data frame's FCS image, and what it tells of the
// partner. The carried frame is copied to a chunk, if there is one.
func (l *link) check(f []byte, p wire.Preamble, to []byte) (fcs wire.FCS) {
	if to == nil {
		fcs = wire.JudgeFCS(f, p, l.settings.FCS)
	} else {
		fcs = wire.Carried(to, f, p, l.settings.FCS)
	}
	switch {
	case fcs == wire.FCSGood:
		l.partner.Understood()
		l.partner.Shimmed()
	case !p.FCS:
		l.partner.WithoutFCS()
	}
	return fcs
}

// bare takes a frame that is not sequenced, and tells whether it is delivered. It shows
// that the partner's transmitter is off, unless it is one that is never sequenced.
func (l *link) bare(f []byte, fcs wire.FCS) bool {
	if fcs != wire.FCSGood {
		l.counters.RxBareBadFCS++
		return false
	}
	l.counters.RxBare++
	if !wire.Reserved(f) {
		l.unsequenced()
	}
	return true
}

// countDataFault counts a data frame that cannot be read, and finds out whether
// the partner speaks another dialect.
func (l *link) countDataFault(f []byte, fault wire.Fault) {
	switch fault {
	case wire.FaultTruncated:
		l.counters.RxShimTruncated++
	case wire.FaultReserved:
		l.counters.RxShimReserved++
	default:
		p, fault := wire.ParseData(f, l.settings.Dialect.Other())
		if fault == wire.NoFault && (!p.FCS || wire.CheckFCS(f) == wire.FCSGood) {
			l.counters.RxOtherDialect++
			l.partner.OtherDialect()
			return
		}
		l.counters.RxShimBadSFD++
		l.swapped(f)
	}
}

// swapped finds out whether the partner's control frames have the EtherType of our data
// frames.
func (l *link) swapped(f []byte) {
	if _, _, fault := wire.ParseControl(f, &l.control); fault == wire.NoFault {
		l.counters.RxOtherEtherType++
		l.partner.OtherEtherType(wire.EtherType(f))
	}
}

// native works a frame without a shim: from a partner that shims every frame it can only
// be a damaged one.
func (x *xconnect) native(f []byte) {
	l := x.link
	switch {
	case wire.MAC(f) == wire.ControlDA:
		x.linkLocal(f)
	case !l.takesNative(f) || wire.MACControl(f) || wire.TrueType(f) == wire.EtherTypeLLDP:
		l.counters.RxNativeDropped++
	default:
		l.unsequenced()
		l.counters.RxNative++
		x.emitWhole(f)
	}
}

// linkLocal works a native frame to the address of control frames, which is
// never forwarded. It finds out whether the partner uses other EtherTypes.
func (x *xconnect) linkLocal(f []byte) {
	l := x.link
	if _, _, fault := wire.ParseControl(f, &l.control); fault != wire.NoFault {
		l.counters.RxNativeDropped++
		return
	}
	l.counters.RxOtherEtherType++
	l.partner.OtherEtherType(wire.EtherType(f))
}

// emitWhole copies a native frame to the edge port.
func (x *xconnect) emitWhole(f []byte) {
	if to := x.edgeChunk(len(f)); to != nil {
		copy(to, f)
	}
	x.emit(len(f))
}

// emit posts the frame of n octets that lies in the edge port's next slot, unless
// the port is down or carries no frame of that length.
func (x *xconnect) emit(n int) {
	switch {
	case !x.edge.ready():
		x.edge.counters.TxDropDown++
	case n > x.edge.maxFrame:
		x.link.counters.RxOversized++
	default:
		slot, _ := x.edge.slot()
		x.edge.slots.state[slot].len = uint32(n)
		x.edge.post(slot)
	}
}
