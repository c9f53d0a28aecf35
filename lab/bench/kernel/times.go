package kernel

import (
	"fmt"
	"time"

	"github.com/cilium/ebpf"
)

// Steps of a distribution, as in bench.c: 2^6 ns up to half a millisecond, then 2^16 ns. The last step has all longer
// times.
const (
	fineStep   = 1 << 6
	coarseStep = 1 << 16
)

// Times is a distribution of durations. The zero value is empty.
type Times struct{ raw benchTimes }

// Rounds returns the distribution of the frames' round trip times, measured by the program that Reflect attached;
// Config.Timed must be set.
func (l *Load) Rounds() (*Times, error) { return read(l.objects.Rounds) }

// Delays returns the distribution of the times that frames of Spread took to the programs attached by Sink and
// Receive; Spread.Stamped must be set. In the programs it is the same variable as Rounds, which a Load uses for one
// of the two.
func (l *Load) Delays() (*Times, error) { return read(l.objects.Rounds) }

// read reads a distribution from a variable of the loaded programs.
func read(v *ebpf.Variable) (*Times, error) {
	t := &Times{}
	if err := v.Get(&t.raw); err != nil {
		return nil, fmt.Errorf("read a distribution of times: %w", err)
	}
	return t, nil
}

// Add adds the durations counted in o to t.
func (t *Times) Add(o *Times) {
	for i, n := range o.raw.Fine {
		t.raw.Fine[i] += n
	}
	for i, n := range o.raw.Coarse {
		t.raw.Coarse[i] += n
	}
}

// Sub subtracts an earlier reading o of the same distribution from t; the durations since that reading remain.
func (t *Times) Sub(o *Times) {
	for i, n := range o.raw.Fine {
		t.raw.Fine[i] -= n
	}
	for i, n := range o.raw.Coarse {
		t.raw.Coarse[i] -= n
	}
}

// Count returns how many durations the distribution holds.
func (t *Times) Count() (sum uint64) {
	t.each(func(_ time.Duration, n uint64) bool { sum += n; return true })
	return sum
}

// Quantile returns the duration that a share q (0 to 1) of the durations does not exceed, as the middle of a step
// of the distribution; 0 for an empty distribution.
func (t *Times) Quantile(q float64) (d time.Duration) {
	rank := uint64(q * float64(t.Count()))
	t.each(func(at time.Duration, n uint64) bool {
		d = at
		passed := n > rank
		rank -= min(n, rank)
		return !passed
	})
	return d
}

// each calls visit for every step of the distribution that is not empty, the shortest first, with the step's middle
// and count, until visit returns false.
func (t *Times) each(visit func(at time.Duration, n uint64) bool) {
	for i, n := range t.raw.Fine {
		if n > 0 && !visit(time.Duration(i)*fineStep+fineStep/2, n) {
			return
		}
	}
	for i, n := range t.raw.Coarse {
		if n > 0 && !visit(time.Duration(i)*coarseStep+coarseStep/2, n) {
			return
		}
	}
}
