package kernel

import (
	"errors"
	"fmt"
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
	Interval  time.Duration // between the beginnings of two bursts; 0: none
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
		spec.Variables["interval"].Set(uint64(s.Interval)))
}

// Spread sends a frame in bursts, from the CPU, until Stop. The CPU is busy also
// between the bursts.
func (l *Load) Spread(ns *netns.NS, cpu int, frame []byte) (*Source, error) {
	return start(l.objects.UelinkSpread, ns, cpu, frame, repeat{times: math.MaxUint32})
}

// Sent is how many frames Spread has sent.
func (l *Load) Sent() (frames uint64, err error) {
	var s struct {
		Due, Frames uint64
		Left, To    uint32
	}
	if err := l.objects.Spread.Get(&s); err != nil {
		return 0, fmt.Errorf("read what was sent: %w", err)
	}
	return s.Frames, nil
}
