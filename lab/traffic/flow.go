package traffic

import (
	"math"
	"time"

	"uelink/wire"
)

// flow is a stream of frames of one direction: sender and receiver.
type flow struct {
	format   *format
	priority uint8
	kind     string // kind of the UET packets; empty: plain frames
	queue    *queue // received frames that wait for a slow sink; nil: no frame waits
	sizes    []int  // lengths of the frames, a pattern that repeats
	size     int    // index in sizes of the next frame
	limit    uint64 // number of frames to send
	loop     window // closed loop: the window, if open is nil
	open     *pace  // open loop: the fixed rate; nil: closed loop
	stopped  bool   // the flow sends no more frames
	gaveUp   bool   // stopped because no frames arrived any more

	next      uint64 // number of the next frame: how many were sent
	postponed uint64 // frames of an open loop that came due during a pause
	arrivals  arrivals
	latency   histogram
	corrupted uint64 // frames of this flow that arrived changed
	octets    uint64 // octets of the frames that arrived intact, without duplicates
	stall     span   // time in which the To end stalls this priority
	inStall   uint64 // deliveries during the stall

	firstSent   wire.Time
	lastSent    wire.Time
	lastArrived wire.Time     // last arrival, intact or not
	lastFirst   wire.Time     // last delivery: intact, and the first arrival of its number
	gap         time.Duration // longest time between two deliveries since the last call of direction
}

// newFlow returns a flow that sends frames of a priority with these sizes in turn: at the rate of c, or within the
// window of c if c has no rate. Without a number of frames in c it has no limit.
func newFlow(c Config, form *format, priority uint8, sizes []int, now wire.Time) *flow {
	f := &flow{
		format: form, priority: priority, sizes: sizes, limit: c.Frames,
		loop: newWindow(c.Window, c.LossTimeout), arrivals: newArrivals(),
	}
	if c.Frames == 0 {
		f.limit = math.MaxUint64
	}
	if c.Rate > 0 {
		f.open = &pace{rate: c.Rate, start: now}
	}
	if c.Stall.Duration > 0 {
		f.stall = c.Stall.span(now)
	}
	return f
}

// room returns how many frames the flow may send now: by its window or its rate, and by the number of frames still
// to send.
func (f *flow) room(now wire.Time) int {
	if f.stopped {
		return 0
	}
	room := 0
	if f.open != nil {
		room = f.open.room(f.next, now)
	} else {
		room = f.loop.room(&f.arrivals, f.next, now)
	}
	if left := f.limit - f.next; uint64(room) > left {
		return int(left)
	}
	return room
}

// hold gives up the frames of a fixed rate that come due while a pause stops the flow, and counts them: the rate is
// that of a source that does not know of the pause. The caller calls it again and again during the pause.
func (f *flow) hold(now wire.Time) {
	if f.open != nil && !f.finished() {
		f.postponed += f.open.skip(f.next, now)
	}
}

// put writes the next frame of the flow into b, counts it as sent, and returns its length in octets.
func (f *flow) put(b []byte, now wire.Time) int {
	length := f.sizes[f.size]
	f.size++
	if f.size == len(f.sizes) {
		f.size = 0
	}
	f.format.put(b, length, f.next, now)
	if f.next == 0 {
		f.firstSent = now
	}
	if f.open == nil {
		f.loop.sent(f.next, now)
	}
	f.lastSent = now
	f.next++
	return length
}

// receive checks a received frame and counts it as delivered, duplicated, reordered or corrupted. It returns
// foreign for a frame of another sender, which does not count.
func (f *flow) receive(b []byte, now wire.Time) verdict {
	number, sentAt, v := f.format.read(b)
	if v == intact && number >= f.next {
		v = damaged // that number was never sent, although the CRC fits
	}
	switch v {
	case foreign:
		return v
	case damaged:
		f.corrupted++
	case intact:
		if f.arrivals.add(number) {
			f.octets += uint64(len(b))
			f.latency.add(now.Sub(sentAt))
			if f.lastFirst != 0 {
				f.gap = max(f.gap, now.Sub(f.lastFirst))
			}
			f.lastFirst = now
			if f.stall.holds(now) {
				f.inStall++
			}
		}
	}
	f.lastArrived = now
	return v
}

// finished reports whether the flow sends no more frames: all were sent, or the sending was stopped.
func (f *flow) finished() bool { return f.stopped || f.next == f.limit }

// settled reports whether no more frames of the flow are expected: all that were sent have arrived, or the rest is
// overdue.
func (f *flow) settled(now wire.Time) bool {
	if !f.finished() || f.queue.len() > 0 {
		return false
	}
	return f.arrivals.unique == f.next || now.Sub(max(f.lastArrived, f.lastSent)) > patience*f.loop.timeout
}

// silent reports whether frames were sent, but none has arrived for longer than limit. A time in which the other
// end stalls the flow does not count.
func (f *flow) silent(now wire.Time, limit time.Duration) bool {
	since := max(f.firstSent, f.lastArrived)
	if q := f.queue; q != nil && now >= q.stalled.begin {
		since = max(since, min(now, q.stalled.end))
	}
	return !f.finished() && f.next > 0 && now.Sub(since) > limit
}

// direction returns the counts, rates and latencies of the flow since its start, and the longest gap between two
// deliveries since the previous call.
func (f *flow) direction() Direction {
	d := Direction{
		Priority:           f.priority,
		Kind:               f.kind,
		HeldBack:           f.postponed,
		Sent:               f.next,
		Delivered:          f.arrivals.unique,
		Lost:               f.next - f.arrivals.unique,
		Duplicated:         f.arrivals.duplicated,
		Reordered:          f.arrivals.reordered,
		CorruptedDelivered: f.corrupted,
		Latency:            f.latency.latency(),
		Gap:                f.gap,
		DeliveredInStall:   f.inStall,
	}
	f.gap = 0
	if took := f.lastFirst.Sub(f.firstSent); took > 0 {
		d.Seconds = float64(took) / 1e9
		d.PPS = uint64(float64(d.Delivered) / d.Seconds)
		d.GoodputBPS = uint64(float64(f.octets) * 8 / d.Seconds)
	}
	return d
}
