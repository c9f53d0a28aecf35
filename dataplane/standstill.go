package dataplane

import "uelink/wire"

// standstill is how long no frame has left a port although some wait before it counts as
// standing still, in nanoseconds.
const standstill = 2e6

// still is a port that takes no frames.
type still struct {
	since  int64 // when a frame waited first, or one left last; 0 = none waits
	frames uint64
	wait   int  // frames that waited when it stood still
	stands bool // it stands still
	told   bool // by an event
}

// judge finds out whether an edge port stands still, and whether it goes on: half of what
// waited has left.
func (p *port) judge(now int64) {
	s := &p.still
	if p.waiting == 0 && s.since == 0 || p.suspended {
		return
	}
	moved := p.counters.TxFrames != s.frames
	s.frames = p.counters.TxFrames
	switch {
	case p.waiting == 0:
		*s = still{frames: s.frames, told: s.told}
	case s.stands:
		s.stands = 2*p.waiting > s.wait
	case moved || s.since == 0:
		s.since = max(now, 1)
	case now-s.since >= standstill:
		s.stands, s.wait = true, p.waiting
	}
}

// refuses tells whether a data frame of the link of an xconnect is refused before LLR sees
// it, for its edge has no room. The link goes on meanwhile: control frames are worked, so
// that the other direction does not starve. The partner is told to wait.
func (l *link) refuses(s *source) bool {
	if s.room() == 0 && (l.other.ready() || l.other.suspended) {
		l.refusing = true
	}
	return l.refusing
}

// refuse counts a data frame that is refused.
func (l *link) refuse(f []byte, p wire.Preamble) {
	l.counters.RxRefused++
	if p.Sequenced && wire.JudgeFCS(f, p, l.settings.FCS) != wire.FCSBad {
		l.llr.Rx.Overflowed(p.Seq)
	}
}

// resume has the link take data again when half of the room of its edge is back: with less, a slow edge would have all
// that is outstanding sent again for each frame that it takes.
func (l *link) resume() {
	if !l.refusing {
		return
	}
	for _, s := range l.sources {
		if 2*s.waiting > s.spare {
			l.blocked = true // look again soon
			return
		}
	}
	l.refusing = false
	l.llr.Rx.RoomAvailable()
}
