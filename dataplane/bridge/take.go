package bridge

// Take takes in a frame that Look has judged, once it is known that it is good and has not come
// before. It is false for a frame that is dropped; v.Drop then says why, and the drop is
// counted.
func (b *Bridge) Take(in int, addresses []byte, v *Verdict, now int64) bool {
	p := b.port(in)
	if p == nil || v.Drop == DropPort {
		v.Drop = DropPort
		b.counters.RxDropPort++
		return false
	}
	if reason := b.admit(p, v, now); reason != NoReason {
		v.Drop = reason
	} else if p.settings.Learning && !b.learn(in, keyOf(source(addresses), v.VLAN), now) {
		v.Drop = DropBlocked
	}
	switch v.Drop {
	case NoReason:
		p.taken[v.Class]++
		return true
	case DropEgressBlocked:
		p = b.port(v.Out)
	}
	if p != nil {
		p.drops[v.Drop]++
	}
	return false
}

// admit says why a frame does not get in, so that nothing is learned from it.
func (b *Bridge) admit(p *port, v *Verdict, now int64) Reason {
	switch {
	case p.blocked:
		return DropBlocked
	case v.Drop != NoReason && v.Drop <= DropStormMulticast:
		return v.Drop
	case !p.limits[v.Class].take(now):
		return v.Class.storm()
	}
	return NoReason
}

// learn notes that an address is behind port in. It is false when that made the loop guard
// block the port. A static address stays where it is.
func (b *Bridge) learn(in int, key uint64, now int64) bool {
	at, found := b.table.find(key)
	if !found {
		b.learnNew(at, newEntry(key, in, now), now)
		return true
	}
	e := &b.table.slots[at]
	switch {
	case e.static():
		if e.port() != in {
			b.counters.FDBMovesRefused++
		}
		return true
	case b.aged(e, now):
		b.counters.FDBAged++
		b.counters.FDBLearned++
	case e.port() != in:
		if !b.move(e, in, now) {
			return false
		}
	}
	*e = newEntry(key, in, now)
	return true
}

// learnNew puts a new address into a free slot that find has returned, if there is room.
func (b *Bridge) learnNew(at int, e entry, now int64) {
	if at < 0 || b.learned >= b.settings.MaxEntries {
		b.counters.FDBFull++
		if !b.full {
			b.full = true
			b.events.tell(Event{Kind: TableFull, Address: e.address(), To: e.port()}, now)
		}
		return
	}
	b.table.put(at, e)
	b.learned++
	b.counters.FDBLearned++
	if b.sweepAt == never && b.settings.Ageing > 0 {
		b.sweepAt = now + b.sweepEvery()
	}
}
