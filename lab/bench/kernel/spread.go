package kernel

import (
	"errors"
	"math"
	"time"

	"github.com/cilium/ebpf"

	"uelink/internal/netns"
)

// MaxSpread is the most interfaces of a Spread.
const MaxSpread = 32

// Spread is a source with a rate: bursts of frames, each on the next interface.
type Spread struct {
	Ifindexes []int         // interfaces by which frames leave; at most MaxSpread
	Burst     int           // frames in a burst; 0: one frame
	Interval  time.Duration // time between the beginnings of two bursts; 0: no pause. Load.Pace changes it

	// Addresses is how many destination stations each interface has, used in turn; 0: the destination of the frame.
	// No station is on two interfaces.
	Addresses int
	// Announce makes each frame announce a station: its source address and its destination address are both that station,
	// so that a bridge learns the address and forwards nothing. Addresses is the number of stations.
	Announce bool
	// Stamped makes each frame carry the time that it leaves, for Load.Delays of the far ends.
	Stamped bool
}

// set writes the settings into the variables of a program that is not loaded yet.
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
		spec.Variables["stamped"].Set(number(s.Stamped)),
		spec.Variables["interval"].Set(uint64(s.Interval)))
}

// Spread starts a thread on a CPU in which the kernel sends a frame in bursts, by the interfaces and at the rate
// of Config.Spread, until Stop. The CPU is also busy between bursts.
func (l *Load) Spread(ns *netns.NS, cpu int, frame []byte) (*Source, error) {
	return start(l.objects.UelinkSpread, ns, cpu, frame, repeat{times: math.MaxUint32})
}
