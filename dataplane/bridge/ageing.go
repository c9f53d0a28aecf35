package bridge

import "time"

// The sweep looks at this many slots at a time: some microseconds of work.
const sweepSlots = 1024

// The sweep goes over the whole table in this part of the ageing time. Addresses that have
// aged are not believed before that either: the sweep only makes room.
const sweepPart = 4

// sweepLeast is the least time between two steps of the sweep.
const sweepLeast = time.Millisecond

// roomPart: a table that was full has room again, and may be told of again, when this part
// of it is free.
const roomPart = 8

// Poll does what is due and returns when something is due next, math.MaxInt64 for never. Take
// and Configure may bring that time forward. To call Poll early or late is harmless.
func (b *Bridge) Poll(now int64) (deadline int64) {
	if now >= b.wakeAt {
		b.unblock(now)
	}
	if now >= b.sweepAt {
		b.sweep(now)
	}
	return min(b.wakeAt, b.sweepAt)
}

// aged tells whether an entry is too old to be believed.
func (b *Bridge) aged(e *entry, now int64) bool {
	return !e.static() && b.settings.Ageing > 0 && now-e.seen() >= int64(b.settings.Ageing)
}

// sweep takes aged entries out of the next slots.
func (b *Bridge) sweep(now int64) {
	for range min(sweepSlots, len(b.table.slots)) {
		if e := &b.table.slots[b.cursor]; e.key != 0 && b.aged(e, now) {
			b.erase(b.cursor) // which may move another one here
			b.counters.FDBAged++
			continue
		}
		b.cursor = (b.cursor + 1) & (len(b.table.slots) - 1)
	}
	b.sweepAt = never
	if b.learned > 0 && b.settings.Ageing > 0 {
		b.sweepAt = now + b.sweepEvery()
	}
}

// sweepEvery is the time between two steps of the sweep.
func (b *Bridge) sweepEvery() int64 {
	steps := max(1, len(b.table.slots)/sweepSlots)
	return int64(max(b.settings.Ageing/sweepPart/time.Duration(steps), sweepLeast))
}

// erase takes out the entry in a slot.
func (b *Bridge) erase(at int) {
	if !b.table.slots[at].static() {
		b.learned--
	}
	b.table.erase(at)
	b.room()
}

// room notes that the table may be told of again when it is full.
func (b *Bridge) room() {
	if b.learned <= b.settings.MaxEntries-max(1, b.settings.MaxEntries/roomPart) {
		b.full = false
	}
}

// forget takes out all entries that are to go, and returns how many they were. It goes over
// the whole table: 1 to 5 ms for 100,000 addresses.
func (b *Bridge) forget(goes func(*entry) bool) (gone int) {
	if b.table.count == 0 {
		return 0
	}
	for at := 0; at < len(b.table.slots); {
		if e := &b.table.slots[at]; e.key != 0 && goes(e) {
			b.erase(at) // which may move another one here
			gone++
		} else {
			at++
		}
	}
	return gone
}
