package dataplane

import (
	"math"

	"uelink/dataplane/qos"
	"uelink/dataplane/sched"
	"uelink/wire"
)

// outcome is what became of a frame that was to leave by a port.
type outcome uint8

const (
	sent    outcome = iota // it is in a TX slot, posted
	dropped                // and counted
	waits                  // the port has no room: it keeps its place
	starved                // its queue has no credits: it keeps its place, others may leave
)

// egress is the queues of what is to leave by a port: of its virtual channels on a link,
// of its priorities on an edge.
type egress struct {
	waiting  int    // frames, over all queues
	filled   uint32 // queues in which frames wait
	shut     uint32 // of these, those whose first frame waits for credits
	halted   uint32 // queues that the host of an edge has stopped, by PFC
	shaped   bool   // there is a limit on the rate
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

// clear sets the counters to zero, and the watermarks to what waits.
func (e *egress) clear() {
	for i := range e.counters {
		trimmed := e.counters[i].TrimCounters
		trimmed.clear()
		e.counters[i] = QueueCounters{TrimCounters: trimmed}
		e.queues[i].watermark = e.queues[i].octets
	}
}

// configure takes the scheduler's settings.
func (e *egress) configure(s sched.Settings) {
	e.sched.Configure(s)
	e.shaped = s.Rate > 0
}

// queueOf is the queue that a traffic class has at a port.
func (p *port) queueOf(class uint8) uint8 { return p.settings.QoS.Queue[class%qos.Classes] }

// free tells whether nothing is ahead of a frame for a queue: none waits there, nor in
// another one from which a frame may leave now.
func (e *egress) free(queue uint8) bool {
	return e.filled|e.halted == 0 || e.filled&^(e.shut|e.halted) == 0 && (e.filled|e.halted)>>queue&1 == 0
}

// opens is when the limit on the rate lets the next frame through.
func (e *egress) opens() int64 {
	if e.waiting == 0 || !e.shaped {
		return math.MaxInt64
	}
	return e.sched.Deadline()
}

// send has a frame leave by the port now, if its gates are open. from is the port that it
// came in by.
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

// sendPlain copies a frame to an edge port's next slot.
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

// chunk is where a frame of n octets from a link is copied to before it is known whether it
// is delivered, in a traffic class: an edge port's next slot, or nil if the frame cannot leave at
// once.
func (p *port) chunk(n int, class uint8) []byte {
	if p.link != nil || !p.free(p.queueOf(class)) || p.shaped || !p.ready() || n > p.maxFrame || p.txRoom() == 0 {
		return nil
	}
	_, chunk := p.next()
	return chunk
}

// emit posts the frame of n octets that was copied there.
func (p *port) emit(n int, queue uint8) {
	slot, _ := p.slot()
	p.slots.state[slot].len = uint32(n)
	p.post(slot)
	p.egress.counters[queue].TxFrames++
}
