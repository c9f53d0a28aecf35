package fault

import (
	"uelink/dataplane/fault/rule"
	"uelink/dataplane/frame"
	"uelink/wire"
)

// ruled is the rules in front of a wire, and the slots for frames held or made by them. The slots are TX slots of the
// device below not used by its sender, so that no arriving frame lacks a chunk.
type ruled struct {
	rules *rule.Wire
	way   int
	base  uint64 // address of the first slot
	size  uint64 // of a slot
	first uint32
	free  []uint32
	seen  frame.Geometry // without these slots
}

// SetRules makes rules look at each frame, as a frame of the given way, before chance does. Frames held or made by the
// rules lie in the last TX slots of the device, as many as slots says; Geometry then leaves these out.
func (d *Device) SetRules(rules *rule.Wire, way, slots int) {
	g := d.Device.Geometry()
	first := uint32(g.TX - slots)
	r := &ruled{rules: rules, way: way, base: g.SlotAddr(first), size: uint64(g.SlotSize()), first: first, seen: g}
	r.seen.TX -= slots
	for slot := first; slot < uint32(g.TX); slot++ {
		r.free = append(r.free, slot)
	}
	d.ruled = r
}

// Geometry returns the layout of the area, without the slots of the rules.
func (d *Device) Geometry() frame.Geometry {
	if d.ruled != nil {
		return d.ruled.seen
	}
	return d.Device.Geometry()
}

// next returns when the rules have a frame; Never while there is no slot for it.
func (r *ruled) next() wire.Time {
	if len(r.free) == 0 {
		return wire.Never
	}
	return r.rules.Next(r.way)
}

// giveBack makes the slot of a frame free again; false: the frame lies in no slot.
func (r *ruled) giveBack(desc frame.Desc) bool {
	if desc.Addr < r.base {
		return false
	}
	r.free = append(r.free, r.first+uint32((desc.Addr-r.base)/r.size))
	return true
}

// applyRules lets the rules look at a frame, and change it and its length. applyRules returns false if the frame does
// not go on: it is lost and counted, or the rules hold it.
func (d *Device) applyRules(desc *frame.Desc, now wire.Time) bool {
	n, lost := d.ruled.rules.Pass(d.ruled.way, d.octets(*desc), now)
	if lost {
		d.counters.Dropped++
		d.lose(*desc, now)
	}
	desc.Len = uint32(n)
	return n > 0
}

// addMade puts frames that the rules have made, or have held and now let go, onto the wire, as long as there are free
// slots for them and room on the line.
func (d *Device) addMade(now wire.Time) {
	r := d.ruled
	for len(r.free) > 0 && d.line.room() > 0 {
		slot := r.free[len(r.free)-1]
		at := r.base + uint64(slot-r.first)*r.size
		n, added := r.rules.Take(r.way, d.area[at:at+r.size], now)
		if n == 0 {
			return
		}
		if added {
			d.counters.Made++
		}
		if d.take(frame.Desc{Addr: at, Len: uint32(n)}, now) {
			r.free = r.free[:len(r.free)-1]
		}
	}
}
