package bridge

import (
	"time"

	"uelink/wire"
)

// sweepSlots is how many slots a step of the sweep checks: some microseconds of work.
const sweepSlots = 1024

// The sweep covers the whole table in this part of the ageing time. Aged addresses are not used even before the sweep
// reaches them: the sweep only makes room.
const sweepPart = 4

// sweepLeast is the least time between two steps of the sweep.
const sweepLeast = time.Millisecond

// roomPart is the part of a full table that must be free again before another TableFull event.
const roomPart = 8

// Poll runs the timers and returns when to call Poll next, or wire.Never. Admit and Configure may bring the
// deadline forward. Calling Poll early or late is harmless.
func (b *Bridge) Poll(now wire.Time) (deadline wire.Time) {
	if now >= b.wakeAt {
		b.unblock(now)
	}
	if now >= b.sweepAt {
		b.sweep(now)
	}
	return min(b.wakeAt, b.sweepAt)
}

// aged reports whether a table entry is older than the ageing time; static entries never are.
func (b *Bridge) aged(e *entry, now wire.Time) bool {
	return !e.static() && b.settings.Ageing > 0 && now.Sub(e.seen()) >= b.settings.Ageing
}

// sweep removes the aged entries from the next few slots of the address table, from the cursor on, and schedules the
// next step (sweepAt), if learned addresses are left.
func (b *Bridge) sweep(now wire.Time) {
	for range min(sweepSlots, len(b.table.slots)) {
		if e := &b.table.slots[b.cursor]; e.key != 0 && b.aged(e, now) {
			b.erase(b.cursor) // which may move another entry here
			b.counters.FDBAged++
			continue
		}
		b.cursor = (b.cursor + 1) & (len(b.table.slots) - 1)
	}
	b.sweepAt = wire.Never
	if b.learned > 0 && b.settings.Ageing > 0 {
		b.sweepAt = now.Add(b.sweepEvery())
	}
}

// sweepEvery returns the time between two calls of sweep.
func (b *Bridge) sweepEvery() time.Duration {
	steps := max(1, len(b.table.slots)/sweepSlots)
	return max(b.settings.Ageing/sweepPart/time.Duration(steps), sweepLeast)
}

// erase removes the entry in a slot of the address table.
func (b *Bridge) erase(at int) {
	if !b.table.slots[at].static() {
		b.learned--
	}
	b.table.erase(at)
	b.updateFull()
}

// updateFull ends the full state of the address table once enough of it is free: it reports Room, and from then on
// TableFull may be reported again.
func (b *Bridge) updateFull() {
	if b.full && b.learned <= b.settings.MaxEntries-max(1, b.settings.MaxEntries/roomPart) {
		b.full = false
		b.events.add(Event{Kind: Room}, 0) // has no limit
	}
}

// removeIf removes all entries of the address table for which goes returns true, and returns their number. It
// checks the whole table: 1 to 5 ms for 100,000 addresses.
func (b *Bridge) removeIf(goes func(*entry) bool) (removed int) {
	if b.table.count == 0 {
		return 0
	}
	for at := 0; at < len(b.table.slots); {
		if e := &b.table.slots[at]; e.key != 0 && goes(e) {
			b.erase(at) // which may move another entry here
			removed++
		} else {
			at++
		}
	}
	return removed
}
