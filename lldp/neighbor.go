package lldp

import (
	"bytes"
	"slices"

	"uelink/wire"
)

// Info is what a neighbour said last. It never changes: an LLDPDU that says
// something else makes a new Info, so that one may be kept and read anywhere.
type Info struct {
	PDU
	octets []byte
}

// Octets is the LLDPDU as it came, to the end of End Of LLDPDU. Not to be
// written to.
func (i *Info) Octets() []byte { return i.octets }

// NewInfo parses an LLDPDU and copies it. What follows its end is left out.
func NewInfo(octets []byte) (*Info, Fault) {
	var parsed PDU
	if fault := parsed.Parse(octets); fault != NoFault {
		return nil, fault
	}
	return newInfo(octets[:parsed.Len]), NoFault
}

// newInfo copies an LLDPDU that has been parsed without fault.
func newInfo(octets []byte) *Info {
	i := &Info{octets: bytes.Clone(octets)}
	i.Parse(i.octets)
	return i
}

// msap is the identity of the sender: its first two TLVs.
func (i *Info) msap() []byte { return i.octets[:i.msapLen()] }

// SameMSAP tells whether both come from the same port of the same station.
func (i *Info) SameMSAP(o *Info) bool { return bytes.Equal(i.msap(), o.msap()) }

// says tells whether an LLDPDU of the same sender says the same but for its TTL.
func (i *Info) says(octets []byte) bool {
	ttl := i.msapLen() + tlvHeaderLen
	return len(octets) == len(i.octets) && bytes.Equal(octets[:ttl], i.octets[:ttl]) &&
		bytes.Equal(octets[ttl+ttlLen:], i.octets[ttl+ttlLen:])
}

// Neighbor is one port of another station, known by its chassis id and port id
// (the MSAP). Times are those of the agent's caller.
type Neighbor struct {
	Info    *Info
	Source  wire.MAC // of the latest frame
	Since   int64    // first LLDPDU
	Changed int64    // latest LLDPDU that said something new
	Heard   int64    // latest LLDPDU
	Expires int64    // end of the TTL
}

// table holds the neighbours, at most max, with times on the agent's clock.
type table struct {
	max  int
	list []Neighbor
}

// find is the place of a sender, or -1.
func (t *table) find(msap []byte) int {
	return slices.IndexFunc(t.list, func(n Neighbor) bool { return bytes.Equal(n.Info.msap(), msap) })
}

// full tells whether there is no room for another.
func (t *table) full() bool { return len(t.list) >= t.max }

// silentest is the place of the neighbour that has been silent for longest, if it
// was last heard before the given time; otherwise -1.
func (t *table) silentest(before int64) int {
	found := -1
	for i, n := range t.list {
		if n.Heard < before {
			found, before = i, n.Heard
		}
	}
	return found
}

// remove takes a neighbour out.
func (t *table) remove(i int) Neighbor {
	n := t.list[i]
	t.list = slices.Delete(t.list, i, i+1)
	return n
}

// removeIf takes out the neighbours of which gone is true and appends them to out.
func (t *table) removeIf(out []Neighbor, gone func(Neighbor) bool) []Neighbor {
	t.list = slices.DeleteFunc(t.list, func(n Neighbor) bool {
		if !gone(n) {
			return false
		}
		out = append(out, n)
		return true
	})
	return out
}

// nextExpiry is when the next neighbour ages out.
func (t *table) nextExpiry() int64 {
	at := int64(never)
	for _, n := range t.list {
		at = min(at, n.Expires)
	}
	return at
}
