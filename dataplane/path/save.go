package path

import (
	"strconv"

	"uelink/internal/snapshot"
)

// A saved port has everything that its next worker needs to go on with the same devices: the machines, the slots and
// chunks in use, the frames that wait, the counters, and the states already reported by events. It has no settings: the
// port that is restored was made with them.

// PassState saves the state of all ports of a domain and of its bridge to a snapshot, or restores it, with the frames
// that wait in the chunks of the ports' devices. A restored domain must have ports of the same names, attached to the
// same devices. Call Settle before saving.
func (d *Domain) PassState(s *snapshot.State) {
	d.passNumbers(s)
	for i, p := range d.ports {
		if p != nil && s.Valid() {
			s.Group("port"+strconv.Itoa(i), p.PassState)
		}
		if p != nil && s.Restoring() {
			d.assure(p) // the number of chunks depends on the restored result of DCBX
		}
	}
	// Each part refers to those before: sources to ports, queued frames to chunks of sources, and the octets of assembled
	// frames to the queues in which the frames wait.
	d.passSources(s)
	for i, p := range d.ports {
		if p != nil && s.Valid() {
			s.Group("queues"+strconv.Itoa(i), func(s *snapshot.State) { p.passQueues(d, s) })
		}
	}
	if s.Valid() {
		d.passAssembled(s)
	}
	if d.Bridge != nil {
		s.Group("bridge", d.Bridge.PassState)
	}
	s.Group("acd", d.conflicts.table.PassState)
	s.Struct("trimming", &d.Trimming.Counters)
	snapshot.Number(s, "drops_at", &d.dropsAt)
	s.Bool("moving", &d.learning.addresses)
	s.Group("moves", d.learning.moves.PassState)
	snapshot.Number(s, "moved_to", &d.learning.at)
	snapshot.Number(s, "full_at", &d.learning.full)
	snapshot.Number(s, "last", &d.Last)
	if s.Restoring() {
		d.rest = 0 // the times of the earlier process say nothing of work that has come since
	}
}

// passNumbers saves to snapshot s, or restores from it, the number of each port, by name.
func (d *Domain) passNumbers(s *snapshot.State) {
	names := make([]string, len(d.ports))
	for i, p := range d.ports {
		if p != nil {
			names[i] = p.settings.Name
		}
	}
	s.Struct("ports", &names)
	if !s.Restoring() {
		return
	}
	byName := map[string]*Port{}
	for _, p := range d.ports {
		if p != nil {
			byName[p.settings.Name] = p
		}
	}
	d.ports = make([]*Port, len(names))
	for i, name := range names {
		if name == "" {
			continue
		}
		p := byName[name]
		if s.Check(p != nil, "the handed-over state has port %s, which does not exist", name); p == nil {
			return
		}
		delete(byName, name)
		d.ports[i], p.Number = p, i
	}
	s.Check(len(byName) == 0, "the handed-over state lacks some of the %d ports of this process", len(byName)+len(names))
}

// passSources saves to snapshot s, or restores from it, the number of each source, by port and queue, and the chunks
// whose frames wait.
func (d *Domain) passSources(s *snapshot.State) {
	ports, queues := make([]int, len(d.sources)), make([]int, len(d.sources))
	for i, from := range d.sources {
		if from == nil {
			continue
		}
		ports[i] = from.port.Number + 1
		for q := range from.port.sources {
			if from.port.sources[q] == from {
				queues[i] = q
			}
		}
	}
	n := len(d.sources)
	snapshot.Number(s, "sources", &n)
	s.Check(n >= len(d.sources) && n < 1<<16, "the handed-over state has %d RX queues, the devices of this "+
		"process have %d", n, len(d.sources))
	if !s.Valid() {
		return
	}
	if s.Restoring() {
		ports, queues = make([]int, n), make([]int, n)
	}
	snapshot.Numbers(s, "source_port", ports)
	snapshot.Numbers(s, "source_queue", queues)
	if s.Restoring() {
		d.restoreSources(s, ports, queues)
	}
	for i, from := range d.sources {
		if from != nil && s.Valid() {
			s.Group("source"+strconv.Itoa(i), from.passState)
		}
	}
}

// restoreSources gives the sources (sockets of RX queues) the numbers that they had when saved: source i is queue
// queues[i] of port ports[i]-1.
func (d *Domain) restoreSources(s *snapshot.State, ports, queues []int) {
	present := 0
	for _, from := range d.sources {
		if from != nil {
			present++
		}
	}
	d.sources = make([]*source, len(ports))
	for i := range ports {
		if ports[i] == 0 {
			continue
		}
		n, q := ports[i]-1, queues[i]
		ok := n >= 0 && n < len(d.ports) && d.ports[n] != nil && q >= 0 && q < len(d.ports[n].sources)
		if s.Check(ok, "the handed-over state has RX queue %d of port %d, which does not exist", q, n); !ok {
			return
		}
		d.sources[i] = d.ports[n].sources[q]
		d.sources[i].number = uint16(i)
		present--
	}
	s.Check(present == 0, "the handed-over state lacks %d RX queues that the devices have", present)
}

// passState saves to snapshot s, or restores from it, the chunks of a source whose frames wait.
func (t *source) passState(s *snapshot.State) {
	n := 0
	for i := range t.chunks {
		if t.chunks[i].refs > 0 {
			n = i + 1
		}
	}
	snapshot.Number(s, "chunks", &n)
	if s.Check(n >= 0 && n <= len(t.chunks), "%d chunks of %d", n, len(t.chunks)); !s.Valid() {
		return
	}
	refs, class, assured, credits := make([]uint8, n), make([]uint8, n), make([]uint8, n), make([]uint16, n)
	for i := range n {
		if c := &t.chunks[i]; c.refs > 0 {
			refs[i], class[i], credits[i] = c.refs, c.class, c.credits
			if c.assured {
				assured[i] = 1
			}
		}
	}
	snapshot.Numbers(s, "refs", refs)
	snapshot.Numbers(s, "class", class)
	snapshot.Numbers(s, "assured", assured)
	snapshot.Numbers(s, "credits", credits)
	if s.Restoring() {
		t.restoreChunks(s, refs, class, assured, credits)
	}
}

// restoreChunks marks the chunks of a source in which restored frames wait: refs has, for each chunk, in how many
// queues, and the other lists its class, reservation and credits.
func (t *source) restoreChunks(s *snapshot.State, refs, class, assured []uint8, credits []uint16) {
	t.waiting = 0
	for i := range refs {
		t.chunks[i] = chunk{}
		if refs[i] == 0 {
			continue
		}
		c := chunk{refs: refs[i], class: class[i], assured: assured[i] != 0, credits: credits[i]}
		if s.Check(int(c.class) < len(t.assured.inUse), "class %d", c.class); !s.Valid() {
			return
		}
		t.chunks[i] = c
		t.waiting++
		if c.assured {
			t.assured.hold(c.class, 1)
		}
	}
	if a, ok := t.device.(*assembly); ok {
		a.reset(t.port.HIPPI.in.filling, t.chunks)
	}
}

// Settle hands all posted frames to the devices and reads their completions, which must be done before the state is
// saved. Frames that LLR keeps behind a gap are given up: the partner sends them again. It returns false if the state
// cannot be saved, because a waiting frame lies in memory outside the present
// devices.
func (d *Domain) Settle() bool {
	// Chunks go back before the system calls of flush, which make the kernel use them.
	d.flushHeld()
	d.recycle()
	for _, p := range d.ports {
		switch {
		case p == nil || !p.Attached():
			continue
		case p.caught != nil || p.Suspended:
			return false
		}
		if p.Link != nil {
			p.Link.giveUpKept()
		}
		p.flush()
		p.complete() // after flush: a slot that has left by now needs no place in the state
	}
	return d.orphans == 0 && !d.Draining
}

// passAssembled saves or restores the octets of the frames that wait in chunks of assemblies: this memory belongs to
// the process, and not to a socket.
func (d *Domain) passAssembled(s *snapshot.State) {
	for i, from := range d.sources {
		if from == nil {
			continue
		}
		if a, ok := from.device.(*assembly); ok && s.Valid() {
			s.Group("assembly"+strconv.Itoa(i), func(s *snapshot.State) { a.passState(s, from.extents(d)) })
		}
	}
}
