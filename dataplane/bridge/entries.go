package bridge

import (
	"fmt"

	"uelink/wire"
)

// MaxStatic is the most static addresses of a bridge.
const MaxStatic = 65536

// Add makes an address static at a port, in place of a learned entry; Static and Age of the argument are ignored.
// Errors: an EntryError for an address that no station has or a VLAN out of range, ErrNoPort, ErrEntryExists,
// ErrTableFull.
func (b *Bridge) Add(e Entry) error {
	if err := b.check(e.Address, e.Port); err != nil {
		return err
	}
	at, found := b.table.find(e.key())
	if found && b.table.slots[at].static() && b.table.slots[at].port() != e.Port {
		return fmt.Errorf("%s: %w", e.Address, ErrEntryExists)
	}
	return b.addStatic(e.Address, e.Port)
}

// addStatic makes an address static at a port as Add does, also if the address is static at another port. The table
// becomes larger if needed.
func (b *Bridge) addStatic(a Address, port int) error {
	if err := b.check(a, port); err != nil {
		return err
	}
	if at, found := b.table.find(a.key()); found {
		b.erase(at)
	}
	if b.static() >= MaxStatic {
		return fmt.Errorf("%s: %w: there are %d", a, ErrTableFull, MaxStatic)
	}
	if needed := b.capacity() + 1; slotsFor(needed) > len(b.table.slots) {
		b.resize(needed)
	}
	at, _ := b.table.find(a.key())
	// No slot near enough is free: a larger table has one.
	for ; at < 0; at, _ = b.table.find(a.key()) {
		b.resize(len(b.table.slots))
	}
	b.table.put(at, newEntry(a.key(), port|staticFlag, 0))
	return nil
}

// addStatics adds the static addresses of a port's settings. It returns the error about the first address that is
// not valid, and adds the others all the same.
func (b *Bridge) addStatics(port int, list []Address) (first error) {
	for _, a := range list {
		if err := b.addStatic(a, port); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// removeStatics removes the static addresses of a port's settings from the address table.
func (b *Bridge) removeStatics(port int, list []Address) {
	for _, a := range list {
		at, found := b.table.find(a.key())
		if found && b.table.slots[at].static() && b.table.slots[at].port() == port {
			b.erase(at)
		}
	}
}

// static returns the number of static addresses in the address table.
func (b *Bridge) static() int { return b.table.count - b.learned }

// capacity returns for how many entries the address table must have room.
func (b *Bridge) capacity() int { return max(b.settings.MaxEntries, b.learned) + b.static() }

// resize makes room in the address table for n entries.
func (b *Bridge) resize(n int) {
	b.table.resize(n)
	b.cursor = 0
}

// Delete removes an address at a port, static or learned. Errors: an EntryError as of Add, ErrNoPort, ErrNoEntry.
func (b *Bridge) Delete(a Address, port int) error {
	if err := b.check(a, port); err != nil {
		return err
	}
	if at, found := b.table.find(a.key()); found && b.table.slots[at].port() == port {
		b.erase(at)
		return nil
	}
	return fmt.Errorf("%s: %w", a, ErrNoEntry)
}

// Flush removes the addresses learned at a port, or at all ports for -1, in a VLAN, or in all VLANs for -1; static
// addresses stay. It returns the number of removed addresses. With 100,000 addresses it takes some milliseconds.
// Errors: ErrNoPort, an EntryError for a VLAN out of range.
func (b *Bridge) Flush(port, vlan int) (int, error) {
	if port != -1 && b.port(port) == nil {
		return 0, ErrNoPort
	}
	if vlan != -1 {
		if err := b.checkVLAN(vlan); err != nil {
			return 0, err
		}
	}
	return b.removeIf(func(e *entry) bool {
		return !e.static() && (port == -1 || e.port() == port) && (vlan == -1 || int(e.vlan()) == vlan)
	}), nil
}

// Entries returns the entries of the address table in no order, without aged entries. With 100,000 addresses it
// takes some milliseconds; EntriesPart does not.
func (b *Bridge) Entries(now wire.Time) []Entry {
	list, next := b.EntriesPart(make([]Entry, 0, b.table.count), 0, now)
	for next != 0 {
		list, next = b.EntriesPart(list, next, now)
	}
	return list
}

// EntriesPart appends a part of the table, at most 1024 addresses without aged entries, to list. from is 0 for the
// first part, then the next of the last call; next is 0 after the last part. An address that changes its slot in
// between may be listed twice or not at all.
func (b *Bridge) EntriesPart(list []Entry, from int, now wire.Time) (longer []Entry, next int) {
	if from <= 0 || from > len(b.table.slots) {
		from = len(b.table.slots)
	}
	next = max(0, from-sweepSlots)
	for at := from - 1; at >= next; at-- { // downwards, since an erased entry moves others down
		if e := &b.table.slots[at]; e.key != 0 && !b.aged(e, now) {
			list = append(list, b.entry(e, now))
		}
	}
	return list, next
}

// entry returns a table entry as an Entry: address, port, static or age.
func (b *Bridge) entry(e *entry, now wire.Time) Entry {
	out := Entry{Address: e.address(), Port: e.port(), Static: e.static()}
	if !out.Static {
		out.Age = now.Sub(e.seen())
	}
	return out
}
