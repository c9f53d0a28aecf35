package llr

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"uelink/wire"
)

var (
	simSeeds = flag.Uint64("sim.seeds", 0, "how many seeds the simulation runs; 0 = enough for a test")
	simSeed  = flag.Uint64("sim.seed", 0, "run this seed of the simulation alone, and show what happens")
	simTotal = flag.Uint64("sim.frames", 0, "run seeds until as many frames are delivered, instead of a number of seeds")
	simFirst = flag.Uint64("sim.first", 1, "the first seed")
	simRenew = flag.Int("sim.renew", 200, "an end is saved and restored at one in as many moments, by chance")
)

// simFrames is how many frames each end sends in one seed.
const simFrames = 700

// simulate runs one seed of a kind of replay with so many frames each way and returns what the two
// ends have counted. The ends are saved and restored, by chance.
func simulate(t *testing.T, seed uint64, replay ReplayKind, log bool) (total Counters) {
	total, _ = simulateRenewed(t, seed, replay, log, rand.New(rand.NewPCG(seed, 3)))
	return total
}

// simulateRenewed is simulate with the chance of saving and restoring as an argument, nil for never. It also returns
// how often an end was restored.
func simulateRenewed(
	t *testing.T, seed uint64, replay ReplayKind, log bool, renews *rand.Rand,
) (total Counters, renewed uint64) {
	const frames = simFrames
	c := newChaos(seed, replay)
	a := newStation("a", c.profile, 0, [2]byte{}, 256)
	b := newStation("b", c.profile, 0, [2]byte{}, 256)
	c.net = newNetwork(a, b, func(format string, args ...any) {
		if c.net.log != nil {
			t.Log(c.net.log.take())
		}
		t.Fatalf("seed %d, %v: %s (go test ./llr -run '%s$' -sim.seed %d)",
			seed, time.Duration(c.net.now), fmt.Sprintf(format, args...), t.Name(), seed)
	})
	c.net.renews = renews
	c.net.fate, c.net.room, c.net.batch = c.fate, 1+c.rng.IntN(64), 1+c.rng.IntN(64)
	if log {
		c.net.log = &journal{net: c.net}
	}
	for _, s := range []*station{a, b} {
		s.size = func(id int) int { return 60 + id*7919%1441 }
		s.bad = map[int]bool{frames / 3: true, frames / 2: true}
		c.boot(s)
	}
	for limit := wire.Time(c.rng.Int64N(60_000_000)); c.net.now < limit; {
		c.offer(min(frames-a.offered, c.rng.IntN(100)))
		c.wait(time.Millisecond)
		c.meddle()
		if c.rng.IntN(5) == 0 {
			c.operate()
		}
	}
	c.offer(frames - a.offered)
	c.recover()
	if log {
		t.Log(c.net.log.take())
	}
	return c.sum(), c.net.renewed
}

// recover makes the wire good and leaves the ends to themselves, but for the way
// out of FLUSH: everything that is left must arrive soon.
func (c *chaos) recover() {
	a, b := c.net.a, c.net.b
	c.over = true
	a.stopped, b.stopped = false, false
	limit := c.net.now.Add(20 * time.Second)
	accepted, promised := [2]int{a.next, b.next}, c.net.now.Add(c.bound())
	for !(a.done() && b.done()) {
		if promised > 0 && c.net.now >= promised {
			c.kept(a, accepted[0])
			c.kept(b, accepted[1])
			promised = 0
		}
		if c.net.now > limit {
			c.net.failed("no progress over a good wire: a sent %d of %d, is in %v and %v; b %d of %d, %v and %v",
				a.next, a.offered, a.link.Tx.State(), a.link.Rx.State(), b.next, b.offered, b.link.Tx.State(), b.link.Rx.State())
		}
		c.wait(time.Millisecond)
		c.operate()
	}
	for _, s := range []*station{a, b} {
		s.work(nil, true)
		for id, f := range s.fates {
			if f == 0 {
				c.net.failed("%s: frame %d was neither delivered nor given up", s.name, id)
			}
		}
	}
}

// bound is how long after the wire has become good all that LLR was given before has
// been delivered or flushed: 2(N+1) times REPLAY_TIMER_MAX and half a second. Without
// a limit to the replays it is as if N were 8: the timer lasts 16 times as long at most.
func (c *chaos) bound() time.Duration {
	n := time.Duration(c.profile.MaxReplayCount)
	if n == NoReplayLimit {
		n = 8
	}
	longest := max(c.profile.MaxReplayTimer, c.net.a.limits.MaxReplayTimer,
		c.net.b.limits.MaxReplayTimer)
	return 2*(n+1)*longest + 500*time.Millisecond
}

// kept checks that the first n frames of a station were delivered or given up.
func (c *chaos) kept(s *station, n int) {
	for id, f := range s.fates[:n] {
		if f == 0 {
			c.net.failed("%s: %v after the wire has become good frame %d is neither delivered nor given up; it is in %v",
				s.name, c.bound(), id, s.link.Tx.State())
		}
	}
}

// sum returns the counters of both ends, of which RxExpectedSeqGood is the frames delivered.
func (c *chaos) sum() (total Counters) {
	for _, s := range []*station{c.net.a, c.net.b} {
		n := *s.link.Counters()
		n.RxExpectedSeqGood = uint64(s.got)
		addCounters(&total, &n)
	}
	return total
}

// addCounters adds the counters that a simulation reports.
func addCounters(total, n *Counters) {
	total.RxExpectedSeqGood += n.RxExpectedSeqGood
	total.TxOK += n.TxOK
	total.TxReplay += n.TxReplay
	total.TxFlush += n.TxFlush
	total.RxInitStale += n.RxInitStale
	total.PartnerRestart += n.PartnerRestart
	total.TxReinit += n.TxReinit
	total.PartnerResumed += n.PartnerResumed
	total.TxUnconfirmed += n.TxUnconfirmed
	total.RxKept += n.RxKept
	total.TxSelected += n.TxSelected
	total.TxTailProbe += n.TxTailProbe
}

// TestSimulation runs two ends over a bad wire in virtual time, seed after seed.
// What must hold is checked by station at every step: every frame exactly once
// and in order unless LLR reports that it gave it up, the window within its
// bounds, every slot freed once and in turn, and all of it delivered soon after
// the wire has become good.
func TestSimulation(t *testing.T) {
	seeds(t, GoBackN, 1000)
}

// The same holds in selective replay, whose kept frames come back once each, while the edge behind an end stands still,
// while an end changes its mind, and with forged reports.
func TestSimulationOfSelectiveReplay(t *testing.T) {
	total := seeds(t, Auto, 500)
	if *simSeed == 0 && *simSeeds == 0 && (total.RxKept < 1000 || total.TxSelected < 1000 || total.TxTailProbe < 100) {
		t.Errorf("%d frames were kept, %d sent again, %d probes: hardly selective", total.RxKept, total.TxSelected,
			total.TxTailProbe)
	}
}

// seeds simulates so many seeds of a kind of replay, or as the flags say.
func seeds(t *testing.T, replay ReplayKind, most uint64) (total Counters) {
	if *simSeed != 0 {
		return simulate(t, *simSeed, replay, true)
	}
	if *simSeeds != 0 {
		most = *simSeeds
	}
	if *simTotal != 0 {
		most = math.MaxInt64
	}
	seed, renewed := *simFirst-1, uint64(0)
	for began := time.Now(); seed < *simFirst-1+most && (*simTotal == 0 || total.RxExpectedSeqGood < *simTotal); {
		seed++
		n, renews := simulateRenewed(t, seed, replay, false, rand.New(rand.NewPCG(seed, 3)))
		renewed += renews
		addCounters(&total, &n)
		if seed%20_000 == 0 {
			t.Logf("%v: %d seeds, %d frames delivered", time.Since(began).Round(time.Second), seed, total.RxExpectedSeqGood)
		}
	}
	t.Logf("seeds %d to %d: %d frames delivered, %d sent, %d replays, %d flushes, %d LLR_INIT that did not fit, "+
		"%d restarts noticed, %d of them resumed with %d frames unconfirmed, initialised again %d times; %d kept, "+
		"%d sent again alone, %d probes; saved and restored %d times", *simFirst, seed,
		total.RxExpectedSeqGood, total.TxOK, total.TxReplay, total.TxFlush, total.RxInitStale, total.PartnerRestart,
		total.PartnerResumed, total.TxUnconfirmed, total.TxReinit, total.RxKept, total.TxSelected, total.TxTailProbe, renewed)
	return total
}
