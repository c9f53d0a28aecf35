package simulated

import (
	"time"

	"uelink/wire"
)

// silence is how long nothing arrives before the rest of the streams counts as lost: longer than any replay that
// delivers something.
const silence = 50 * time.Millisecond

// Carry runs streams from their beginning, all at the same time, until all frames were delivered and acknowledged,
// or nothing was sent and nothing has arrived for a while (silence).
func (b *Bench) Carry(streams ...*Stream) {
	b.Begin(streams...)
	b.Resume(streams...)
}

// Begin starts streams now.
func (b *Bench) Begin(streams ...*Stream) {
	for _, s := range streams {
		s.begin(b.now)
	}
}

// Resume is Carry for streams that have begun.
func (b *Bench) Resume(streams ...*Stream) {
	last := b.now
	for !(over(streams) && b.outstanding() == 0) && b.now.Sub(last) < silence {
		if b.turn(wire.Never, streams) {
			last = b.now
		}
	}
}

// Run runs streams that have begun for a time.
func (b *Bench) Run(d time.Duration, streams ...*Stream) {
	for end := b.now.Add(d); b.now < end; {
		b.turn(end, streams)
	}
}

// turn runs a round, with the frames that streams send and receive in it. moved reports whether any frame was sent
// or received.
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

// outstanding returns how many frames are not acknowledged, over all links.
func (b *Bench) outstanding() (frames int) {
	for _, e := range b.ends() {
		frames += e.Outstanding()
	}
	return frames
}

func over(streams []*Stream) bool {
	for _, s := range streams {
		if s.Delivered < s.Frames {
			return false
		}
	}
	return true
}

// receive passes the frames that have arrived at the host of an end to their streams. came reports whether a data
// frame has arrived.
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
