package fault

import (
	"uelink/dataplane/frame"
)

// batch bounds how many frames are taken from, or given back to, the device
// below in one go.
const batch = 64

// Device is a frame.Device whose received frames have come over a bad wire. What
// it sends is not touched: decorate the other end too. Frames are not copied:
//
//   - a dropped frame is recycled here;
//   - a corrupted one is changed where it lies;
//   - a delayed or overtaken one keeps its RX chunk until it is handed out;
//   - a duplicated one is handed out twice, at the same address, and recycled
//     when both have come back.
type Device struct {
	frame.Device
	area      []byte
	chunkSize uint64
	clock     func() int64
	model     *Model
	line      *line
	counters  Counters

	copies  []uint8 // by RX chunk: how often it is to come back before it is free, less one
	doubled int     // chunks with copies
	arrived [batch]frame.Desc
	free    [batch]frame.Desc
}

var _ frame.Device = (*Device)(nil)

// New decorates a device with a valid Config; it panics otherwise. clock is
// monotonic time in nanoseconds. The line holds up to three quarters of the
// device's RX chunks, so that there is always one for a frame that arrives; a
// frame that finds the line full is lost and counted as Overrun.
func New(dev frame.Device, c Config, clock func() int64) *Device {
	g := dev.Geometry()
	d := &Device{
		Device: dev, area: dev.Area(), chunkSize: uint64(g.ChunkSize), clock: clock,
		line: newLine(max(1, g.RX*3/4)), copies: make([]uint8, g.Received()),
	}
	d.SetConfig(c)
	return d
}

// SetConfig makes the wire better or worse for the frames to come, beginning
// with the seed anew; it panics if c is not valid. Frames on the line stay there.
func (d *Device) SetConfig(c Config) {
	if err := c.Validate(); err != nil {
		panic("fault: " + err.Error())
	}
	d.model = NewModel(c)
	d.line.setRate(c.RateBPS)
}

// Counters is what has happened so far.
func (d *Device) Counters() Counters { return d.counters }

// Next is when the next frame that the line holds is due, on the clock given to
// New; the past: Receive has one now; MaxInt64: the line is empty.
func (d *Device) Next() int64 { return d.line.next() }

// Receive takes up to len(into) frames that have come to the end of the line.
func (d *Device) Receive(into []frame.Desc) int {
	now := d.clock()
	n := d.line.leave(into, now, &d.counters)
	if n < len(into) {
		d.takeIn(len(into)-n, now)
		n += d.line.leave(into[n:], now, &d.counters)
	}
	d.counters.Forwarded += uint64(n)
	return n
}

// takeIn lets up to n frames that have arrived meet their fate. It takes no more
// than the line has room for, but if the line is full of frames that are not due
// yet: then those that arrive are lost.
func (d *Device) takeIn(n int, now int64) {
	if room := d.line.room(); room > 0 {
		n = min(n, room)
	}
	for n > 0 {
		asked := min(n, batch)
		got := d.Device.Receive(d.arrived[:asked])
		lost := 0
		for i := range d.arrived[:got] {
			if !d.meet(d.arrived[i], now) {
				d.free[lost] = d.arrived[i]
				lost++
			}
		}
		if lost > 0 {
			d.Device.Recycle(d.free[:lost])
		}
		if got < asked {
			return
		}
		n -= got
	}
}

// meet decides one frame's fate and puts it on the line; false: it is lost.
func (d *Device) meet(desc frame.Desc, now int64) bool {
	fate := d.model.Next()
	switch {
	case fate.Drop:
		d.counters.Dropped++
		return false
	case d.line.room() == 0:
		d.counters.Overrun++
		return false
	}
	if fate.Flips > 0 {
		d.model.Corrupt(d.area[desc.Addr:desc.Addr+uint64(desc.Len)], fate.Flips)
		d.counters.Corrupted++
	}
	if fate.Duplicate {
		d.copies[desc.Addr/d.chunkSize]++
		d.doubled++
		d.counters.Duplicated++
	}
	d.line.enter(desc, fate, now)
	return true
}

// Recycle gives frames back; of a duplicated one the first to come back is only
// noted.
func (d *Device) Recycle(rx []frame.Desc) {
	if d.doubled == 0 {
		d.Device.Recycle(rx)
		return
	}
	n := 0
	for _, desc := range rx {
		if chunk := desc.Addr / d.chunkSize; d.copies[chunk] > 0 {
			d.copies[chunk]--
			d.doubled--
			continue
		}
		if n == batch {
			d.Device.Recycle(d.free[:n])
			n = 0
		}
		d.free[n] = desc
		n++
	}
	d.Device.Recycle(d.free[:n])
}
