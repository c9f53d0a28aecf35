package cbfc

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	simSeeds  = flag.Uint64("cbfc.seeds", 0, "how many seeds the simulation runs; 0 = enough for a test")
	simSeed   = flag.Uint64("cbfc.seed", 0, "run this seed of the simulation alone")
	simFrames = flag.Int("cbfc.frames", 1000, "how many frames both ends send in one seed")
)

// figures are the results of the seeds.
type figures struct {
	delivered, dropped, starts, restarts, repaired, refused, timeouts, stale atomic.Uint64
}

func (f *figures) add(m *machine) {
	f.delivered.Add(uint64(m.got))
	f.dropped.Add(uint64(m.dropped))
	f.restarts.Add(uint64(m.start%1000 - 1))
	for vc := range simVCs {
		n := &m.port.Tx.vc[vc].counters
		f.starts.Add(n.Starts)
		f.repaired.Add(n.Repaired)
		f.refused.Add(n.Refused)
		f.timeouts.Add(n.Timeouts)
		f.stale.Add(n.Stale)
	}
}

// simulate runs one seed and returns what went wrong.
func simulate(seed uint64, frames int, f *figures) (err error) {
	defer func() {
		if r := recover(); r != nil {
			wrong, ok := r.(error)
			if !ok {
				panic(r)
			}
			err = wrong
		}
	}()
	c := newChaos(seed)
	a, b := c.newMachine("a"), c.newMachine("b")
	a.renews, b.renews = rand.New(rand.NewPCG(seed, 3)), rand.New(rand.NewPCG(seed, 4))
	b.start = 1000
	a.peer, b.peer = b, a
	c.net = &network{ends: [2]*machine{a, b}, fate: c.fate, now: second}
	a.net, b.net = c.net, c.net
	c.net.failed = func(format string, args ...any) {
		panic(fmt.Errorf("seed %d, %v: %s (go test ./cbfc -run Simulation -cbfc.seed %d -cbfc.frames %d)",
			seed, time.Duration(c.net.now), fmt.Sprintf(format, args...), seed, frames))
	}
	c.net.check = func() { c.conserved(a, b); c.conserved(b, a) }
	for _, m := range c.net.ends {
		m.boot(c.rng.Uint32N(1 << 20))
	}
	for limit := c.net.now.Add(time.Duration(c.rng.Int64N(60 * ms))); c.net.now < limit; {
		c.offer(min(frames/2-offered(a), c.rng.IntN(60)))
		c.wait(ms)
		c.meddle()
	}
	c.offer(frames/2 - offered(a))
	c.recover()
	f.add(a)
	f.add(b)
	return nil
}

func offered(m *machine) (n int) {
	for _, o := range m.offered {
		n += o
	}
	return n
}

// conserved checks the credits of one direction. With LLR R_CF, R_CC and S_CC follow S_CF in this order,
// within the limit: the credits held and in flight are the credits in use. The receiver never holds more
// than it has granted. Without LLR a CC_Update may overtake frames.
func (c *chaos) conserved(from, to *machine) {
	t, r := &from.port.Tx, &to.port.Rx
	used := 0
	for vc := range uint8(simVCs) {
		s, v := &t.vc[vc], &r.vc[vc]
		used += s.used
		// A channel of a pool gets a smaller part while it uses more, where another is to be lossless too.
		if s.used > s.limit && s.channel.phase == Lossless && !t.pool.includes(vc) || s.used < 0 ||
			uint32(s.used) != (s.cc-s.cf)&standard.count {
			c.net.failed("%s, VC %d: S_CC %d, S_CF %d, used %d of %d", from.name, vc, s.cc, s.cf, s.used, s.limit)
		}
		if !c.llr || s.channel.phase != Lossless || r.on>>vc&1 == 0 || t.start != to.start ||
			to.port.Tx.start != from.start ||
			v.question.Transaction != s.channel.number {
			continue
		}
		if freed, held, lost := (v.cf-s.cf)&standard.count, (v.cc-v.cf)&standard.count,
			(s.cc-v.cc)&standard.count; freed+held+lost != uint32(s.used) {
			c.net.failed("%s to %s, VC %d: S_CC %d, R_CC %d, R_CF %d, S_CF %d", from.name, to.name, vc, s.cc, v.cc, v.cf, s.cf)
		}
		if held := v.heldCredits(standard); held > v.limit {
			c.net.failed("%s, VC %d: %d credits are held, the limit is %d", to.name, vc, held, v.limit)
		}
	}
	if used != t.Used || t.pool.used > t.pool.size {
		c.net.failed("%s: %d credits are used, counted are %d", from.name, used, t.Used)
	}
	if total := to.settings.Total; c.llr && total > 0 && r.Held > int(total) {
		c.net.failed("%s: %d credits are held, the total is %d", to.name, r.Held, total)
	}
}

// recover makes the wire good, the readers quick and the grants sufficient, and has everything arrive
// and come to rest.
func (c *chaos) recover() {
	c.over = true
	failed := false
	for _, m := range c.net.ends {
		s := m.settings
		for vc := range m.buffer {
			m.buffer[vc].period, m.buffer[vc].next = 1000, c.net.now
			s.Limit[vc] = max(s.Limit[vc], 30)
		}
		m.configure(s)
		for vc := range simVCs {
			failed = failed || m.port.Tx.vc[vc].channel.failure != NoFailure || m.port.Tx.moving|m.port.Tx.owing() != 0
		}
	}
	bound := time.Duration(10 * second)
	if failed { // it is tried again after a minute at most
		bound += retryLast
	}
	for limit := c.net.now.Add(bound); !c.atRest(); c.wait(5 * ms) {
		if c.net.now > limit {
			c.stuck()
		}
	}
	for _, m := range c.net.ends {
		for vc, fates := range m.fates {
			for id, f := range fates {
				if f == 0 {
					c.net.failed("%s: frame %d of VC %d is neither delivered nor excused", m.name, id, vc)
				}
			}
		}
	}
}

// atRest reports whether all frames have arrived and all four counts of each channel are equal.
func (c *chaos) atRest() bool {
	for _, m := range c.net.ends {
		if !m.done() || !m.port.Quiet() || m.port.Tx.pool.used != 0 || !c.net.quiet() {
			return false
		}
		for vc := range uint8(simVCs) {
			s, v := &m.port.Tx.vc[vc], &m.peer.port.Rx.vc[vc]
			lossless := m.settings.Lossless>>vc&1 != 0
			if (s.channel.phase == Lossless) != lossless || (m.peer.port.Rx.on>>vc&1 != 0) != lossless {
				return false
			}
			if lossless && (s.cc != v.cc || s.cc != v.cf || s.cc != s.cf) {
				return false
			}
		}
	}
	return true
}

func (c *chaos) stuck() {
	text := ""
	for _, m := range c.net.ends {
		text += fmt.Sprintf("\n%s: LLR %v %v, %d outstanding, partner known: %v, moving %b", m.name,
			m.link.Tx.State(), m.link.Rx.State(), len(m.pushed), m.present, m.port.Moving())
		for vc := range simVCs {
			s, v := &m.port.Tx.vc[vc], &m.peer.port.Rx.vc[vc]
			text += fmt.Sprintf("\n  VC %d, wanted %v: %v %q, sent %d of %d, S_CC %d, R_CC %d, R_CF %d, S_CF %d, "+
				"used %d of %d; receiver on: %v, its limit %d", vc,
				m.settings.Lossless>>vc&1 != 0, s.channel.phase, s.channel.failure, m.next[vc], m.offered[vc], s.cc, v.cc,
				v.cf, s.cf,
				s.used, s.limit, m.peer.port.Rx.on>>vc&1 != 0, v.limit)
		}
	}
	c.net.failed("no rest over a good wire%s", text)
}

// TestSimulation runs two ends with LLR between them over a bad wire in virtual time, seed after seed.
// What must hold is checked after every step: no buffer beyond what was granted, credits conserved, each
// frame once and in order, no call that is wanted at once again; and soon after the wire has become good
// all has arrived and all counts are equal.
func TestSimulation(t *testing.T) {
	var f figures
	if *simSeed != 0 {
		if err := simulate(*simSeed, *simFrames, &f); err != nil {
			t.Fatal(err)
		}
		return
	}
	seeds := *simSeeds
	if seeds == 0 {
		seeds = 300
		if testing.Short() { // enough for the race detector to see pairs that run side by side
			seeds = 8
		}
	}
	var next atomic.Uint64
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for seed := next.Add(1); seed <= seeds && !t.Failed(); seed = next.Add(1) {
				if err := simulate(seed, *simFrames, &f); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	t.Logf("%d seeds: %d frames delivered, %d of best effort dropped for want of room; %d starts, %d that failed, "+
		"%d restarts, %d credits repaired, %d credit timeouts, %d stale messages", seeds, f.delivered.Load(),
		f.dropped.Load(),
		f.starts.Load(), f.refused.Load(), f.restarts.Load(), f.repaired.Load(), f.timeouts.Load(), f.stale.Load())
}
