package lab

import (
	"time"
)

// settled is how long nothing comes before the rest of the streams counts as lost: longer than
// any replay takes of which something comes.
const settled = 50 * time.Millisecond

// Carry runs streams from their beginning, all at the same time, until everything was delivered and
// acknowledged, or nothing was sent and nothing has come for a while.
func (b *Bench) Carry(streams ...*Stream) {
	b.Begin(streams...)
	b.Resume(streams...)
}

// Begin has streams begin now.
func (b *Bench) Begin(streams ...*Stream) {
	for _, s := range streams {
		s.begin(b.now)
	}
}

// Resume is Carry for streams that have begun.
func (b *Bench) Resume(streams ...*Stream) {
	last := b.now
	for !(over(streams) && b.outstanding() == 0) && b.now-last < int64(settled) {
		if b.turn(never, streams) {
			last = b.now
		}
	}
}

// Run runs streams that have begun for a time.
func (b *Bench) Run(d time.Duration, streams ...*Stream) {
	for end := b.now + int64(d); b.now < end; {
		b.turn(end, streams)
	}
}

// turn is a round with what streams send and get in it; moved tells whether there was such.
func (b *Bench) turn(latest int64, streams []*Stream) (moved bool) {
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

// outstanding is how many frames are not acknowledged, over all links.
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

// receive gives what has come to the host of an end to its streams.
func (b *Bench) receive(e *End, streams []*Stream) (came bool) {
	for f := e.Host.Recv(); f != nil; f = e.Host.Recv() {
		if e.Host.receivePause(f, b.now) {
			continue
		}
		came = true
		id, ok := streamOf(f)
		for _, s := range streams {
			if ok && s.To == e && s.ID == id && len(f) >= s.least() {
				s.take(f, b.now)
			}
		}
	}
	return came
}
