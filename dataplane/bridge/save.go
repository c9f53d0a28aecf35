package bridge

import (
	"strconv"

	"uelink/internal/snapshot"
	"uelink/wire"
)

// entriesMax is the most entries of a table in a snapshot: the most that a configuration allows, and the static ones.
const entriesMax = 1<<20 + MaxStatic

// PassState saves to snapshot s, or restores from it, settings, ports, addresses with their ages, the loop guard, the
// counters and the events that the owner has not fetched. The secret of the hash stays out: a restored bridge has its
// own.
func (b *Bridge) PassState(s *snapshot.State) {
	s.Struct("settings", &b.settings)
	s.Check(b.settings.MaxEntries >= 0 && b.settings.MaxEntries <= 1<<20, "max_entries %d", b.settings.MaxEntries)
	s.Group("ports", b.passPorts)
	s.Group("table", b.passTable)
	s.Bool("full", &b.full)
	snapshot.Number(s, "sweep_at", &b.sweepAt)
	snapshot.Number(s, "wake_at", &b.wakeAt)
	s.Group("bouts", b.passBouts)
	s.Group("events", b.events.passState)
	s.Struct("counters", &b.counters)
}

// passPorts saves to snapshot s, or restores from it, the bridge's ports. Their VLANs follow from their settings.
func (b *Bridge) passPorts(s *snapshot.State) {
	if s.Restoring() {
		b.vlans = newVLANs()
	}
	for n := range b.ports {
		present := b.ports[n] != nil
		name := strconv.Itoa(n)
		s.Bool("has"+name, &present)
		if s.Restoring() {
			b.ports[n] = nil
			if present {
				b.ports[n] = &port{}
			}
		}
		if present {
			s.Group(name, b.ports[n].passState)
		}
		if present && s.Restoring() {
			b.vlans.joinAll(n, &b.ports[n].settings, b.settings.VLANFiltering)
		}
	}
}

// passState saves one bridge port to a snapshot, or restores it.
func (p *port) passState(s *snapshot.State) {
	s.Struct("settings", &p.settings)
	for class := range p.limits {
		s.Group("limit"+strconv.Itoa(class), p.limits[class].passState)
	}
	s.Bool("blocked", &p.blocked)
	snapshot.Number(s, "until", &p.until)
	snapshot.Numbers(s, "admitted", p.admitted[:])
	snapshot.Numbers(s, "drops", p.drops[:])
	snapshot.Number(s, "blocks", &p.blocks)
	s.Check(p.settings.PVID <= MaxVLAN, "pvid %d", p.settings.PVID)
}

// passState saves to snapshot s, or restores from it, a token bucket (state of a rate limit).
func (b *bucket) passState(s *snapshot.State) {
	snapshot.Number(s, "rate", &b.rate)
	snapshot.Number(s, "tokens", &b.tokens)
	snapshot.Number(s, "last", &b.last)
	s.Check(b.rate >= 0 && b.rate < 1<<32 && b.tokens >= 0 && b.tokens <= b.capacity(), "%d tokens of %d a second",
		b.tokens, b.rate)
}

// passTable saves the entries of the address table to a snapshot, or restores them.
func (b *Bridge) passTable(s *snapshot.State) {
	n, slots := b.table.count, len(b.table.slots)
	snapshot.Number(s, "slots", &slots)
	snapshot.Number(s, "entries", &n)
	s.Check(slots >= minSlots && slots <= slotsFor(entriesMax) && slots&(slots-1) == 0, "%d slots", slots)
	s.Check(n >= 0 && slotsFor(n) <= slots, "%d entries in %d slots", n, slots)
	if !s.Valid() {
		return
	}
	keys, words := make([]uint64, n), make([]wire.Time, n)
	if !s.Restoring() {
		b.table.list(keys, words)
	}
	snapshot.Numbers(s, "key", keys)
	snapshot.Numbers(s, "word", words)
	if s.Restoring() {
		b.table.slots, b.table.count = make([]entry, slots), 0
		b.restoreEntries(s, keys, words)
	}
}

// list fills keys and words with the table's entries in the order of their slots, beginning at a free slot. Put in
// this order into an empty table of the same size and secret, the entries get the same slots again.
func (t *table) list(keys []uint64, words []wire.Time) {
	mask := len(t.slots) - 1
	free := 0
	for t.slots[free].key != 0 {
		free++
	}
	n := 0
	for i := range t.slots {
		if e := &t.slots[(free+i)&mask]; e.key != 0 && n < len(keys) {
			keys[n], words[n] = e.key, e.word
			n++
		}
	}
}

// restoreEntries fills the address table with the restored entries: keys[i] is an address with its VLAN, words[i] its
// port and the time last seen. It counts the learned ones, and makes the table larger if the settings ask for more
// room.
func (b *Bridge) restoreEntries(s *snapshot.State, keys []uint64, words []wire.Time) {
	static := 0
	for i := range keys {
		e := entry{keys[i], words[i]}
		if e.static() {
			static++
		}
	}
	b.learned, b.cursor = len(keys)-static, 0
	s.Check(static <= MaxStatic, "%d static addresses", static)
	if !s.Valid() {
		return
	}
	if needed := max(b.settings.MaxEntries, b.learned) + static; slotsFor(needed) > len(b.table.slots) {
		b.table.resize(needed)
	}
	for i := range keys {
		if !b.restoreEntry(s, entry{keys[i], words[i]}) {
			return
		}
	}
}

// restoreEntry puts an entry into the table. ok is false for an entry that no table can have. The bridge may no longer
// have the VLAN of an entry, if the entry was learned just before a change of the settings.
func (b *Bridge) restoreEntry(s *snapshot.State, e entry) (ok bool) {
	a := e.address()
	if err := CheckMAC(a.MAC); err != nil || e.key != a.key() || a.VLAN >= 1<<12 || b.port(e.port()) == nil {
		s.Check(false, "address %s in VLAN %d at port %d: %v", a, a.VLAN, e.port(), err)
		return false
	}
	at, found := b.table.find(e.key)
	// No slot near enough is free: a larger table has one.
	for ; at < 0; at, found = b.table.find(e.key) {
		b.table.resize(len(b.table.slots))
	}
	if s.Check(!found, "address %s in VLAN %d twice", a, a.VLAN); found {
		return false
	}
	b.table.put(at, e)
	return true
}

// passBouts saves the addresses that the loop guard watches because they move back and forth between ports, or
// restores them. If two restored addresses fall into the same slot, the later one is no longer watched.
func (b *Bridge) passBouts(s *snapshot.State) {
	var list []bout
	for _, o := range b.bouts {
		if o.key != 0 {
			list = append(list, o)
		}
	}
	snapshot.List(s, "bout", &list, boutsMax, func(s *snapshot.State, o *bout) {
		snapshot.Number(s, "key", &o.key)
		snapshot.Number(s, "began", &o.began)
		snapshot.Number(s, "last", &o.last)
		snapshot.Number(s, "home", &o.home)
		snapshot.Number(s, "later", &o.later)
		snapshot.Number(s, "moves", &o.moves)
		snapshot.Number(s, "stray", &o.stray)
		s.Bool("reported", &o.reported)
		s.Check(b.port(int(o.home)) != nil && b.port(int(o.later)) != nil, "between ports %d and %d", o.home, o.later)
	})
	if s.Restoring() {
		b.bouts = [boutsMax]bout{}
		for _, o := range list {
			if place := &b.bouts[b.table.hash(o.key)>>56%boutsMax]; place.key == 0 {
				*place = o
			}
		}
	}
}

// passState saves the events that wait to be fetched, and the state of their rate limits, to a snapshot, or restores
// them.
func (e *events) passState(s *snapshot.State) {
	list := make([]Event, 0, e.count)
	for i := range e.count {
		list = append(list, e.ring[(e.next+i)%eventsKept])
	}
	snapshot.List(s, "waiting", &list, eventsKept, func(s *snapshot.State, v *Event) {
		s.Struct("event", v)
		s.Check(v.Kind > 0 && v.Kind < numKinds, "kind %d", v.Kind)
	})
	if s.Restoring() {
		e.next, e.count = 0, copy(e.ring[:], list)
	}
	for kind := range e.limits {
		s.Group("limit"+strconv.Itoa(kind), e.limits[kind].passState)
	}
	snapshot.Number(s, "suppressed", &e.suppressed)
	snapshot.Number(s, "lost", &e.lost)
}
