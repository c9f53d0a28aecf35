package path

import (
	"time"

	"uelink/wire"
)

// standstillAfter is the time without a sent frame, while frames wait, after which a port counts as standing still.
const standstillAfter = 2 * time.Millisecond

// standstill detects a port that accepts no frames.
type standstill struct {
	since    wire.Time // time when a frame began to wait, or of the last frame sent; 0 = no frame waits
	frames   uint64
	wait     int  // frames waiting when the standstill began
	stands   bool // the port stands still
	reported bool // the standstill was reported by an event
}

// judge updates whether an edge port stands still: its host has accepted no frame for the time standstillAfter while
// frames wait. The standstill ends when half of the waiting frames have left.
func (p *Port) judge(now wire.Time) {
	s := &p.findings.standstill
	if p.egress.waiting == 0 && s.since == 0 || p.Suspended {
		return
	}
	moved := p.Counters.TxFrames != s.frames
	s.frames = p.Counters.TxFrames
	switch {
	case p.egress.filled&^p.settings.Stops.Stopped == 0: // no frame waits for the host
		*s = standstill{frames: s.frames, reported: s.reported}
	case s.stands:
		s.stands = 2*p.egress.waiting > s.wait
	case moved || s.since == 0:
		s.since = max(now, 1)
	case now.Sub(s.since) >= standstillAfter:
		s.stands, s.wait = true, p.egress.waiting
	}
}

// refuses reports whether a data frame of an xconnect's link must be refused before LLR's verdict, because the edge has
// no room. The link goes on: control frames are handled, so that the other direction does not starve. The partner is
// told to wait.
func (l *Link) refuses(s *source) bool {
	if s.room() == 0 && (l.Port.Other.Ready() || l.Port.Other.Suspended) {
		l.pushback.refusing = true
	}
	return l.pushback.refusing
}

// refuse counts a data frame refused for want of room. LLR learns the number of a sequenced frame, and asks for a
// replay later.
func (l *Link) refuse(f []byte, p wire.Preamble) {
	l.Port.Counters.RxRefused++
	if p.Sequenced && wire.JudgeFCS(f, p, l.Port.settings.FCS) != wire.FCSBad {
		l.LLR.Rx.Overflowed(p.Seq)
	}
}

// resume lets a link accept data frames again, after a refusal for want of room, when half of the room is free.
// With less, a slow edge would cause a replay of all outstanding frames for each frame it accepts.
func (l *Link) resume() {
	if !l.pushback.refusing {
		return
	}
	for _, s := range l.Port.sources {
		if 2*s.waiting > s.spare {
			l.Port.blocked = true // check again soon
			return
		}
	}
	l.pushback.refusing = false
	l.LLR.Rx.RoomAvailable()
}
