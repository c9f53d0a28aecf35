package lldp

import (
	"time"

	"uelink/wire"
)

// RxState is the state of the receive machine. RX_FRAME, DELETE_INFO and UPDATE_INFO are left at
// once; ageing goes on in every state.
//
//	LLDP_WAIT_PORT_OPERATIONAL ──port enabled──► RX_LLDP_INITIALIZE
//	   ▲                                          neighbours deleted
//	   │                                            │          ▲
//	   │                        reception enabled   ▼          │ reception disabled
//	   │                                          RX_WAIT_FOR_FRAME ─┐ a frame:
//	   │                                                      ▲      │ RX_FRAME
//	   └── from any state: port disabled                      └──────┘
type RxState uint8

// The states of the receive machine.
const (
	RxWaitPortOperational RxState = iota
	RxInitialize
	RxWaitForFrame
)

// String returns the name of the receive machine's state in IEEE 802.1AB.
func (s RxState) String() string {
	return [...]string{"LLDP_WAIT_PORT_OPERATIONAL", "RX_LLDP_INITIALIZE", "RX_WAIT_FOR_FRAME",
		"?"}[min(s, RxWaitForFrame+1)]
}

// receiver is the receive machine. Times are on the agent's clock.
type receiver struct {
	state        RxState
	neighbors    table
	tooMany      bool      // tooManyNeighbors: the table lacks room for a neighbour
	tooManyUntil wire.Time // when tooMany ends: tooManyNeighborsTimer
	loop         bool      // frames with this agent's own ids arrive
	loopUntil    wire.Time // when loop ends, unless such a frame arrives again
	changed      bool      // the neighbours changed at least once
	lastChange   wire.Time // of the neighbours
}

// deadline returns the time of the receive machine's next timer: a neighbour ages out, or tooMany or
// loop ends.
func (r *receiver) deadline() wire.Time {
	at := r.neighbors.nextExpiry()
	if r.tooMany {
		at = min(at, r.tooManyUntil)
	}
	if r.loop {
		at = min(at, r.loopUntil)
	}
	return at
}

// runReceive runs the receive machine: it deletes aged neighbours and follows the state of the port. It appends
// the resulting events.
func (a *Agent) runReceive(events []Event) []Event {
	r := &a.rx
	events = a.age(events)
	if !a.status.Enabled {
		r.state = RxWaitPortOperational
		return events
	}
	if r.state == RxWaitPortOperational || r.state == RxWaitForFrame && !a.status.Admin.Rx() {
		events = a.deleteAll(events)
		r.state = RxInitialize
	}
	if r.state == RxInitialize && a.status.Admin.Rx() {
		r.state = RxWaitForFrame
	}
	return events
}

// age deletes the neighbours with an expired TTL, ends expired conditions (too many neighbours, loop), and appends
// the events.
// Clauses: DCBX/lldp.17.
func (a *Agent) age(events []Event) []Event {
	now := a.clock.now
	a.removed = a.rx.neighbors.removeIf(a.removed[:0], func(n Neighbor) bool { return now >= n.Expires })
	a.counters.Rx.TotalAgeouts += uint64(len(a.removed))
	a.counters.Remote.Ageouts += uint64(len(a.removed))
	events = a.reportGone(Aged, events)
	if a.rx.tooMany && now >= a.rx.tooManyUntil {
		a.rx.tooMany = false
		events = append(events, Event{Kind: TooManyNeighborsEnded})
	}
	if a.rx.loop && now >= a.rx.loopUntil {
		a.rx.loop = false
		events = append(events, Event{Kind: LoopEnded})
	}
	return events
}

// deleteAll runs RX_LLDP_INITIALIZE: it deletes every neighbour, ends the conditions too many neighbours and loop, and
// appends the events.
func (a *Agent) deleteAll(events []Event) []Event {
	a.removed = a.rx.neighbors.removeIf(a.removed[:0], func(Neighbor) bool { return true })
	events = a.reportGone(Initialized, events)
	a.rx.tooManyUntil, a.rx.loopUntil = a.clock.now, a.clock.now
	return a.age(events)
}

// Receive processes a frame received on the port and appends the resulting events. Frames with
// another destination address belong to another agent and are ignored. The agent does not keep the
// frame.
func (a *Agent) Receive(frame []byte, now wire.Time, events []Event) []Event {
	a.clock.read(now)
	a.reportStatus()
	events = a.runReceive(events)
	if a.rx.state != RxWaitForFrame {
		return events
	}
	f, fault := ParseFrame(frame)
	if fault == NoFault && f.Destination != a.config.Destination {
		return events
	}
	a.counters.Rx.TotalFrames++
	if fault == NoFault {
		fault = a.parsed.Parse(f.PDU)
	}
	if fault != NoFault {
		a.counters.Rx.TotalDiscardedFrames++
		a.counters.Rx.ErrorFrames++
		a.counters.Rx.Discards[fault]++
		return events
	}
	a.countTLVs()
	return a.process(f, events)
}

// countTLVs counts the discarded and the unrecognized TLVs of an accepted LLDPDU. With discarded TLVs the LLDPDU counts
// as one with errors.
func (a *Agent) countTLVs() {
	if a.parsed.Discarded > 0 {
		a.counters.Rx.ErrorFrames++
		a.counters.Rx.TotalDiscardedTLVs += uint64(a.parsed.Discarded)
	}
	a.counters.Rx.TotalUnrecognizedTLVs += uint64(len(a.parsed.Unknown))
	for _, o := range a.parsed.Org {
		if !a.Recognizes(o.OUI, o.Subtype) {
			a.counters.Rx.TotalUnrecognizedTLVs++
		}
	}
}

// process handles the LLDPDU in a.parsed, received in frame f (RX_FRAME): it adds, updates or deletes a neighbour,
// and appends the events.
func (a *Agent) process(f Frame, events []Event) []Event {
	if a.local.SentBy(&a.parsed) {
		return a.receivedLoop(events)
	}
	octets := f.PDU[:a.parsed.Len]
	i := a.rx.neighbors.find(octets[:a.parsed.msapLen()])
	switch {
	case a.parsed.Shutdown() && i >= 0:
		return a.delete(i, ShutDown, events)
	case a.parsed.Shutdown():
		return events
	case i < 0:
		return a.insert(f, octets, events)
	}
	return a.update(i, f, octets, events)
}

// receivedLoop discards a frame with the agent's own identity (the agent's own frame returned, or a frame of
// another agent with the same ids), and appends an event at the first.
func (a *Agent) receivedLoop(events []Event) []Event {
	a.counters.Rx.Looped++
	a.counters.Rx.TotalDiscardedFrames++
	a.rx.loopUntil = a.clock.now.Add(time.Duration(a.config.Timers.TTL()) * time.Second)
	if !a.rx.loop {
		a.rx.loop = true
		events = append(events, Event{Kind: LoopBegan})
	}
	return events
}

// update stores a newer LLDPDU of the neighbour at index i (UPDATE_INFO), or only extends its life (rxInfoTTL) if
// nothing else has changed, and appends the event.
func (a *Agent) update(i int, f Frame, octets []byte, events []Event) []Event {
	n, now := &a.rx.neighbors.list[i], a.clock.now
	changed := !n.Info.equalButTTL(octets)
	if changed || n.Info.TTL != a.parsed.TTL {
		n.Info = newInfo(octets)
	}
	n.Source, n.Heard, n.Expires = f.Source, now, now.Add(time.Duration(a.parsed.TTL)*time.Second)
	if changed {
		n.Changed = now
		a.neighborsChanged()
		events = append(events, Event{Kind: NeighborUpdated, Neighbor: a.inCallerTime(*n)})
	}
	a.reportSighting(Sighting{Subject: n.Info, Source: n.Source, Changed: changed})
	return events
}

// delete deletes the neighbour at index i (DELETE_INFO) for a cause, and appends the event.
func (a *Agent) delete(i int, cause Cause, events []Event) []Event {
	a.removed = append(a.removed[:0], a.rx.neighbors.remove(i))
	return a.reportGone(cause, events)
}

// reportGone reports the neighbours in a.removed as deleted, to the providers and by events. The caller removes all
// of them from the table first, so that no provider sees a departed neighbour in Sighting.Neighbors.
func (a *Agent) reportGone(cause Cause, events []Event) []Event {
	for _, n := range a.removed {
		a.neighborsChanged()
		a.counters.Remote.Deletes++
		a.reportSighting(Sighting{Subject: n.Info, Source: n.Source, Gone: cause})
		events = append(events, Event{Kind: NeighborDeleted, Cause: cause, Neighbor: a.inCallerTime(n)})
	}
	clear(a.removed)
	return events
}

// neighborsChanged records that the neighbours have changed now.
func (a *Agent) neighborsChanged() { a.rx.changed, a.rx.lastChange = true, a.clock.now }

// reportSighting passes a Sighting (a neighbour has appeared, sent an LLDPDU, or gone) to the providers, with the
// list of the present neighbours.
func (a *Agent) reportSighting(s Sighting) {
	if len(a.providers) == 0 {
		return
	}
	a.infos, a.sources = a.infos[:0], a.sources[:0]
	for i := range a.rx.neighbors.list {
		a.infos, a.sources = append(a.infos, a.rx.neighbors.list[i].Info), append(a.sources, a.rx.neighbors.list[i].Source)
	}
	s.Neighbors, s.Sources, s.TooMany = a.infos, a.sources, a.rx.tooMany
	for _, p := range a.providers {
		if p.NeighborSeen(s, a.clock.caller) {
			a.LocalChange()
		}
	}
}
