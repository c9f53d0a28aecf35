package path

import (
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/dataplane/sched"
	"uelink/dataplane/trim"
	"uelink/wire"
)

// outcome is the result of sending a frame by a port.
type outcome uint8

// The outcomes.
const (
	sent    outcome = iota // copied into a TX slot, and posted
	dropped                // and counted
	waits                  // the port, the window or the rate has no room: the frame keeps its place
	starved                // the queue has no credits: the frame keeps its place, other queues may send
)

// egress holds the queues of a port: one for each virtual channel of a link, one for each priority of an edge.
// Clauses: UE-LINK/overview.7.
type egress struct {
	waiting  int    // frames, over all queues
	filled   uint32 // queues with waiting frames
	shut     uint32 // filled queues whose first frame waits for credits
	halted   uint32 // queues that send nothing: stopped by PFC of the host of an edge, or by the settings (Stops)
	closed   uint32 // queues that take no frames, by the settings
	shaped   bool   // the rate is limited
	sched    sched.Scheduler
	queues   [sched.Queues]queue
	counters [sched.Queues]model.QueueCounters
}

// clear sets the counters of the port's queues to zero, and their watermarks to the octets waiting now.
func (e *egress) clear() {
	for i := range e.counters {
		trimmed := e.counters[i].TrimCounters
		trimmed.Clear()
		e.counters[i] = model.QueueCounters{TrimCounters: trimmed}
		e.queues[i].watermark = e.queues[i].octets
	}
}

// configure applies the settings of the port's scheduler and rate limit.
func (e *egress) configure(s sched.Settings) {
	e.sched.Configure(s)
	e.shaped = s.Rate > 0
}

// queueOf returns the number of the queue in which frames of a traffic class wait at the port.
func (p *Port) queueOf(class uint8) uint8 { return p.settings.QoS.Queue[class%qos.Classes] }

// free reports whether a frame for a queue may be sent without waiting: the queue is neither stopped nor closed, and
// no frame waits in it, nor in another queue that may send now.
func (e *egress) free(queue uint8) bool {
	busy := e.filled | e.halted | e.closed
	return busy == 0 || e.filled&^(e.shut|e.halted) == 0 && busy>>queue&1 == 0
}

// opens returns when the rate limit lets a waiting frame leave; wire.Never if no frame waits or the port has no
// limit.
func (e *egress) opens() wire.Time {
	if e.waiting == 0 || !e.shaped {
		return wire.Never
	}
	return e.sched.Deadline()
}

// send edits the VLAN tag of a frame of a queue by retag, and sends the frame by the port at once, or returns why not
// (it must wait, or was dropped). A sent frame counts for its queue. from is the port that has received the frame.
func (p *Port) send(carried []byte, queue uint8, retag wire.Retag, from *Port, now wire.Time) outcome {
	if p.egress.shaped && !p.egress.sched.Open(now) {
		return waits
	}
	if retag.Op != wire.RetagKeep {
		carried = p.edited[:retag.Put(p.edited[:], carried)]
	}
	var o outcome
	switch {
	case p.Link != nil:
		o = p.Link.send(carried, queue, from, now)
	case p.HIPPI != nil:
		o = p.HIPPI.send(carried, queue, from, now)
	default:
		o = p.sendPlain(carried, from)
	}
	if o == sent {
		p.egress.counters[queue].Sent(len(carried))
	}
	return o
}

// blockQueue records that the first frame of a port's queue waits for credits. The queue is not served until
// credits come.
func (p *Port) blockQueue(queue uint8, now wire.Time) {
	p.egress.shut |= 1 << queue
	if p.Link == nil {
		return
	}
	p.Link.cbfc.Tx.Block(p.Link.vcOf(queue), now)
}

// unblockQueue ends the wait of an emptied queue for credits.
func (p *Port) unblockQueue(queue uint8, now wire.Time) {
	if p.egress.shut>>queue&1 == 0 {
		return
	}
	if p.egress.shut &^= 1 << queue; p.Link != nil {
		p.Link.cbfc.Tx.Unblock(p.Link.vcOf(queue), now)
	}
}

// waitingFrame returns the octets of a waiting frame to send, and the edit of its VLAN tag yet to be made. A
// trimmed frame is cut and edited already.
func (p *Port) waitingFrame(s *source, e *entry, settings *trim.Settings) ([]byte, wire.Retag) {
	f := s.frame(e)
	if e.trim.ip == 0 {
		return f, e.retag
	}
	plan := trim.Plan{Len: len(f), IP: int(e.trim.ip)}
	n := settings.Put(p.edited[:], f, plan, e.trim.dscp, e.retag)
	return p.edited[:n], wire.Retag{}
}
