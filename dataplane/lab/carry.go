package lab

import (
	"encoding/binary"
	"math"
	"time"

	"uelink/wire"
)

// settled is how long nothing comes before the rest of the streams counts as lost: longer than
// any replay takes of which something comes.
const settled = 50 * time.Millisecond

// Carry runs streams, all at the same time, until everything was delivered and acknowledged, or
// was sent and nothing has come for a while.
func (b *Bench) Carry(streams ...*Stream) {
	for _, s := range streams {
		s.begin(b.now)
	}
	last := b.now
	for !(over(streams) && b.A.Outstanding()+b.B.Outstanding() == 0) && b.now-last < int64(settled) {
		next := int64(math.MaxInt64)
		for _, s := range streams {
			sent := s.Sent
			s.offer(b.now)
			if s.Sent > sent {
				last = b.now
			}
			if s.Sent < s.Frames {
				next = min(next, s.due())
			}
		}
		b.Round(next)
		for _, e := range []*End{b.A, b.B} {
			if b.receive(e, streams) {
				last = b.now
			}
		}
	}
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
		came = true
		for _, s := range streams {
			if s.To == e && len(f) >= headLen && s.ID == id(f) {
				s.take(f, b.now)
			}
		}
	}
	return came
}

// id is the stream that a frame says it is of.
func id(f []byte) uint8 {
	return uint8(binary.BigEndian.Uint16(f[wire.HeaderLen+ipLen:]) - firstPort)
}
