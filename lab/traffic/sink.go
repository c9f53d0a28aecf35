package traffic

import (
	"cmp"

	"uelink/dataplane/frame"
	"uelink/dataplane/pfc"
	"uelink/wire"
)

// waiting is a received frame whose chunk has not been recycled yet.
type waiting struct {
	device int // index of the device that it came from
	desc   frame.Desc
}

// queue holds the frames of one flow that wait for a slow sink.
type queue struct {
	frames  []waiting // a ring
	first   int
	length  int
	pace    pace
	popped  uint64 // frames drained so far
	overrun uint64 // frames dropped because the queue was full
	stalled span   // time in which the sink drains nothing
}

// span is a time from begin up to end, ns.
type span struct{ begin, end wire.Time }

// holds reports whether a time is in the span.
func (s span) holds(now wire.Time) bool { return s.begin <= now && now < s.end }

// span returns begin and end of the stall on the clock, for a run that starts now.
func (s Stall) span(now wire.Time) span {
	return span{now.Add(s.Begin), now.Add(s.Begin + s.Duration)}
}

// unhurried is the rate, in frames a second, of a sink that only stalls: outside of the stall no frame waits for it.
const unhurried = 1e9

// newQueue returns a queue with room for a number of frames, which a sink drains at a rate in frames a second.
func newQueue(room int, rate float64, now wire.Time) *queue {
	return &queue{frames: make([]waiting, room), pace: pace{rate: rate, start: now}}
}

// len returns how many frames wait in the queue of a slow sink; 0 for a nil queue.
func (q *queue) len() int {
	if q == nil {
		return 0
	}
	return q.length
}

// put appends a received frame to the queue. It returns false, and counts an overrun, if the queue is full.
func (q *queue) put(w waiting) bool {
	if q.length == len(q.frames) {
		q.overrun++
		return false
	}
	q.frames[(q.first+q.length)%len(q.frames)] = w
	q.length++
	return true
}

// pop removes the oldest frame and returns it. ok is false if there is none, or the rate of the slow sink allows no
// frame yet. A sink that is late may then drain several frames at once; time in which the queue was empty does not
// count.
func (q *queue) pop(now wire.Time) (w waiting, ok bool) {
	if q.stalled.holds(now) {
		return w, false
	}
	if q.length == 0 {
		q.pace.skip(q.popped, now)
		return w, false
	}
	if q.pace.owed(q.popped, now) == 0 {
		return w, false
	}
	w = q.frames[q.first]
	q.first = (q.first + 1) % len(q.frames)
	q.length--
	q.popped++
	return w, true
}

// newSink makes the queues of the flows that end at a slow sink, and returns the machine that sends PFC for them;
// nil without a slow sink. chunks is the number of RX chunks: the queues hold half of them; the other half is for
// arriving frames and control. A flow is paused when a quarter of its queue is full; three quarters are for frames
// in flight.
func newSink(c Config, flows []*flow, chunks int, now wire.Time) (*pfc.Pauser, error) {
	s := pfc.PauserSettings{Rate: cmp.Or(c.PFCRate, sentRate)}
	room := chunks / 2 / len(flows)
	for _, f := range flows {
		p := f.priority & (wire.Priorities - 1)
		rate, stall := c.SinkRate[p], c.Stall.Duration > 0 && c.Stall.Priority == p
		if stall && rate == 0 {
			rate = unhurried
		}
		if rate == 0 {
			continue
		}
		f.queue = newQueue(room, rate, now)
		if stall {
			f.queue.stalled = c.Stall.span(now)
		}
		s.Priorities |= 1 << p
		s.XOff[p], s.XOn[p] = max(room/4, 1), room/8
	}
	if s.Priorities == 0 {
		return nil, nil
	}
	return pfc.NewPauser(s)
}

// drain removes from each queue of a slow sink as many frames as its rate allows now, checks and counts these
// frames, and recycles their chunks. worked reports whether there were any.
func (p *port) drain(now wire.Time) (worked bool) {
	for _, f := range p.ends {
		if f.queue == nil {
			continue
		}
		for range batch {
			w, ok := f.queue.pop(now)
			if !ok {
				break
			}
			d := p.devices[w.device]
			f.receive(d.Area()[w.desc.Addr:w.desc.Addr+uint64(w.desc.Len)], now)
			p.back[0] = w.desc
			d.Recycle(p.back[:])
			worked = true
		}
		p.pauser.SetLevel(int(f.priority), f.queue.len())
	}
	return worked
}
