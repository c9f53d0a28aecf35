package dataplane

// The path of a frame, edge to link:
//
//  1. intake: a batch from the edge port's RX ring, no more than the queues take
//  2. parse and classify: length, EtherType, virtual channel; into its queue
//  3. sendControl: what LLR has to say leaves first, as one control frame
//  4. replay: slots that LLR wants sent again are posted again, without a copy
//  5. send: a batch, or less where the wire loses frames (pace): the scheduler
//     picks a channel, LLR says what becomes of its frame; it is copied behind
//     its shim into a TX slot and its RX chunk goes back
//  6. flush: one system call for the batch
//
// and link to edge:
//
//  1. deliver: a batch from the link port's RX ring, no more than the edge takes;
//     where the edge stands still all of it, and data is refused (standstill.go)
//  2. control frames are worked before data, so that slots are freed first
//  3. data: shim parsed; the frame is copied without it into the edge port's next
//     TX slot, and its FCS image is checked on the way
//  4. LLR says deliver or not: the slot is posted, or the next frame overwrites it
//  5. flush: one system call for the batch

import (
	"uelink/dataplane/frame"
	"uelink/dataplane/negotiation"
	"uelink/llr"
	"uelink/wire"
)

// xconnect is a bump in the wire: one edge port tied to one link port.
type xconnect struct {
	edge      port
	link      *link
	draining  bool // edge intake has stopped
	edgeStill edgeStill
	rest      int64 // nothing to do until then unless something comes, ns
	last      reported
}

// newXConnect ties an edge port to a link; neither has devices yet.
func newXConnect(edge PortSettings, l *link) *xconnect {
	return &xconnect{edge: port{settings: edge}, link: l, last: reported{rxOff: true}}
}

// step works one batch in each direction. It returns how many frames it moved
// and when it has something to do by itself. Where nothing is under way and
// nothing has come it only looks: a worker may have many links.
func (x *xconnect) step(now int64) (worked int, deadline int64) {
	l := x.link
	l.blocked = false
	if len(l.devices) > 0 {
		l.complete()
	}
	if len(x.edge.devices) > 0 {
		x.edge.complete()
		worked += x.intake()
	}
	if len(l.devices) > 0 {
		worked += x.deliver(now)
	}
	if worked == 0 && now < x.rest {
		return 0, x.rest
	}
	worked += x.transmit(now)
	x.flush()
	deadline = x.deadline(now)
	x.rest = 0
	if worked == 0 && !l.blocked && l.slots.posted == 0 && x.edge.slots.posted == 0 {
		x.rest = min(deadline, now+maxSleep)
	}
	return worked, deadline
}

// flush has what was posted sent. The port with fewer frames goes first: so it
// keeps the other waiting least, and a single frame does not wait for the
// acknowledgement of the one before. On a wire that loses frames the link goes
// first: the sooner the partner knows of a loss, the fewer frames follow it.
func (x *xconnect) flush() {
	x.recycle()
	first, second := &x.edge, &x.link.port
	if second.unsent < first.unsent || x.link.pace.slowed() {
		first, second = second, first
	}
	first.flush()
	second.flush()
}

// retry is how soon a round comes back when frames wait for room, or have been
// posted and not completed.
const retry = 200e3 // ns

func (x *xconnect) deadline(now int64) int64 {
	deadline := x.link.llr.Deadline()
	if !x.link.ready() {
		if x.link.stalled {
			deadline = min(deadline, now+retry)
		}
		return deadline
	}
	deadline = min(deadline, x.link.partner.Deadline(), x.link.modes.Deadline())
	if at := x.link.heard + quiet; at > now && x.link.llr.Rx.Owes() {
		deadline = min(deadline, at)
	}
	if x.link.blocked || x.link.slots.posted > 0 || x.edge.slots.posted > 0 {
		deadline = min(deadline, now+retry)
	}
	return deadline
}

// intake moves a batch from the edge port's RX rings into the queues.
func (x *xconnect) intake() (n int) {
	if x.draining {
		x.edge.stalled = true
		return 0
	}
	for q := range x.edge.devices {
		room := x.link.sched.room()
		if x.edge.stalled = room == 0; x.edge.stalled {
			x.link.blocked = true
			return n
		}
		descs := x.edge.receive(q, room)
		area := x.edge.areas[q]
		for i := range descs {
			d := descs[i]
			if d.Len < wire.HeaderLen {
				x.edge.counters.RxRunt++
				x.edge.devices[q].Recycle(descs[i : i+1])
				continue
			}
			vc := x.link.sched.classify(area[d.Addr : d.Addr+uint64(d.Len)])
			d.Options = uint32(q) // the queue whose chunk it is
			x.link.sched.queues[vc].push(d)
		}
		n += len(descs)
	}
	return n
}

// transmit posts control, replays and new frames to the link.
func (x *xconnect) transmit(now int64) (n int) {
	l := x.link
	l.retire(now)
	l.review(x.longest(), x.edgeStill.refusing, now)
	if !l.ready() {
		return x.dropQueued(now)
	}
	l.sendControl(now)
	replayed := x.replay()
	fresh := x.sendQueued(l.pace.limit-replayed, now)
	l.pace.sent(fresh)
	return replayed + fresh
}

// sendQueued sends up to limit of the frames that wait.
func (x *xconnect) sendQueued(limit int, now int64) (n int) {
	l := x.link
	for ; n < limit; n++ {
		vc, ok := l.sched.next()
		if !ok {
			return n
		}
		if l.txRoom() <= controlReserve {
			l.blocked = true
			return n
		}
		if !x.send(vc, now) {
			return n
		}
	}
	l.blocked = l.blocked || l.sched.len() > 0
	return n
}

// replay posts again what LLR wants sent again.
func (x *xconnect) replay() (n int) {
	l := x.link
	if l.llr.Tx.Replaying() {
		l.pace.lost()
	}
	for ; l.llr.Tx.Replaying(); n++ {
		if n == batch || l.postRoom() <= controlReserve {
			l.blocked = true
			return n
		}
		slot, ok := l.llr.Tx.Replay()
		if !ok {
			return n
		}
		l.port.post(slot)
	}
	return n
}

// send moves the front frame of a channel to the link, or drops it; false means
// that LLR holds it back.
func (x *xconnect) send(vc uint8, now int64) bool {
	q := &x.link.sched.queues[vc]
	carried := x.queued(q.front())
	switch x.verdict(carried) {
	case llr.Sequence:
		x.sendSequenced(carried, vc, now)
	case llr.Bare:
		x.sendBare(carried, vc)
	case llr.Drop:
	case llr.Wait:
		return false
	}
	q.pop()
	return true
}

// verdict is what becomes of a frame: what its addresses, type and length say, else what
// LLR says. Drop has been counted.
func (x *xconnect) verdict(carried []byte) llr.Verdict {
	l := x.link
	switch class := classify(carried); {
	case class == notCarried:
		x.edge.countNotCarried(carried)
		return llr.Drop
	case wire.DataLen(len(carried), l.settings.FCS) > l.carries:
		x.edge.counters.RxOversized++
		return llr.Drop
	case class == unsequenced:
		return llr.Bare
	case l.transmitter == negotiation.Retiring:
		return llr.Wait
	}
	return l.llr.Tx.Admit(len(carried))
}

// queued is the octets of a frame that waits in a queue.
func (x *xconnect) queued(d *frame.Desc) []byte {
	return x.edge.areas[d.Options][d.Addr : d.Addr+uint64(d.Len)]
}

// recycle gives back the chunks of the frames that have left their queues.
func (x *xconnect) recycle() {
	for i := range x.link.sched.queues {
		q := &x.link.sched.queues[i]
		for descs := q.free(); len(descs) > 0; descs = q.free() {
			x.edge.devices[descs[0].Options].Recycle(descs)
		}
	}
}

func (x *xconnect) sendSequenced(carried []byte, vc uint8, now int64) {
	l := x.link
	slot, chunk := l.slot()
	seq := l.llr.Tx.Push(slot, len(carried), false, now)
	p := wire.Preamble{Seq: seq, Sequenced: true, FCS: l.settings.FCS, VC: vc}
	st := &l.slots.state[slot]
	st.len = uint32(wire.PutData(chunk, carried, l.settings.EtherTypeData, l.settings.Dialect, p, false))
	st.held = true
	l.port.post(slot)
}

// sendBare sends a frame unsequenced: in a shim to a partner that is known, else
// as it is.
func (x *xconnect) sendBare(carried []byte, vc uint8) {
	l := x.link
	known := l.partner.Known()
	if !known && x.ownEtherType(wire.TrueType(carried)) {
		x.edge.counters.RxOwnEtherType++
		return
	}
	slot, chunk := l.slot()
	if known {
		p := wire.Preamble{FCS: l.settings.FCS, VC: vc}
		l.slots.state[slot].len = uint32(wire.PutData(chunk, carried, l.settings.EtherTypeData, l.settings.Dialect, p, false))
		l.counters.TxBare++
	} else {
		l.slots.state[slot].len = uint32(copy(chunk, carried))
		l.counters.TxNative++
	}
	l.port.post(slot)
}

func (x *xconnect) ownEtherType(t uint16) bool {
	return t == x.link.settings.EtherTypeData || t == x.link.settings.EtherTypeControl
}

// dropQueued is send for a link that is down: what LLR would carry, or hold
// back, waits; what would leave bare is dropped.
func (x *xconnect) dropQueued(now int64) (n int) {
	l := x.link
	l.llr.Expire(now)
	l.free()
	for vc, ok := l.sched.next(); ok; vc, ok = l.sched.next() {
		q := &l.sched.queues[vc]
		switch x.verdict(x.queued(q.front())) {
		case llr.Sequence, llr.Wait:
			return n
		case llr.Bare:
			l.counters.TxDropDown++
		}
		q.pop()
		n++
	}
	return n
}

// detach takes the devices from one of the two ports. Frames that wait lie in
// the edge port's chunks and go with it.
func (x *xconnect) detach(p *port, now int64) {
	x.edgeStill = edgeStill{}
	if p == &x.link.port {
		x.link.lost(now)
		return
	}
	for i := range x.link.sched.queues {
		q := &x.link.sched.queues[i]
		x.edge.counters.RxDropDetached += uint64(q.len())
		q.freed, q.head = q.tail, q.tail
	}
	p.detach()
}

// setUp notes the carrier of one of the two ports.
func (x *xconnect) setUp(p *port, up bool, now int64) {
	if p == &x.link.port {
		x.link.setUp(up, now)
		return
	}
	p.up = up
}

// held is how many frames wait, are unacknowledged, or have not left the edge
// port yet.
func (x *xconnect) held() int {
	frames, _ := x.link.llr.Tx.Outstanding()
	return frames + x.link.sched.len() + x.edge.slots.posted
}
