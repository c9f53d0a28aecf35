package path

import (
	"strconv"

	"uelink/internal/snapshot"
)

// passQueues saves to snapshot s, or restores from it, the frames that wait for a port, queue by queue, first in
// first out.
func (p *Port) passQueues(d *Domain, s *snapshot.State) {
	snapshot.Number(s, "shut", &p.egress.shut)
	snapshot.Number(s, "halted", &p.egress.halted)
	for i := range p.egress.queues {
		s.Group(strconv.Itoa(i), func(s *snapshot.State) { p.passQueue(d, s, uint8(i)) })
	}
}

// passQueue saves to snapshot s, or restores from it, the frames that wait in one queue of a port.
func (p *Port) passQueue(d *Domain, s *snapshot.State, number uint8) {
	q := &p.egress.queues[number]
	snapshot.Number(s, "bound", &q.bound)
	list := make([]entry, 0, q.length)
	for i, left := q.head, q.length; left > 0; left-- {
		list = append(list, d.entries.all[i])
		i = d.entries.all[i].next
	}
	watermark := q.watermark
	snapshot.List(s, "frames", &list, len(d.entries.all), func(s *snapshot.State, e *entry) { e.passState(s) })
	snapshot.Number(s, "watermark", &watermark)
	if !s.Restoring() || !s.Valid() {
		return
	}
	for i := range list {
		e := &list[i]
		ok := int(e.source) < len(d.sources) && d.sources[e.source] != nil && d.entries.left > 0 &&
			int(e.addr)+int(e.length) <= len(d.sources[e.source].area) && d.sources[e.source].holds(uint64(e.addr))
		if s.Check(ok, "frame %d: source %d, address %d, %d octets", i, e.source, e.addr, e.length); !ok {
			return
		}
		at, f := d.entries.take(e.reserved)
		e.reserved, e.next = f.reserved, 0
		*f = *e
		q.push(&d.entries, at)
		p.egress.waiting++
		p.egress.filled |= 1 << number
	}
	q.watermark = watermark
}

// passState saves a waiting frame to a snapshot, or restores it: the chunk it lies in, and the changes to make when
// it is sent.
func (e *entry) passState(s *snapshot.State) {
	snapshot.Number(s, "addr", &e.addr)
	snapshot.Number(s, "length", &e.length)
	snapshot.Number(s, "source", &e.source)
	s.Struct("retag", &e.retag)
	s.Bool("kept", &e.reserved)
	snapshot.Number(s, "trim_ip", &e.trim.ip)
	snapshot.Number(s, "trim_dscp", &e.trim.dscp)
	snapshot.Number(s, "trim_queue", &e.trim.queue)
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

// extents returns for each chunk of a source how many octets from its beginning belong to frames that wait.
func (from *source) extents(d *Domain) []int {
	list := make([]int, len(from.chunks))
	for _, p := range d.ports {
		if p == nil {
			continue
		}
		for i := range p.egress.queues {
			for at, left := p.egress.queues[i].head, p.egress.queues[i].length; left > 0; left-- {
				e := &d.entries.all[at]
				if at = e.next; e.source == from.number {
					chunk := int(e.addr >> from.shift)
					list[chunk] = max(list[chunk], int(e.addr)+int(e.length)-chunk<<from.shift)
				}
			}
		}
	}
	return list
}
