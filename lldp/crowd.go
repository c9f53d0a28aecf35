package lldp

// How the table of neighbours stays bounded and still keeps those who matter
// (802.1AB 9.2, tooManyNeighbors). Who is in the table stays there as long as it
// is heard, whatever else arrives: a flood of senders that were never heard
// before cannot push it out. Who comes when the table is full is dropped and
// counted. But a neighbour that has been silent for as long as this agent's own
// frames are good for gives up its place to a new one, however long its TTL is:
// what a flood has left behind blocks nobody for longer than that.

// insert takes the first LLDPDU of a neighbour.
func (a *Agent) insert(f Frame, octets []byte, events []Event) []Event {
	now := a.clock.now
	if a.rx.known.full() {
		i := a.rx.known.silentest(now - int64(a.config.Timers.TTL())*second)
		if i < 0 {
			return a.tooMany(events)
		}
		events = a.delete(i, Displaced, events)
	}
	n := Neighbor{Info: newInfo(octets), Source: f.Source, Since: now, Changed: now, Heard: now,
		Expires: now + int64(a.parsed.TTL)*second}
	a.rx.known.list = append(a.rx.known.list, n)
	a.neighborsChanged()
	a.counters.Remote.Inserts++
	a.tx.timer.newNeighbor, a.due = true, true
	a.tellSighting(Sighting{Subject: n.Info, New: true, Changed: true})
	return append(events, Event{Kind: NeighborAdded, Neighbor: a.outside(n)})
}

// tooMany drops the LLDPDU of a neighbour for whom there is no room. The condition
// lasts as long as the longest TTL of those dropped.
func (a *Agent) tooMany(events []Event) []Event {
	a.counters.Remote.Drops++
	a.counters.Rx.TotalDiscardedFrames++
	a.rx.tooManyUntil = max(a.rx.tooManyUntil, a.clock.now+int64(a.parsed.TTL)*second)
	if !a.rx.tooMany {
		a.rx.tooMany = true
		events = append(events, Event{Kind: TooManyNeighborsBegan})
	}
	return events
}
