package path

import (
	"uelink/wire"
)

// rescue copies the frames that wait in the chunks of a socket into separate memory, so that the socket can be
// closed at once and its interface attached again. The frames may wait for the time Drain.
func (d *Domain) rescue(s *source, now wire.Time) {
	var area []byte
	moved := 0
	d.eachEntry(int(s.number), func(_ *Port, e *entry) {
		at := len(area)
		area = append(area, s.frame(e)...)
		e.addr = uint32(at)
		moved++
	})
	for i := range s.chunks {
		if c := &s.chunks[i]; c.refs > 0 {
			s.settle(c)
		}
	}
	s.device, s.area, s.chunks, s.spare = nil, area, nil, 0
	s.waiting, s.purgeAt = moved, now.Add(d.Drain)
	if d.gone++; moved == 0 {
		d.removeSource(s.number)
	}
}

// removeSource removes a closed socket of which no frame waits any more from the domain.
func (d *Domain) removeSource(number uint16) {
	d.sources[number] = nil
	d.gone--
}

// purgeAt returns when waiting frames of closed sockets are dropped next; wire.Never if no such frames wait.
func (d *Domain) purgeAt() wire.Time {
	at := wire.Never
	for _, s := range d.sources {
		if s != nil && s.device == nil {
			at = min(at, s.purgeAt)
		}
	}
	return at
}

// eachEntry calls f for every waiting frame that was received by the source (socket) with that number, and for the
// port by which the frame is to leave.
func (d *Domain) eachEntry(source int, f func(*Port, *entry)) {
	for _, p := range d.ports {
		if p == nil || p.waiting == 0 {
			continue
		}
		for q := range p.queues {
			i := p.queues[q].head
			for range p.queues[q].length {
				e := &d.entries.all[i]
				if int(e.source) == source {
					f(p, e)
				}
				i = e.next
			}
		}
	}
}

// purge drops and counts the waiting frames of closed sockets whose time to wait is over.
func (d *Domain) purge(now wire.Time) {
	for i, s := range d.sources {
		if s == nil || s.device != nil || now < s.purgeAt {
			continue
		}
		for _, p := range d.ports {
			if p != nil && p.waiting > 0 {
				s.port.Counters.RxDropDetached += d.dropOf(p, uint16(i))
			}
		}
	}
}

// dropOf drops the frames of a source that wait to leave by a port, and returns their number. The other frames
// keep their order.
func (d *Domain) dropOf(p *Port, source uint16) (n uint64) {
	for queue := range p.queues {
		q := &p.queues[queue]
		for range q.length {
			if d.entries.all[q.head].source == source {
				d.take(p, uint8(queue))
				n++
			} else {
				q.push(&d.entries, q.pop(&d.entries))
			}
		}
	}
	return n
}

// dropQueued drops all frames that wait to leave by a port that is down.
func (d *Domain) dropQueued(p *Port) {
	for p.filled != 0 {
		queue, _ := p.sched.Next(p.filled)
		p.Counters.TxDropDown++
		d.take(p, queue)
	}
	p.still = still{told: p.still.told}
}
