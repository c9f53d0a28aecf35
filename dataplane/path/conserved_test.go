package path

import (
	"fmt"

	"uelink/dataplane/qos"
)

// conserved tells whether every chunk, slot, entry and account of a domain is where it
// belongs: nothing is lost, nothing is there twice.
func (d *Domain) conserved() error {
	waiting := 0
	refs := map[uint16]map[uint64]int{}
	for _, p := range d.ports {
		if p == nil {
			continue
		}
		n, err := d.queuesConserved(p, refs)
		if err != nil {
			return fmt.Errorf("port %s: %w", p.settings.Name, err)
		}
		waiting += n
		if err := p.slotsConserved(); err != nil {
			return fmt.Errorf("port %s: %w", p.settings.Name, err)
		}
	}
	taken, assured := 0, 0
	for i := range d.entries.all {
		if d.entries.all[i].reserved {
			taken++
		}
	}
	for _, s := range d.sources {
		if s != nil {
			assured += s.assured.total * max(1, len(d.ports)-1)
		}
	}
	if d.entries.reserved > max(0, assured-taken) || d.entries.reserved > d.entries.left {
		return fmt.Errorf("%d entries are kept for assured chunks and %d taken of %d", d.entries.reserved, taken, assured)
	}
	if err := d.trimmedConserved(); err != nil {
		return err
	}
	if got := waiting + d.entries.left; got != max(0, len(d.entries.all)-1) {
		return fmt.Errorf("%d entries wait and %d are free of %d", waiting, d.entries.left, len(d.entries.all)-1)
	}
	for i, s := range d.sources {
		if s == nil {
			continue
		}
		if err := s.conserved(refs[uint16(i)]); err != nil {
			return fmt.Errorf("port %s: source %d: %w", s.port.settings.Name, i, err)
		}
	}
	return nil
}

// queuesConserved counts the entries of a port's queues, and by source and chunk in refs.
func (d *Domain) queuesConserved(p *Port, refs map[uint16]map[uint64]int) (n int, err error) {
	for q := range p.egress.queues {
		queue := &p.egress.queues[q]
		if filled := p.egress.filled>>q&1 == 1; filled != (queue.length > 0) {
			return 0, fmt.Errorf("queue %d: %d frames, and counts as filled: %v", q, queue.length, filled)
		}
		i, octets := queue.head, 0
		for range queue.length {
			e := &d.entries.all[i]
			octets += int(e.length)
			s := d.sources[e.source]
			if s == nil {
				return 0, fmt.Errorf("queue %d: an entry of source %d, which is not there", q, e.source)
			}
			if refs[e.source] == nil {
				refs[e.source] = map[uint64]int{}
			}
			refs[e.source][uint64(e.addr)>>s.shift]++
			i = e.next
		}
		if octets != queue.octets || octets > queue.watermark {
			return 0, fmt.Errorf("queue %d: %d octets, counted %d, at most %d", q, octets, queue.octets, queue.watermark)
		}
		n += queue.length
	}
	if n != p.egress.waiting {
		return 0, fmt.Errorf("%d frames in the queues, counted %d", n, p.egress.waiting)
	}
	return n, nil
}

// conserved compares the account of a source with the entries that refer to it, by chunk.
func (s *source) conserved(refs map[uint64]int) error {
	if s.device == nil {
		n := 0
		for _, r := range refs {
			n += r
		}
		if n != s.waiting || n == 0 {
			return fmt.Errorf("gone: %d entries, counted %d", n, s.waiting)
		}
		return nil
	}
	if len(refs) != s.waiting || s.waiting > s.spare {
		return fmt.Errorf("%d chunks wait, counted %d, of at most %d", len(refs), s.waiting, s.spare)
	}
	var taken int
	var inUse [qos.Classes]int
	credits := 0
	for i, c := range s.chunks {
		if int(c.refs) != refs[uint64(i)] {
			return fmt.Errorf("chunk %d waits in %d queues, counted %d", i, refs[uint64(i)], c.refs)
		}
		if c.refs == 0 {
			continue
		}
		credits += int(c.credits)
		if c.assured {
			taken++
			inUse[c.class]++
		}
	}
	a := &s.assured
	if taken != a.taken || inUse != a.inUse || s.waiting > s.spare {
		return fmt.Errorf("%d assured chunks are taken, by class %v; counted %d of %d, %v; %d chunks of %d wait", taken,
			inUse, a.taken, a.total, a.inUse, s.waiting, s.spare)
	}
	if l := s.port.Link; l != nil && len(s.port.sources) == 1 && credits != l.cbfc.Rx.Held {
		return fmt.Errorf("chunks of %d credits wait, the receiver holds %d", credits, l.cbfc.Rx.Held)
	}
	return nil
}

// conserved compares the kept frames with the number that LLR keeps: each has a chunk of its own, and what has none is
// free.
func (k *keeping) conserved(n int) error {
	chunks := map[*source]map[uint64]bool{}
	for _, f := range k.frames {
		if f.source == nil {
			continue
		}
		if chunks[f.source] == nil {
			chunks[f.source] = map[uint64]bool{}
		}
		at := f.desc.Addr >> f.source.shift
		if chunks[f.source][at] || f.source.chunks[at].refs > 0 {
			return fmt.Errorf("chunk %d keeps a frame, and another", at)
		}
		chunks[f.source][at] = true
	}
	free := map[uint32]bool{}
	for _, handle := range k.free {
		if free[handle] || k.frames[handle].source != nil {
			return fmt.Errorf("handle %d is free twice, or has a frame", handle)
		}
		free[handle] = true
	}
	if n+len(k.free) != len(k.frames) {
		return fmt.Errorf("%d frames are kept, and %d handles free, of %d", n, len(k.free), len(k.frames))
	}
	return nil
}

// slotsConserved checks the TX slots of a port.
func (p *Port) slotsConserved() error {
	used, posted := 0, 0
	for _, s := range p.Slots.state {
		posted += int(s.posted)
		if s.posted > 0 || s.unacked {
			used++
		}
	}
	if !p.Attached() {
		return nil
	}
	if used+p.Slots.pool.Len() != len(p.Slots.state) || posted != p.Slots.Posted {
		return fmt.Errorf("%d slots in use and %d free of %d; %d posted, counted %d",
			used, p.Slots.pool.Len(), len(p.Slots.state), posted, p.Slots.Posted)
	}
	return nil
}
