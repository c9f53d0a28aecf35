package lldp

import (
	"bytes"
	"slices"

	"uelink/wire"
)

// Info is the latest LLDPDU of a neighbour. An Info is immutable: an LLDPDU with different content
// makes a new Info. So any goroutine may keep and read an Info.
type Info struct {
	PDU
	octets []byte
}

// Octets returns the received LLDPDU up to and including End Of LLDPDU. The caller must not write
// to the octets.
func (i *Info) Octets() []byte { return i.octets }

// NewInfo parses an LLDPDU and returns a copy of it with the parsed fields, without the octets after End Of
// LLDPDU. A faulty LLDPDU gives nil and the fault.
func NewInfo(octets []byte) (*Info, Fault) {
	var parsed PDU
	if fault := parsed.Parse(octets); fault != NoFault {
		return nil, fault
	}
	return newInfo(octets[:parsed.Len]), NoFault
}

// newInfo returns a copy, with the parsed fields, of an LLDPDU that was parsed without fault.
func newInfo(octets []byte) *Info {
	i := &Info{octets: bytes.Clone(octets)}
	i.Parse(i.octets)
	return i
}

// msap returns the identity of the sender (MSAP): the octets of the Chassis ID and Port ID TLVs.
func (i *Info) msap() []byte { return i.octets[:i.msapLen()] }

// SameMSAP reports whether the LLDPDUs i and o come from the same port of the same station: equal chassis id and
// port id.
// Clauses: DCBX/lldp.10.
func (i *Info) SameMSAP(o *Info) bool { return bytes.Equal(i.msap(), o.msap()) }

// equalButTTL reports whether octets, an LLDPDU of the same sender, equal i in everything but the TTL.
func (i *Info) equalButTTL(octets []byte) bool {
	ttl := i.msapLen() + tlvHeaderLen
	return len(octets) == len(i.octets) && bytes.Equal(octets[:ttl], i.octets[:ttl]) &&
		bytes.Equal(octets[ttl+ttlLen:], i.octets[ttl+ttlLen:])
}

// Neighbor is one port of another station, identified by chassis id and port id (the MSAP). Times
// are those of the agent's caller.
type Neighbor struct {
	Info    *Info
	Source  wire.MAC  // source address of the latest frame
	Since   wire.Time // arrival of the first LLDPDU
	Changed wire.Time // arrival of the latest LLDPDU with changed content
	Heard   wire.Time // arrival of the latest LLDPDU
	Expires wire.Time // end of the TTL
}

// table holds at most max neighbours. Times are on the agent's clock.
type table struct {
	max  int
	list []Neighbor
}

// find returns the index in the table of the neighbour with the given identity (MSAP), or -1.
// Clauses: DCBX/lldp.10.
func (t *table) find(msap []byte) int {
	return slices.IndexFunc(t.list, func(n Neighbor) bool { return bytes.Equal(n.Info.msap(), msap) })
}

// full reports whether the table has no room for another neighbour.
func (t *table) full() bool { return len(t.list) >= t.max }

// silentest returns the index of the neighbour whose last LLDPDU is the oldest, if it arrived before the given
// time, else -1.
func (t *table) silentest(before wire.Time) int {
	found := -1
	for i, n := range t.list {
		if n.Heard < before {
			found, before = i, n.Heard
		}
	}
	return found
}

// remove removes the neighbour at an index from the table and returns it.
func (t *table) remove(i int) Neighbor {
	n := t.list[i]
	t.list = slices.Delete(t.list, i, i+1)
	return n
}

// removeIf removes the neighbours for which remove returns true from the table, appends them to out and returns out.
func (t *table) removeIf(out []Neighbor, remove func(Neighbor) bool) []Neighbor {
	t.list = slices.DeleteFunc(t.list, func(n Neighbor) bool {
		if !remove(n) {
			return false
		}
		out = append(out, n)
		return true
	})
	return out
}

// nextExpiry returns the time at which the next neighbour of the table ages out, or wire.Never.
func (t *table) nextExpiry() wire.Time {
	at := wire.Never
	for _, n := range t.list {
		at = min(at, n.Expires)
	}
	return at
}
