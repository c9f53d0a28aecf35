package bridge

import "uelink/wire"

// Admit accepts or drops a frame with a verdict of Decide, once the frame is known to be good and new. Admit counts the
// frame, also against the storm limits, and learns the source address. For a dropped frame Admit returns false, and
// v.Drop is the reason.
func (b *Bridge) Admit(in int, addresses []byte, v *Verdict, now wire.Time) bool {
	p := b.port(in)
	if p == nil || v.Drop == DropPort {
		v.Drop = DropPort
		b.counters.RxDropPort++
		return false
	}
	if reason := b.checkIngress(p, v, now); reason != NoReason {
		v.Drop = reason
	} else if p.settings.Learning && !b.learn(in, keyOf(source(addresses), v.VLAN), now) {
		v.Drop = DropBlocked
	}
	if v.Drop == NoReason {
		p.admitted[v.Class]++
		return true
	}
	if v.Drop == DropEgressBlocked {
		p = b.port(v.Out)
	}
	if p != nil {
		p.drops[v.Drop]++
	}
	return false
}

// checkIngress returns the reason for which a frame received by port p is dropped before its source address is
// learned, or NoReason.
func (b *Bridge) checkIngress(p *port, v *Verdict, now wire.Time) Reason {
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

// learn records that a source address is behind port in: it adds, renews or moves the entry; an aged entry counts as a
// new one. learn returns false if the loop guard blocks the port because the address has moved. A static address stays
// at its port.
func (b *Bridge) learn(in int, key uint64, now wire.Time) bool {
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

// learnNew puts a new address into the address table: into the slot with number at, which find has returned as free; a
// negative at: no slot is free. learnNew counts each address without room, and reports the full table once.
func (b *Bridge) learnNew(at int, e entry, now wire.Time) {
	if at < 0 || b.learned >= b.settings.MaxEntries {
		b.counters.FDBFull++
		if !b.full {
			b.full = true
			b.events.add(Event{Kind: TableFull, Address: e.address(), To: e.port()}, now)
		}
		return
	}
	b.table.put(at, e)
	b.learned++
	b.counters.FDBLearned++
	if b.sweepAt == wire.Never && b.settings.Ageing > 0 {
		b.sweepAt = now.Add(b.sweepEvery())
	}
}
