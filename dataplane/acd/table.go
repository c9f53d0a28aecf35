// Package acd finds IPv4 addresses that hosts at two ports use, by the ARP frames that cross: address conflict
// detection (RFC 5227), as an observer sees it.
package acd

import (
	"time"

	"uelink/wire"
)

// The size of a table: buckets of ways entries each. A full bucket forgets the address that was claimed longest ago, so
// a flood of addresses can hide a conflict and make none.
const (
	ways    = 4
	buckets = 256
)

// conflictsMax is how many conflicts a table knows at once.
const conflictsMax = 16

// sidesMax is how many claimants of an address an entry remembers.
const sidesMax = 3

// A claimant comes back if it claims an address again after a host at another port has claimed the address. Two hosts
// that use one address come back again and again. A pod with another MAC, or a host that took the address over, does
// not come back. Each of a pair of routers (VRRP) announces an address that it takes over, so an announcement counts
// less than another packet.
const (
	backByPacket   = 2 // points for coming back by another packet than an announcement
	backByAnnounce = 1 // points for coming back by an announcement
	enough         = 4 // points of an address in conflict
)

// Quiet is the time between two claims after which they no longer count together, and after which a conflict is over:
// only one host has claimed the address in this time.
const Quiet = time.Minute

// side is a claimant of an address.
type side struct {
	mac  wire.MAC
	port uint16
	at   wire.Time // of the last claim; 0: there is no claimant
}

// entry is an address and its claimants, the latest first.
type entry struct {
	key      uint64 // 0: free
	sides    [sidesMax]side
	points   uint8     // points for claimants that came back, up to enough
	backAt   wire.Time // when points were last added
	conflict bool
	reported bool // the conflict was reported
}

// Table holds the claims of a set of ports that can send to each other. Use New.
type Table struct {
	slots     []entry              // the entries of all buckets; the number of buckets is a power of two
	conflicts [conflictsMax]uint16 // indexes in slots, the oldest conflict first
	count     int                  // number of conflicts
	changed   bool                 // a conflict has begun, ended or changed
	eventAt   wire.Time            // time from which another event may be reported
}

// New returns an empty table.
func New() Table { return newTable(buckets) }

func newTable(buckets int) Table { return Table{slots: make([]entry, buckets*ways)} }

// A key has the IP address in its low bits, the VLAN from bit vlanShift on, and the bit taken, so that no key is 0.
const (
	vlanShift = 32
	taken     = 1 << 63
)

// Received records the claim of an ARP packet that came in by a port in a VLAN: its sender becomes the latest claimant
// of the address. If the sender was a claimant before, and a host at another port has claimed the address since, the
// sender has come back, which may begin a conflict. A reply adds neither an address nor a claimant: it may be a
// proxy's.
func (t *Table) Received(p Packet, port int, vlan uint16, now wire.Time) {
	e := t.find(taken|uint64(vlan)<<vlanShift|uint64(p.IP), p.Kind != Answers)
	if e == nil {
		return
	}
	i := 0
	for i < sidesMax && (e.sides[i].at == 0 || e.sides[i].mac != p.MAC) {
		i++
	}
	found := i < sidesMax
	if !found && p.Kind == Answers { // perhaps a proxy
		return
	}
	last := e.sides[0]
	if i > 0 {
		copy(e.sides[1:], e.sides[:min(i, sidesMax-1)])
	}
	e.sides[0] = side{p.MAC, uint16(port), max(now, 1)}
	if found && i > 0 && last.port != uint16(port) && t.back(e, p.Kind, now) {
		t.begin(e)
	}
}

// back adds the points of a claimant that came back by a packet of kind k, and reports whether the points now suffice
// to begin a conflict. Points older than Quiet do not count.
func (t *Table) back(e *entry, k Kind, now wire.Time) bool {
	if now.Sub(e.backAt) > Quiet {
		e.points = 0
	}
	e.backAt = now
	if k == Announces {
		e.points += backByAnnounce
	} else {
		e.points += backByPacket
	}
	e.points = min(e.points, enough)
	return e.points == enough && !e.conflict
}

// begin adds an entry to the conflicts, if there is room.
func (t *Table) begin(e *entry) {
	if t.count == conflictsMax {
		return
	}
	for i := range t.slots {
		if &t.slots[i] == e {
			t.conflicts[t.count] = uint16(i)
		}
	}
	t.count++
	e.conflict, t.changed = true, true
}

// find returns the entry of a key. If there is none and create is true, find returns a new entry in a free place, or in
// the place of the oldest claim that is not in conflict; else nil.
func (t *Table) find(key uint64, create bool) *entry {
	bucket := t.bucket(key)
	var oldest *entry
	for i := range bucket {
		e := &bucket[i]
		if e.key == key {
			return e
		}
		if !e.conflict && (oldest == nil || e.sides[0].at < oldest.sides[0].at) {
			oldest = e
		}
	}
	if !create || oldest == nil {
		return nil
	}
	*oldest = entry{key: key}
	return oldest
}

// golden is 2^64 divided by the golden ratio.
const golden = 0x9E3779B97F4A7C15

// bucket returns the entries among which a key belongs.
func (t *Table) bucket(key uint64) []entry {
	at := int(key*golden>>32) & (len(t.slots)/ways - 1) * ways
	return t.slots[at : at+ways]
}

// Forget removes all claims that came in by a port. Conflicts with such a claim count as changed.
func (t *Table) Forget(port int) {
	for i := range t.slots {
		e := &t.slots[i]
		n := 0
		for _, s := range e.sides {
			if s.at != 0 && s.port != uint16(port) {
				e.sides[n] = s
				n++
			}
		}
		for ; n < sidesMax; n++ {
			t.changed = t.changed || e.conflict && e.sides[n].at != 0
			e.sides[n] = side{}
		}
	}
}
