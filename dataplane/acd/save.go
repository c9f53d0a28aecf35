package acd

import (
	"cmp"
	"slices"
	"strconv"

	"uelink/internal/snapshot"
)

// PassState saves to snapshot s, or restores from it, the conflicts, whose end is to be reported; in a restored table
// they are in the order of their addresses. All other claims are forgotten: hosts soon claim again.
func (t *Table) PassState(s *snapshot.State) {
	var list []entry
	for _, at := range t.conflicts[:t.count] {
		list = append(list, t.slots[at])
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	snapshot.List(s, "conflicts", &list, conflictsMax, func(s *snapshot.State, e *entry) { e.passState(s) })
	snapshot.Number(s, "event_at", &t.eventAt)
	if s.Restoring() && s.Valid() {
		t.restore(list)
	}
}

// passState saves an address and its claimants to a snapshot, or restores them.
func (e *entry) passState(s *snapshot.State) {
	snapshot.Number(s, "key", &e.key)
	for i := range e.sides {
		name := strconv.Itoa(i)
		snapshot.Numbers(s, "mac"+name, e.sides[i].mac[:])
		snapshot.Number(s, "port"+name, &e.sides[i].port)
		snapshot.Number(s, "at"+name, &e.sides[i].at)
	}
	snapshot.Number(s, "points", &e.points)
	snapshot.Number(s, "back_at", &e.backAt)
	s.Bool("told", &e.reported)
	s.Check(e.key&taken != 0 && e.points <= enough, "address %x with %d points", e.key, e.points)
}

// restore puts restored conflicts into an empty table. What has no room is forgotten.
func (t *Table) restore(list []entry) {
	t.changed, t.count = true, 0
	clear(t.slots)
	for i := range list {
		at := t.find(list[i].key, true)
		if at == nil {
			continue
		}
		*at = list[i]
		t.begin(at)
	}
}
