package dataplane

import (
	"math"

	"uelink/dataplane/qos"
	"uelink/dataplane/sched"
	"uelink/wire"
)

// outcome is the result of sending a frame by a port.
type outcome uint8

const (
	sent    outcome = iota // copied into a TX slot, and posted
	dropped                // and counted
	waits                  // the port has no room: the frame keeps its place
	starved                // the queue has no credits: the frame keeps its place, other queues may send
)

// egress holds the queues of a port: one for each virtual channel of a link, one for each priority of an edge.
type egress struct {
	waiting  int    // frames, over all queues
	filled   uint32 // queues with waiting frames
	shut     uint32 // filled queues whose first frame waits for credits
	halted   uint32 // queues stopped by the host of an edge, by PFC
	shaped   bool   // the rate is limited
	sched    sched.Scheduler
	queues   [sched.Queues]queue
	counters [sched.Queues]QueueCounters
}

// QueueCounters counts the frames of one queue of a port.
type QueueCounters struct {
	TxFrames uint64 `json:"tx_frames"` // frames sent from the queue
	Dropped  uint64 `json:"dropped"`   // frames dropped because the queue had no room
	TrimCounters
}

// clear sets the counters to zero, and the watermarks to the octets waiting now.
func (e *egress) clear() {
	for i := range e.counters {
		trimmed := e.counters[i].TrimCounters
		trimmed.clear()
		e.counters[i] = QueueCounters{TrimCounters: trimmed}
		e.queues[i].watermark = e.queues[i].octets
	}
}

// configure applies the scheduler's settings.
func (e *egress) configure(s sched.Settings) {
	e.sched.Configure(s)
	e.shaped = s.Rate > 0
}

// queueOf returns the queue of a traffic class at a port.
func (p *port) queueOf(class uint8) uint8 { return p.settings.QoS.Queue[class%qos.Classes] }

// free reports whether nothing is ahead of a frame for a queue: no frame waits in the queue, nor in another queue that
// may send now.
func (e *egress) free(queue uint8) bool {
	return e.filled|e.halted == 0 || e.filled&^(e.shut|e.halted) == 0 && (e.filled|e.halted)>>queue&1 == 0
}

// opens returns when the rate limit admits the next frame.
func (e *egress) opens() int64 {
	if e.waiting == 0 || !e.shaped {
		return math.MaxInt64
	}
	return e.sched.Deadline()
}

// send sends a frame by the port now if the gates are open. from is the ingress port.
func (p *port) send(carried []byte, queue uint8, retag wire.Retag, from *port, now int64) outcome {
	if p.shaped && !p.sched.Open(now) {
		return waits
	}
	if retag.Op != wire.RetagKeep {
		carried = p.edited[:retag.Put(p.edited[:], carried)]
	}
	var o outcome
	if p.link != nil {
		o = p.link.send(carried, queue, from, now)
	} else {
		o = p.sendPlain(carried, from)
	}
	if o == sent {
		p.egress.counters[queue].TxFrames++
	}
	return o
}

// sendPlain copies a frame to an edge port's next TX slot and posts the slot. A frame too long for the port is dropped
// and counted at from, the ingress.
func (p *port) sendPlain(carried []byte, from *port) outcome {
	switch {
	case p.suspended:
		return waits
	case !p.ready():
		p.counters.TxDropDown++
		return dropped
	case len(carried) > p.maxFrame:
		from.counters.RxOversized++
		return dropped
	case p.txRoom() == 0:
		p.blocked = true
		return waits
	}
	slot, chunk := p.slot()
	p.slots.state[slot].len = uint32(copy(chunk, carried))
	p.post(slot)
	return sent
}

// chunk returns the next TX slot of an edge port for a frame of n octets from a link, of a traffic class. The frame is
// copied to the slot before LLR decides whether to deliver the frame. nil if the frame cannot leave at once.
func (p *port) chunk(n int, class uint8) []byte {
	if p.link != nil || !p.free(p.queueOf(class)) || p.shaped || !p.ready() || n > p.maxFrame || p.txRoom() == 0 {
		return nil
	}
	_, chunk := p.next()
	return chunk
}

// emit posts the frame of n octets copied to the slot that chunk returned.
func (p *port) emit(n int, queue uint8) {
	slot, _ := p.slot()
	p.slots.state[slot].len = uint32(n)
	p.post(slot)
	p.egress.counters[queue].TxFrames++
}
