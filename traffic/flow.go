package traffic

import "math"

// flow is one direction: what is sent at one end, and what of it arrived at the
// other.
type flow struct {
	format   *format
	priority uint8
	kind     string // of its UET packets; empty: it has none
	queue    *queue // where its frames wait at the other end; nil: they are taken when they come
	sizes    []int  // lengths of the frames, repeated
	size     int    // index in sizes of the next frame
	limit    uint64
	loop     window // closed loop
	open     *pace  // open loop, or nil
	stopped  bool   // nothing more is to be sent
	gaveUp   bool   // stopped because nothing arrived any more

	next      uint64 // number of the next frame, and how many were sent
	held      uint64 // frames of an open loop that were due while PFC stopped them
	arrivals  arrivals
	latency   histogram
	corrupted uint64 // frames of ours that arrived changed
	octets    uint64 // of the frames that arrived intact, each counted once
	stall     span   // when a priority stands still at the To end
	inStall   uint64 // deliveries meanwhile

	firstSent   int64
	lastSent    int64
	lastArrived int64 // anything of ours, intact or not
	lastFirst   int64 // the last arrival that was a delivery
}

func newFlow(c Config, form *format, priority uint8, sizes []int, now int64) *flow {
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

// room is how many frames may be sent now.
func (f *flow) room(now int64) int {
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

// hold is for a moment at which a pause stops it. What an open loop owes is not made up for:
// its rate is that of a source that does not know of the pause.
func (f *flow) hold(now int64) {
	if f.open != nil && !f.finished() {
		f.held += f.open.skip(f.next, now)
	}
}

// put writes the next frame into b, and returns its length.
func (f *flow) put(b []byte, now int64) int {
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

// take looks at a frame that has arrived.
func (f *flow) take(b []byte, now int64) verdict {
	number, sentAt, v := f.format.read(b)
	if v == intact && number >= f.next {
		v = damaged // never sent, whatever the CRC says
	}
	switch v {
	case foreign:
		return v
	case damaged:
		f.corrupted++
	case intact:
		if f.arrivals.take(number) {
			f.octets += uint64(len(b))
			f.latency.add(now - sentAt)
			f.lastFirst = now
			if f.stall.holds(now) {
				f.inStall++
			}
		}
	}
	f.lastArrived = now
	return v
}

// finished says whether all that is to be sent was sent.
func (f *flow) finished() bool { return f.stopped || f.next == f.limit }

// settled says whether nothing more is expected: everything has arrived, or the
// rest was waited for long enough.
func (f *flow) settled(now int64) bool {
	if !f.finished() || f.queue.len() > 0 {
		return false
	}
	return f.arrivals.unique == f.next || now-max(f.lastArrived, f.lastSent) > patience*f.loop.timeout
}

// silent reports whether the sender has been at it for that long, in ns, and
// nothing arrives. A time in which the other end was told to take nothing does not count.
func (f *flow) silent(now, limit int64) bool {
	since := max(f.firstSent, f.lastArrived)
	if q := f.queue; q != nil && now >= q.stalled.begin {
		since = max(since, min(now, q.stalled.end))
	}
	return !f.finished() && f.next > 0 && now-since > limit
}

// direction is what is known now.
func (f *flow) direction() Direction {
	d := Direction{
		Priority:           f.priority,
		Kind:               f.kind,
		HeldBack:           f.held,
		Sent:               f.next,
		Delivered:          f.arrivals.unique,
		Lost:               f.next - f.arrivals.unique,
		Duplicated:         f.arrivals.duplicated,
		Reordered:          f.arrivals.reordered,
		CorruptedDelivered: f.corrupted,
		Latency:            f.latency.latency(),
		DeliveredInStall:   f.inStall,
	}
	if took := f.lastFirst - f.firstSent; took > 0 {
		d.Seconds = float64(took) / 1e9
		d.PPS = uint64(float64(d.Delivered) / d.Seconds)
		d.GoodputBPS = uint64(float64(f.octets) * 8 / d.Seconds)
	}
	return d
}
