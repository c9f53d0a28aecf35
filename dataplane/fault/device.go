package fault

import (
	"uelink/dataplane/frame"
	"uelink/wire"
)

// batch bounds how many frames are received from, or recycled to, the device below in one go.
const batch = 64

// Device is a frame.Device whose received frames have crossed a bad wire. Transmitted frames are not touched:
// decorate the other end too. Frames are not copied:
//
//   - a dropped frame is recycled here;
//   - a corrupted frame is changed in its chunk;
//   - a delayed or overtaken frame keeps its RX chunk until it is handed out;
//   - a duplicated frame is handed out twice, at the same address, and recycled
//     when both copies have been recycled.
type Device struct {
	frame.Device
	area      []byte
	chunkSize uint64
	clock     func() wire.Time
	model     *Model
	line      *line
	netem     *netemLine // nil: netem has never been configured
	counters  Counters
	arrival   func(octets []byte) // changes a frame that arrives (OnArrival); nil: none
	ruled     *ruled              // nil: there are no rules
	observer  Observer            // nil: none
	way       int                 // of the received frames, for the observer

	copies  []uint8 // by RX chunk: calls of Recycle to come before the call that gives the chunk back
	doubled int     // sum of copies
	arrived [batch]frame.Desc
	free    [batch]frame.Desc
}

var _ frame.Device = (*Device)(nil)

// New returns a device that applies the faults of a valid Config to the frames received by dev; an invalid Config
// panics. clock is monotonic. The simulated line holds up to three quarters of the device's RX chunks, so that a
// chunk is always left for an arriving frame; a frame that finds the line full is lost and counted as Overrun.
func New(dev frame.Device, c Config, clock func() wire.Time) *Device {
	g := dev.Geometry()
	d := &Device{
		Device: dev, area: dev.Area(), chunkSize: uint64(g.ChunkSize), clock: clock,
		line: newLine(max(1, g.RX*3/4)), copies: make([]uint8, g.Size()/g.ChunkSize),
	}
	d.SetConfig(c)
	return d
}

// SetConfig changes the wire for later frames, and restarts the random numbers from the seed. An invalid Config
// panics. Frames on the line stay there.
func (d *Device) SetConfig(c Config) {
	if err := c.Validate(); err != nil {
		panic("fault: " + err.Error())
	}
	d.model = NewModel(c)
	d.line.setRate(c.RateBPS)
	d.line.bound(c.Queue)
	d.setNetem(c)
}

// ShareRate makes the device and another one share the rate limit of the other: they are RX queues of one interface.
func (d *Device) ShareRate(other *Device) { d.line.pace = other.line.pace }

// OnArrival makes f change each arriving frame that is not lost. f sees the frame before any fault damages the frame.
// f must not allocate.
func (d *Device) OnArrival(f func(octets []byte)) { d.arrival = f }

// Counters returns the counts of the faults so far.
func (d *Device) Counters() Counters { return d.counters }

// Next returns the time when the next frame on the line is due, on the clock given to New. A time in the past:
// Receive has a frame now; wire.Never: the line is empty.
func (d *Device) Next() wire.Time {
	next := d.line.next()
	if d.ruled != nil {
		next = min(next, d.ruled.next())
	}
	if d.netem != nil {
		next = min(next, d.netem.queue.Next())
	}
	return next
}

// Receive fills into with frames that have reached the end of the simulated line, and returns their number. If not
// enough frames are due, it first lets frames of the device below enter the line.
func (d *Device) Receive(into []frame.Desc) int {
	now := d.clock()
	n := d.leave(into, now)
	if n < len(into) {
		if d.ruled != nil {
			d.addMade(now)
		}
		now = d.admit(len(into)-n, now)
		n += d.leave(into[n:], now)
	}
	d.counters.Forwarded += uint64(n)
	if d.observer != nil {
		for _, desc := range into[:n] {
			d.observer.Left(d.way, d.octets(desc), now)
		}
	}
	return n
}

// leave fills into with frames that are due, and returns their number.
func (d *Device) leave(into []frame.Desc, now wire.Time) int {
	n := d.line.leave(into, now, &d.counters)
	if d.netem != nil {
		n += d.netem.leave(into[n:], now, &d.counters)
	}
	return n
}

// admit receives up to n frames from the device below and applies their fates. No more frames are received than
// the simulated line has room for, unless the line is full of frames that are not due yet: then arriving frames
// are lost. now is the time of the call; the result is the time at which the last frames were received. Their delays
// count from it: by a clock read before they arrived, they would leave too early.
func (d *Device) admit(n int, now wire.Time) wire.Time {
	if room := d.line.room(); room > 0 && !d.byNetem() {
		n = min(n, room)
	}
	for n > 0 {
		asked := min(n, batch)
		got := d.Device.Receive(d.arrived[:asked])
		if got > 0 {
			now = d.clock()
		}
		lost := 0
		for i := range d.arrived[:got] {
			if !d.pass(&d.arrived[i], now) {
				d.free[lost] = d.arrived[i]
				lost++
			}
		}
		if lost > 0 {
			d.Device.Recycle(d.free[:lost])
		}
		if got < asked {
			break
		}
		n -= got
	}
	return now
}

// pass lets the rules, if any, look at an arrived frame, and gives the frame its fate. It returns false if the frame
// does not go on.
func (d *Device) pass(desc *frame.Desc, now wire.Time) bool {
	if d.observer != nil {
		d.observer.Arrived(d.way, d.octets(*desc), now)
	}
	if d.ruled == nil {
		return d.take(*desc, now)
	}
	goes := d.applyRules(desc, now) && d.take(*desc, now)
	d.addMade(now)
	return goes
}

// take gives a frame its fate, by the model of netem or by that of the other faults. It returns false if the frame is
// lost; the observer knows then.
func (d *Device) take(desc frame.Desc, now wire.Time) bool {
	goes := false
	if d.byNetem() {
		goes = d.applyNetem(desc, now)
	} else {
		goes = d.apply(desc, now)
	}
	if !goes {
		d.lose(desc, now)
	}
	return goes
}

// apply draws the fate of a frame, damages the frame and puts it on the simulated line. It returns false if the frame
// is lost: by chance, or because the line is full.
func (d *Device) apply(desc frame.Desc, now wire.Time) bool {
	fate := d.model.Next()
	switch {
	case fate.Drop:
		d.counters.Dropped++
		return false
	case d.line.room() == 0:
		d.counters.Overrun++
		return false
	}
	if d.arrival != nil {
		d.arrival(d.area[desc.Addr : desc.Addr+uint64(desc.Len)])
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

// Recycle gives the chunks of received frames back to the device below. The first copy of a duplicated frame is only
// counted: its chunk goes back with the second. A frame held or made by rules lies in no chunk: its slot becomes free.
func (d *Device) Recycle(rx []frame.Desc) {
	if d.doubled == 0 && d.ruled == nil {
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
		if d.ruled != nil && d.ruled.giveBack(desc) {
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
