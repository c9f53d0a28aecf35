package fault

import (
	"uelink/dataplane/fault/netem"
	"uelink/dataplane/frame"
	"uelink/wire"
)

// netemLine is a wire by the words of netem.
type netemLine struct {
	model *netem.Model // nil: no longer in force for new frames
	queue *netem.Queue[frame.Desc]
	ecn   bool // frames that can carry a mark of congestion are marked instead of lost
}

// setNetem makes later frames cross the wire of c.Netem, or no wire of netem if c.Netem is nil. Frames in the queue
// stay there.
func (d *Device) setNetem(c Config) {
	switch {
	case c.Netem == nil && d.netem == nil:
	case c.Netem == nil:
		d.netem.model = nil
	case d.netem == nil:
		d.netem = &netemLine{model: netem.NewModel(*c.Netem, c.Seed), ecn: c.Netem.ECN,
			queue: netem.NewQueue[frame.Desc](*c.Netem, c.Seed, len(d.line.delay))}
	default:
		d.netem.model = netem.NewModel(*c.Netem, c.Seed)
		d.netem.queue.SetSpec(*c.Netem)
		d.netem.ecn = c.Netem.ECN
	}
}

// byNetem reports whether new frames have the wire of netem.
func (d *Device) byNetem() bool { return d.netem != nil && d.netem.model != nil }

// applyNetem draws the fate of a frame and its duplicate, marks or damages the frame and puts both into the queue. It
// returns false if neither goes on. Both lie in one chunk: a duplicate of a damaged frame is damaged alike, unlike in
// netem.
func (d *Device) applyNetem(desc frame.Desc, now wire.Time) bool {
	octets := d.area[desc.Addr : desc.Addr+uint64(desc.Len)]
	fate := d.netem.model.Next(d.netem.ecn && netem.MarkCongestion(octets, true))
	if fate.N == 0 {
		d.counters.Dropped++
		return false
	}
	if d.arrival != nil {
		d.arrival(octets)
	}
	if fate.Marked {
		netem.MarkCongestion(octets, false)
		d.counters.Marked++
	}
	entered := 0
	for _, c := range fate.Copies[:fate.N] {
		if !d.netem.queue.Put(desc, len(octets), c, now) {
			d.counters.Overrun++
			continue
		}
		entered++
		if c.Corrupt && len(octets) > 0 {
			bit := c.Bit % uint32(8*len(octets))
			octets[bit/8] ^= 1 << (bit % 8)
			d.counters.Corrupted++
		}
	}
	if entered == 2 {
		d.copies[desc.Addr/d.chunkSize]++
		d.doubled++
		d.counters.Duplicated++
	}
	return entered > 0
}

// leave fills into with the frames due, and returns their number. c counts the frames that a later one has overtaken.
func (l *netemLine) leave(into []frame.Desc, now wire.Time, c *Counters) int {
	for n := range into {
		desc, late, ok := l.queue.Take(now)
		if !ok {
			return n
		}
		if late {
			c.Reordered++
		}
		into[n] = desc
	}
	return len(into)
}
