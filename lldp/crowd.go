package lldp

import "time"

// The table of neighbours is bounded, and a flood of LLDPDUs cannot push a present neighbour out
// (802.1AB 9.2, tooManyNeighbors). A neighbour stays in the table as long as its LLDPDUs arrive.
// When the table is full, the LLDPDU of a new sender is dropped and counted. One exception: a
// neighbour that has been silent for txTTL (the time to live of this agent's own frames) gives up
// its place to a new sender, however long its own TTL is. So a past flood blocks new neighbours for
// txTTL at most.

// insert adds the neighbour that has sent the LLDPDU in a.parsed to the table, or drops the LLDPDU if the table is
// full. It appends the resulting events.
func (a *Agent) insert(f Frame, octets []byte, events []Event) []Event {
	now := a.clock.now
	if a.rx.neighbors.full() {
		i := a.rx.neighbors.silentest(now.Add(-time.Duration(a.config.Timers.TTL()) * time.Second))
		if i < 0 {
			return a.tooMany(events)
		}
		events = a.delete(i, Displaced, events)
	}
	n := Neighbor{Info: newInfo(octets), Source: f.Source, Since: now, Changed: now, Heard: now,
		Expires: now.Add(time.Duration(a.parsed.TTL) * time.Second)}
	a.rx.neighbors.list = append(a.rx.neighbors.list, n)
	a.neighborsChanged()
	a.counters.Remote.Inserts++
	a.tx.timer.newNeighbor, a.due = true, true
	a.reportSighting(Sighting{Subject: n.Info, Source: n.Source, New: true, Changed: true})
	return append(events, Event{Kind: NeighborAdded, Neighbor: a.inCallerTime(n)})
}

// tooMany drops the LLDPDU of a neighbour for which the table has no room, and appends the event. The condition
// tooManyNeighbors lasts as long as the longest TTL of the dropped LLDPDUs.
func (a *Agent) tooMany(events []Event) []Event {
	a.counters.Remote.Drops++
	a.counters.Rx.TotalDiscardedFrames++
	a.rx.tooManyUntil = max(a.rx.tooManyUntil, a.clock.now.Add(time.Duration(a.parsed.TTL)*time.Second))
	if !a.rx.tooMany {
		a.rx.tooMany = true
		events = append(events, Event{Kind: TooManyNeighborsBegan})
	}
	return events
}
