package simulated

import (
	"time"

	"uelink/wire"
)

// silence is how long nothing arrives before the rest of the streams counts as lost: longer than any replay that
// delivers something.
const silence = 50 * time.Millisecond

// Carry sends the frames of streams, all streams at the same time, and runs rounds until all frames were delivered
// and acknowledged, or nothing was sent and nothing has arrived for 50 ms of the virtual clock. The streams'
// counts are the result.
func (b *Bench) Carry(streams ...*Stream) {
	b.Begin(streams...)
	b.Resume(streams...)
}

// Begin makes the first frames of streams due now; each stream is new, with all counts 0. It sends nothing: see Run and
// Resume.
func (b *Bench) Begin(streams ...*Stream) {
	for _, s := range streams {
		s.begin(b.now)
	}
}

// Resume sends the rest of streams that have begun, and returns as Carry does.
func (b *Bench) Resume(streams ...*Stream) {
	last := b.now
	for !(over(streams) && b.outstanding() == 0) && b.now.Sub(last) < silence {
		if b.turn(wire.Never, streams) {
			last = b.now
		}
	}
}

// Run sends and receives the frames of streams that have begun for a time d of the virtual clock.
func (b *Bench) Run(d time.Duration, streams ...*Stream) {
	for end := b.now.Add(d); b.now < end; {
		b.turn(end, streams)
	}
}

// turn sends the frames of the streams that are due, runs one round, in which the clock moves at most to latest,
// and hands arrived frames to their streams. moved reports whether any frame was sent or received.
func (b *Bench) turn(latest wire.Time, streams []*Stream) (moved bool) {
	for _, s := range streams {
		moved = s.offer(b.now) || moved
		latest = min(latest, s.due(b.now))
	}
	b.Round(latest)
	for _, e := range b.ends() {
		moved = b.receive(e, streams) || moved
	}
	return moved
}

// outstanding returns how many frames sent by all links together are not acknowledged yet.
func (b *Bench) outstanding() (frames int) {
	for _, e := range b.ends() {
		frames += e.Outstanding()
	}
	return frames
}

// over reports whether all frames of the streams have been delivered.
func over(streams []*Stream) bool {
	for _, s := range streams {
		if s.Delivered < s.Frames {
			return false
		}
	}
	return true
}

// receive hands the frames that have arrived at the host of an end to the streams they belong to, which check and
// count them. PAUSE and PFC frames go to the host. came reports whether a data frame has arrived.
func (b *Bench) receive(e *End, streams []*Stream) (came bool) {
	for f := e.Host.Recv(); f != nil; f = e.Host.Recv() {
		if e.Host.receivePause(f, b.now) {
			continue
		}
		came = true
		id, ok := streamOf(f)
		for _, s := range streams {
			if ok && s.To == e && s.ID == id && len(f) >= s.least() {
				s.receive(f, b.now)
			}
		}
	}
	return came
}
