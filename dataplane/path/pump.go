package path

import (
	"time"

	"uelink/dataplane/attach"
	"uelink/dataplane/netif"
	"uelink/wire"
)

// Pump makes the kernel hand over the frames of one RX queue of an edge: a *netif.Pump. While the worker does not ask,
// frames wait with the host, and the host's senders wait.
type Pump interface {
	Ask()  // up to attach.MostAsked frames come into the RX ring; further frames wait until the kernel's watchdog fires
	Hold() // as Ask, but at most 2 frames come
	Rest() // frames come by themselves until the next Ask or Hold
}

// asked is the state of an RX queue with a Pump.
//
//	            a frame came                 no room for a frame
//	RESTS ─────────────────────────► ASKS ─────────────────────────► HOLDS
//	  ▲        a frame came          ▲  ▲                              │
//	  │     ┌────────────────────────┘  └───────────── room ───────────┘
//	  └─ SETTLES ◄──── no frame ──── ASKS
//
// At rest the kernel hands frames over and wakes the worker, so an idle edge costs the worker nothing. While the worker
// asks, frames come only by Ask. While the worker holds, it renews the hold every holdEvery, before the kernel's
// watchdog fires.
//
// A single Rest may have no effect: if the kernel still polls the queue on another CPU, arriving frames cause no poll
// until the kernel's watchdog fires. Therefore Rest is repeated while the queue settles.
type asked struct {
	pump   Pump // nil: frames come by themselves
	state  askState
	called wire.Time     // time of the last Ask or Hold
	next   wire.Time     // earliest time of the next Ask
	few    uint          // how often the time to the next Ask has doubled: see asked.gather
	calm   int           // state SETTLES: how many of the waits in the list settleTimes have begun
	places []egressQueue // queues in which frames of the source wait, or have waited
}

// askState is a state of the drawing at asked.
type askState uint8

// The states.
const (
	rests askState = iota
	settles
	asks
	holds
)

// settleTimes returns the waiting times between the repeated calls of Pump.Rest after which an RX queue is considered
// to rest.
func settleTimes() [3]time.Duration {
	return [3]time.Duration{50 * time.Microsecond, time.Millisecond, 20 * time.Millisecond}
}

// When a worker calls Ask and Hold of a pump.
const (
	// An Ask costs as much as several frames, and large batches are cheaper everywhere. So after an answer of fewer than
	// fewFrames the worker gathers for a time that begins with leastGather, and doubles with each such answer up to
	// mostGather. A single frame does not wait: after an answer without a frame the queue rests.
	fewFrames   = 32
	manyFrames  = 64
	leastGather = 10 * time.Microsecond
	mostGather  = 160 * time.Microsecond
	// holdEvery is the time between two Holds of a pump. A Hold keeps the kernel from handing over frames by itself.
	holdEvery = netif.Watchdog / 2
	// holdRoom is the room in the RX ring that a Hold needs.
	holdRoom = 8
)

// egressQueue names a queue of a port, in which frames of a source may wait.
type egressQueue struct {
	port  *Port
	queue uint8
}

// settle calls Pump.Rest again if its time has come, until the RX queue counts as resting, so that frames arrive
// without being asked for. It reports whether frames arrived.
func (a *asked) settle(s *source, now wire.Time) (came bool) {
	if now < a.next {
		return false
	}
	a.pump.Rest()
	times := settleTimes()
	switch {
	case s.device.Waiting() > 0:
		a.state, a.called = asks, now
		return true
	case a.calm == len(times):
		a.state = rests
	default:
		a.next = now.Add(times[a.calm])
		a.calm++
	}
	return false
}

// gather sets the time of the next Ask, by n, the number of frames that the last Ask brought: after fewer than
// fewFrames later, by a time that doubles with each such answer, else at once. manyFrames shorten the time of later
// answers again.
func (a *asked) gather(n int, now wire.Time) {
	a.next = now
	switch {
	case n < fewFrames:
		a.next = now.Add(min(leastGather<<a.few, mostGather))
		a.few = min(a.few+1, 8)
	case n >= manyFrames && a.few > 0:
		a.few--
	}
}

// hold keeps the frames of an edge waiting with the host, because they have no room here: it makes the kernel hand
// over at most 2 frames of source s (the socket of an RX queue) instead of all when its watchdog fires. The 2 frames
// make the kernel reorder TCP segments if the veth was full, so the worker calls hold only shortly before the
// watchdog would fire.
func (a *asked) hold(p *Port, s *source, now wire.Time) {
	if s.device.Waiting()+holdRoom > p.settings.RxRing() {
		a.called = now // no room for a Hold: when the watchdog fires, the kernel drops and counts frames
		return
	}
	a.pump.Hold()
	p.Counters.RxHolds++
	a.called = now
}

// full reports whether a queue that holds frames of a source shall get no more. A queue that may send is full when it
// holds a batch: further frames then wait with the host and not here. A queue that may not send (no credits, PFC) is
// full when the next Ask could make the queue drop frames: until then the source's other queues go on. A queue of an
// edge that stands still is never full, so that such an edge does not stop the senders of a bridge: frames for the edge
// are dropped, as without pumps.
func (at egressQueue) full(s *source) bool {
	p := at.port
	q := &p.egress.queues[at.queue]
	switch {
	case p.link == nil && p.findings.standstill.stands:
		return false
	case (p.egress.shut|p.egress.halted)>>at.queue&1 == 0:
		return q.length >= batch
	case q.bounded(attach.MostAsked * p.iface.maxFrame):
		return true
	}
	return q.length+attach.MostAsked >= shareOfRoom*(s.room()-attach.MostAsked)
}

// waitsAt records that a frame received from this RX queue waits in a queue of port p.
func (a *asked) waitsAt(p *Port, queue uint8) {
	if a.pump == nil {
		return
	}
	at := egressQueue{p, queue}
	for _, place := range a.places {
		if place == at {
			return
		}
	}
	a.places = append(a.places, at)
}
