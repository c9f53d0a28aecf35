package dataplane

import (
	"math/bits"

	"uelink/dataplane/qos"
)

// assured is the chunks of a source that only frames of certain classes take: those that a
// partner has credits for, or a host is told to stop by PFC. They are there whatever else waits.
type assured struct {
	chunks [qos.Classes]int // by class, the most that it takes
	held   [qos.Classes]int // that it takes now
	total  int              // over all classes; at most the sum of chunks
	taken  int
}

// set takes how many each class has, and all of them together.
func (a *assured) set(chunks [qos.Classes]int, total int) { a.chunks, a.total = chunks, total }

// hold notes that a class takes n more.
func (a *assured) hold(class uint8, n int) {
	a.held[class] += n
	a.taken += n
}

// Assured is how many chunks a port needs beside those of its rings, for frames that have credits or
// whose sender PFC stops.
func (s *PortSettings) Assured() int {
	_, total := s.assures()
	return total
}

// assures is how many chunks a port assures to each class, and to all together: a frame of the least
// length takes a whole one, so a credit limit is worth as many as there can be such frames.
func (s *PortSettings) assures() (chunks [qos.Classes]int, total int) {
	for set := s.PFC.assures(); set != 0; set &= set - 1 {
		chunks[bits.TrailingZeros8(set)] = s.PFC.XOff + s.PFC.Headroom
		total += s.PFC.XOff + s.PFC.Headroom
	}
	c := &s.CBFC
	if s.Role != RoleLink || !c.On {
		return chunks, total
	}
	least := c.Size.Credits(0)
	for vc, limit := range c.Limit {
		chunks[vc] = int(limit) / least
		if c.Total > 0 && limit > 0 {
			chunks[vc] = int(c.Total) / least
		}
		total += chunks[vc]
	}
	if c.Total > 0 {
		total = int(c.Total) / least
	}
	return chunks, total
}

// holdsAssured reports whether the memory of a port's sockets has room for what other settings assure, beside at least
// half of the room that a port opened with these settings shares.
func (a *attachment) holdsAssured(s *PortSettings) bool {
	if a.host == nil {
		return true
	}
	total := s.Assured()
	wanted := s.inPieces(s.geometry(a.window), a.host.pieces).Spare - total
	return a.host.sockets[0].Geometry().Spare-total >= wanted/2
}

// assure gives the sources of a port the chunks that its settings assure now.
func (d *domain) assure(p *port) {
	for _, s := range p.sources {
		s.assured.set(p.settings.assures())
	}
	d.provide()
}
