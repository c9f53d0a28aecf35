package dataplane

import (
	"uelink/dataplane/frame"
	"uelink/wire"
)

// standstill is how long an edge has had no room before it counts as standing still, in
// nanoseconds. It does so until it has room for half of its TX slots: with less, a slow edge
// would have all that is outstanding sent again for each frame that it takes.
const standstill = 2e6

// edgeStill is an edge port that takes no frames.
type edgeStill struct {
	since    int64 // when there was no room first; 0 = there is
	refusing bool  // it stands still: data frames of the link are refused
}

// judgeEdge finds out whether the edge port stands still, which has room for so many
// frames. Its link goes on: control frames are worked, so that the other direction does
// not starve; data frames are refused before LLR sees them. The partner is told to wait,
// and when there is room again, to send them again.
func (x *xconnect) judgeEdge(room int, now int64) {
	s := &x.edgeStill
	switch {
	case s.refusing:
		if !x.edge.ready() || 2*room >= x.edge.slots.geometry.TX {
			*s = edgeStill{}
			x.link.llr.Rx.Resume()
		} else {
			x.link.blocked = true // look again soon
		}
	case room > 0:
		s.since = 0
	case s.since == 0:
		s.since = max(now, 1)
	default:
		s.refusing = now-s.since >= standstill
	}
}

// refuse drops data frames that the edge port has no room for.
func (x *xconnect) refuse(data []frame.Desc, area []byte) {
	l := x.link
	l.counters.RxRefused += uint64(len(data))
	for _, d := range data {
		f := area[d.Addr : d.Addr+uint64(d.Len)]
		if wire.EtherType(f) != l.settings.EtherTypeData {
			continue
		}
		p, fault := wire.ParseData(f, l.settings.Dialect)
		if fault == wire.NoFault && p.Sequenced && wire.JudgeFCS(f, p, l.settings.FCS) != wire.FCSBad {
			l.llr.Rx.Refuse(p.Seq)
		}
	}
}
