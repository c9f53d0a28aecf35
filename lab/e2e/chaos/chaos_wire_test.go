package chaos

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/lab/e2e/bed"
)

// wireFaults is what a direction of a chaotic wire does to frames: chances from 0 to 1. The zero value is a good wire.
type wireFaults struct{ lose, corrupt, double, reorder float64 }

// wireCounts counts the frames of a direction, and its faults by kind.
type wireCounts struct{ frames, lost, corrupted, doubled, reordered atomic.Uint64 }

// String names the counts.
func (c *wireCounts) String() string {
	return fmt.Sprintf("%d frames, %d lost, %d corrupted, %d doubled, %d reordered", c.frames.Load(), c.lost.Load(),
		c.corrupted.Load(), c.doubled.Load(), c.reordered.Load())
}

// way is a direction of a chaotic wire: the packet sockets that it receives from and sends to.
type way struct {
	from, to *bed.Packets
	r        *rand.Rand
	faults   atomic.Pointer[wireFaults]
	waiting  []byte // a frame that the next one overtakes; nil = none
	counts   wireCounts
}

// chaoticWire joins a and b of a cabled topology. Its faults change while it runs, each direction by itself; a cable
// would have to be pulled for that.
type chaoticWire struct{ ways [2]*way } // a to b, b to a

// newChaoticWire plugs one in until the end of the test.
func newChaoticWire(top *bed.Topology, t testing.TB, seed uint64) *chaoticWire {
	t.Helper()
	a, b := bed.Open(t, top.Wire, "a", unix.ETH_P_ALL), bed.Open(t, top.Wire, "b", unix.ETH_P_ALL)
	w := &chaoticWire{[2]*way{{from: a, to: b}, {from: b, to: a}}}
	over := make(chan struct{})
	var running sync.WaitGroup
	for i, d := range w.ways {
		d.r = rand.New(rand.NewPCG(seed, uint64(i)))
		d.faults.Store(&wireFaults{})
		running.Go(func() {
			if err := d.run(over); err != nil {
				t.Errorf("direction %d of the wire: %v", i, err)
			}
		})
	}
	t.Cleanup(func() { close(over); running.Wait() })
	return w
}

// set changes the faults of the direction 0, a to b, and of the direction 1.
func (w *chaoticWire) set(faults [2]wireFaults) {
	for i := range faults {
		w.ways[i].faults.Store(&faults[i])
	}
}

// run carries frames until over is closed.
func (d *way) run(over <-chan struct{}) error {
	for {
		select {
		case <-over:
			return nil
		default:
		}
		f, err := d.from.Read()
		if err == nil && f == nil {
			err = d.release() // nothing has come for a moment
		} else if err == nil {
			err = d.carry(f, *d.faults.Load())
		}
		if err != nil {
			return err
		}
	}
}

// release sends the frame that is held back.
func (d *way) release() error {
	if d.waiting == nil {
		return nil
	}
	f := d.waiting
	d.waiting = nil
	return d.give(f)
}

// give sends a frame. A daemon looks how long a frame the wire carries: one that is too long ends here.
func (d *way) give(f []byte) error {
	err := d.to.Write(f)
	if errors.Is(err, unix.EMSGSIZE) {
		return nil
	}
	return err
}

// carry sends a frame on with the faults that chance has for it.
func (d *way) carry(f []byte, faults wireFaults) error {
	d.counts.frames.Add(1)
	if d.hits(faults.lose, &d.counts.lost) {
		return nil
	}
	if d.hits(faults.corrupt, &d.counts.corrupted) {
		f[d.r.IntN(len(f))] ^= 1 << d.r.IntN(8)
	}
	if d.waiting == nil && d.hits(faults.reorder, &d.counts.reordered) {
		d.waiting = f
		return nil
	}
	if d.hits(faults.double, &d.counts.doubled) {
		if err := d.give(f); err != nil {
			return err
		}
	}
	if err := d.give(f); err != nil {
		return err
	}
	return d.release()
}

// hits reports whether a fault of some chance hits a frame, and counts it.
func (d *way) hits(chance float64, count *atomic.Uint64) bool {
	hit := chance > 0 && d.r.Float64() < chance
	if hit {
		count.Add(1)
	}
	return hit
}
