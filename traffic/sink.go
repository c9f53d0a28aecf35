package traffic

import (
	"cmp"

	"uelink/dataplane/frame"
	"uelink/pfc"
	"uelink/wire"
)

// waiting is a frame in a chunk that has not been given back yet.
type waiting struct {
	device int // index of the device that it came from
	desc   frame.Desc
}

// queue is where the frames of one flow wait for a slow sink.
type queue struct {
	frames  []waiting // a ring
	first   int
	length  int
	pace    pace
	taken   uint64
	overrun uint64 // frames for which it had no room
	stalled span   // when nothing is taken
}

// span is a time from begin up to end, ns.
type span struct{ begin, end int64 }

func (s span) holds(now int64) bool { return s.begin <= now && now < s.end }

// stall is when one takes place in a run that starts now.
func (s Stall) span(now int64) span {
	return span{now + int64(s.Begin), now + int64(s.Begin) + int64(s.Duration)}
}

// unhurried is a rate that is none: a queue that is there only because it may stand still.
const unhurried = 1e9

func newQueue(room int, rate float64, now int64) *queue {
	return &queue{frames: make([]waiting, room), pace: pace{rate: rate, start: now}}
}

// len is how many frames wait; there is none in a queue that is not there.
func (q *queue) len() int {
	if q == nil {
		return 0
	}
	return q.length
}

// put is false, and counts, when there is no room.
func (q *queue) put(w waiting) bool {
	if q.length == len(q.frames) {
		q.overrun++
		return false
	}
	q.frames[(q.first+q.length)%len(q.frames)] = w
	q.length++
	return true
}

// take is false as long as the rate lets nothing go. What was owed while frames waited is made
// up for; a sink to which nothing came saves nothing up.
func (q *queue) take(now int64) (w waiting, ok bool) {
	if q.stalled.holds(now) {
		return w, false
	}
	if q.length == 0 {
		q.pace.skip(q.taken, now)
		return w, false
	}
	if q.pace.owed(q.taken, now) == 0 {
		return w, false
	}
	w = q.frames[q.first]
	q.first = (q.first + 1) % len(q.frames)
	q.length--
	q.taken++
	return w, true
}

// newSink gives the flows that end at a slow sink their queues, and returns what stops their
// senders; nil where all are taken as they come. Frames wait in half of the RX chunks, so that
// the others are there for what comes, and for what is no data. A quarter of a queue is left
// until its sender is stopped, three quarters for what is still on its way then.
func newSink(c Config, flows []*flow, chunks int, now int64) (*pfc.Pauser, error) {
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

// drain has slow sinks take what their rates let them.
func (p *port) drain(now int64) (worked bool) {
	for _, f := range p.ends {
		if f.queue == nil {
			continue
		}
		for range batch {
			w, ok := f.queue.take(now)
			if !ok {
				break
			}
			d := p.devices[w.device]
			f.take(d.Area()[w.desc.Addr:w.desc.Addr+uint64(w.desc.Len)], now)
			p.back[0] = w.desc
			d.Recycle(p.back[:])
			worked = true
		}
		p.pauser.SetLevel(int(f.priority), f.queue.len())
	}
	return worked
}
