package path

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

var (
	simSeeds  = flag.Uint64("simulation.seeds", 200, "how many bad wires to simulate")
	simFirst  = flag.Uint64("simulation.first", 1, "the first seed: run a failed one alone with -simulation.seeds 1")
	simFrames = flag.Uint64("simulation.frames", 400, "frames a wire, both directions together")
	simFor    = flag.Duration("simulation.for", 0, "go on with new seeds for so long")
)

// TestSimulation carries frames both ways through the whole frame path over
// wires that each seed makes bad in another way: every frame comes out exactly
// once and in order, whatever the wire does.
func TestSimulation(t *testing.T) { manySeeds(t, "TestSimulation", simulate(goBackN)) }

// TestChaos is TestSimulation with more than a bad wire: see simulateChaosOnce.
func TestChaos(t *testing.T) { manySeeds(t, "TestChaos", simulateChaos(goBackN)) }

// TestSelectiveSimulation is TestSimulation where both ends, or one of them, replay selectively.
func TestSelectiveSimulation(t *testing.T) {
	manySeeds(t, "TestSelectiveSimulation", simulate(selectively))
}

// TestSelectiveChaos is TestChaos where both ends, or one of them, replay selectively.
func TestSelectiveChaos(t *testing.T) {
	manySeeds(t, "TestSelectiveChaos", simulateChaos(selectively))
}

// kinds sets the kinds of replay of the ends of a pair, drawn from a seed.
type kinds func(seed uint64, o *pairOptions)

// goBackN is the kind of replay of both ends by default.
func goBackN(uint64, *pairOptions) {}

// selectively has both ends replay selectively, or one of them, which is go-back-N.
func selectively(seed uint64, o *pairOptions) {
	r := rand.New(rand.NewPCG(seed, 6))
	o.replay = map[string]llr.ReplayKind{"a": llr.Selective, "b": llr.Auto}
	if r.IntN(4) == 0 {
		o.replay = map[string]llr.ReplayKind{[]string{"a", "b"}[r.IntN(2)]: llr.Auto}
	}
}

// inOneGoroutine leaves a test out with -short, as the race detector runs: the test works through seconds of virtual
// time in a single goroutine, where no race can be.
func inOneGoroutine(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: one goroutine for many frames")
	}
}

// manySeeds runs a simulation of so many frames each way for each seed. With -short it takes 4 seeds: enough for the
// race detector to see pairs that run side by side.
func manySeeds(t *testing.T, name string, simulate func(seed, n uint64) error) {
	seeds := *simSeeds
	if testing.Short() {
		seeds = min(seeds, 4)
	}
	var next, frames, failed atomic.Uint64
	next.Store(*simFirst)
	start := time.Now()
	more := func(seed uint64) bool {
		if *simFor > 0 {
			return time.Since(start) < *simFor
		}
		return seed < *simFirst+seeds
	}
	var group sync.WaitGroup
	for range runtime.NumCPU() {
		group.Go(func() {
			for seed := next.Add(1) - 1; more(seed) && failed.Load() < 5; seed = next.Add(1) - 1 {
				if err := simulate(seed, *simFrames/2); err != nil {
					failed.Add(1)
					t.Errorf("seed %d: %v\nalone: go test ./dataplane/path -run '^%s$' -simulation.first %d -simulation.seeds 1 "+
						"-simulation.frames %d", seed, err, name, seed, *simFrames)
				}
				frames.Add(*simFrames / 2 * 2)
			}
		})
	}
	group.Wait()
	t.Logf("%d frames over %d wires, from seed %d", frames.Load(), frames.Load()/(*simFrames/2*2), *simFirst)
}

// simulate returns the simulation that carries n frames each way over the wire of one seed.
func simulate(choose kinds) func(seed, n uint64) error {
	return func(seed, n uint64) error { return simulateOnce(choose, seed, n) }
}

func simulateOnce(choose kinds, seed, n uint64) error {
	r := rand.New(rand.NewPCG(seed, 2))
	o := simOptions(r)
	choose(seed, &o)
	p := newPair(o, seed)
	p.renewal.r, p.handsOver = rand.New(rand.NewPCG(seed, 5)), true
	if !p.until(p.established, 10*time.Second) {
		return fmt.Errorf("LLR does not come up: a %v, b %v", p.a.l.LLR.Tx.State(), p.b.l.LLR.Tx.State())
	}
	p.a.forget()
	p.b.forget()
	if r.IntN(4) == 0 {
		if err := p.run(n/2, 10*time.Minute); err != nil {
			return err
		}
		p.flap(r)
	}
	if err := p.run(n, 10*time.Minute); err != nil {
		return err
	}
	if p.a.gaps+p.b.gaps > 0 {
		return fmt.Errorf("%d and %d frames never came", p.a.gaps, p.b.gaps)
	}
	return p.settle()
}

// simOptions draws a wire and a profile.
func simOptions(r *rand.Rand) pairOptions {
	o := defaults()
	o.chunk, o.mtu = 512, 200
	if r.IntN(4) == 0 {
		o.inPieces()
	}
	o.ports.Dialect = wire.Dialect(r.IntN(2))
	o.ports.Encapsulation = model.Encapsulation(r.IntN(2))
	o.mixed = r.IntN(4) == 0
	o.profile.MaxOutstandingFrames = 1 << (2 + r.IntN(8))
	o.profile.CtlOSSpacingBytes = 400 + r.IntN(16000)
	o.profile.MaxReplayTimer = time.Duration(1+r.IntN(20)) * 100 * time.Microsecond
	if r.IntN(3) == 0 {
		o.profile.MaxOutstandingBytes = int64(200 + r.IntN(5000))
	}
	o.wire = fault.Config{
		Loss: chance(r, 0.05), Corrupt: chance(r, 0.02), Duplicate: chance(r, 0.05), Reorder: chance(r, 0.05),
	}
	if r.IntN(3) == 0 {
		o.wire.Burst = 1 + r.Float64()*8
	}
	if r.IntN(3) == 0 {
		o.wire.Delay = time.Duration(r.IntN(200)) * time.Microsecond
		o.wire.Jitter = time.Duration(r.IntN(50)) * time.Microsecond
	}
	return o
}

// inPieces has frames be of up to 799 octets, which come in up to four chunks.
func (o *pairOptions) inPieces() { o.mtu, o.spread = 800, 740 }

// chance is 0 every third time, else up to limit.
func chance(r *rand.Rand, limit float64) float64 {
	if r.IntN(3) == 0 {
		return 0
	}
	return r.Float64() * limit
}

// flap takes the carrier away from both ends in the middle of traffic.
func (p *pair) flap(r *rand.Rand) {
	p.setCarrier(false)
	for end := p.now.Add(time.Duration(r.IntN(20e6))); p.now < end; {
		p.a.offer(p.a.sent + 1)
		p.b.offer(p.b.sent + 1)
		p.round()
	}
	p.setCarrier(true)
}

func (p *pair) setCarrier(up bool) {
	for _, e := range []*end{p.a, p.b} {
		e.link.SetUp(up)
		e.x.SetUp(&e.l.Port, up, p.now)
	}
}

// settle makes the wire good and sees that LLR comes to rest with nothing held.
func (p *pair) settle() error {
	for _, e := range []*end{p.a, p.b} {
		e.linkIn.SetConfig(fault.Config{})
	}
	rest := func() bool {
		a, _ := p.a.l.LLR.Tx.Outstanding()
		b, _ := p.b.l.LLR.Tx.Outstanding()
		return a+b == 0 && p.a.l.LLR.Tx.State() == llr.TxAdvance && p.b.l.LLR.Tx.State() == llr.TxAdvance
	}
	if !p.until(rest, time.Second) {
		return fmt.Errorf("LLR does not come to rest on a good wire")
	}
	for _, e := range []*end{p.a, p.b} {
		if err := e.invariant(); err != nil {
			return err
		}
		home := func() bool { return e.link.HandedOut() == 0 }
		if !p.until(home, time.Second) {
			return fmt.Errorf("end %s: %d chunks are not with the device, %d frames are kept, %d wait", e.name,
				e.link.HandedOut(), e.l.LLR.Rx.CountKept(), e.edge.egress.waiting)
		}
	}
	return nil
}
