package kernel

import (
	"errors"
	"math"
	"time"

	"github.com/cilium/ebpf"

	"uelink/netns"
)

// MaxSpread is how many interfaces the frames of Spread can leave by.
const MaxSpread = 32

// Spread is a source with a rate: bursts of frames, each by the next interface.
type Spread struct {
	Ifindexes []int         // where frames leave; no more than MaxSpread
	Burst     int           // frames that leave together; 0: one
	Interval  time.Duration // between the beginnings of two bursts; 0: none. Load.Pace changes it

	// Addresses is how many stations the frames of one interface go to, one after the other;
	// 0: frames go where they say. Those of no two interfaces are the same.
	Addresses int
	// Announce has frames come from these stations, as seen by the far end, and go to the
	// station that they come from: a bridge learns the address, and forwards nothing.
	Announce bool
	// Prioritized has the tag of frames (TaggedFrame) take on every priority, PCP and DEI.
	Prioritized bool
}

func (s Spread) set(spec *ebpf.CollectionSpec) error {
	var indexes [MaxSpread]uint32
	for i, index := range s.Ifindexes {
		indexes[i] = uint32(index)
	}
	return errors.Join(
		spec.Variables["ifindexes"].Set(indexes),
		spec.Variables["spread_over"].Set(uint32(len(s.Ifindexes))),
		spec.Variables["burst"].Set(uint32(max(1, s.Burst))),
		spec.Variables["addresses"].Set(uint32(s.Addresses)),
		spec.Variables["announced"].Set(number(s.Announce)),
		spec.Variables["prioritized"].Set(number(s.Prioritized)),
		spec.Variables["interval"].Set(uint64(s.Interval)))
}

// Spread sends a frame in bursts, from the CPU, until Stop. The CPU is busy also
// between the bursts.
func (l *Load) Spread(ns *netns.NS, cpu int, frame []byte) (*Source, error) {
	return start(l.objects.UelinkSpread, ns, cpu, frame, repeat{times: math.MaxUint32})
}
