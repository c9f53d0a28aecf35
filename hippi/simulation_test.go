package hippi

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

var (
	simSeeds = flag.Uint64("hippi.seeds", 120, "how many seeds the simulation runs")
	simSeed  = flag.Uint64("hippi.seed", 0, "run this seed of the simulation alone")
)

// simMessages is the number of Messages on each virtual channel, each way, in one seed.
const simMessages = 125

// chaos is a simulation in progress.
type chaos struct {
	*pair
	seed    uint64
	profile Profile
	strict  bool // the profile of the standard
	gentle  bool // no resets: nothing may be lost
	killed  bool // an end was replaced, with its counters
}

// newChaos draws a wire and a profile: each fifth is that of the standard, but for times that the delay asks for.
func newChaos(t *testing.T, seed uint64) *chaos {
	p := Software()
	longest := []int{40, 300, 1500, 9000}[seed%4]
	c := &chaos{pair: newPair(seed, p, longest), seed: seed, profile: p}
	c.failed = func(format string, args ...any) {
		t.Helper()
		t.Fatalf("seed %d, %v: %s (go test ./hippi -run Simulation -hippi.seed %d)", seed, time.Duration(c.now),
			fmt.Sprintf(format, args...), seed)
	}
	pick := func(values ...int) int { return values[c.rng.IntN(len(values))] }
	c.fate = fate{
		loss: pick(0, 1, 10, 50, 200), damage: pick(0, 1, 10, 100), twice: pick(0, 0, 10, 100), late: pick(0, 0, 10, 100),
		delay: time.Duration(1+c.rng.IntN(1000)) * time.Microsecond,
	}
	c.gentle = seed%3 == 0
	if c.rng.IntN(3) == 0 {
		c.profile.Buffers = [VCs]uint8{1, 3, 17, 64}
	}
	if c.rng.IntN(3) == 0 {
		c.profile.ACKTimeout = 4 * c.fate.delay
	}
	c.strict = seed%5 == 4
	if c.strict {
		c.gentle, c.profile = false, Standard()
		c.profile.ACKTimeout, c.profile.Turn, c.profile.Keepalive = 8*c.fate.delay, c.fate.delay, 10*c.fate.delay
	}
	c.both(func(s *station) { c.restart(s) })
	c.a.resets, c.b.resets = 0, 0
	if c.strict {
		c.a.resets = 1 // two retries are soon used up, and a Message stalls for 2 ms
	}
	c.both(func(s *station) { s.perFrame, s.bursts = pick(1, 3, 20, 200), pick(0, 1, 1) == 1 })
	return c
}

// restart replaces an end by a new process: all its memory is gone.
func (c *chaos) restart(s *station) {
	p := c.profile
	p.SULAAllowed, p.VC3 = true, true
	for vc := range s.busy {
		s.busy[vc] = false
	}
	s.l = NewLink(p, uint16(c.rng.Uint32()))
	s.l.SetCarrier(true, c.now)
	s.resets++
}

// meddle does what happens to a link besides a bad wire.
func (c *chaos) meddle() {
	s := []*station{c.a, c.b}[c.rng.IntN(2)]
	switch c.rng.IntN(8) {
	case 0:
		s.refuses = !s.refuses
	case 1:
		if c.gentle {
			return
		}
		if s.l.ControlRequest(CommandReset, c.now) == nil {
			s.resets++
		}
	case 2:
		if c.gentle {
			return
		}
		if s.l.ControlRequest(CommandInitialize, c.now) == nil {
			s.resets++
		}
	case 3:
		if c.gentle {
			return
		}
		s.l.SetCarrier(false, c.now)
		c.wait(time.Duration(c.rng.IntN(5)) * time.Millisecond)
		s.l.SetCarrier(true, c.now)
		s.resets++
	case 4:
		if !c.gentle {
			c.restart(s)
			c.killed = true
		}
	case 5:
		if c.gentle {
			return
		}
		c.fate.cut[c.rng.IntN(2)] = c.rng.IntN(3) == 0
		s.resets++ // the silence may be long enough
	}
}

// operate is the operator: a link that was shut down is reset.
func (c *chaos) operate() {
	c.both(func(s *station) {
		if s.l.State() == Shutdown && s.l.activity.indicated {
			s.resets++
			if err := s.l.ControlRequest(CommandReset, c.now); err != nil {
				c.failed("%s: Link Reset: %v", s.name, err)
			}
		}
	})
}

// simulate runs one seed. With renews, the ends are saved and restored at random times; simulate returns how often.
func simulate(t *testing.T, seed uint64, total *Counters, renews *rand.Rand) int {
	c := newChaos(t, seed)
	c.renews = renews
	c.play(total)
	return c.renewed
}

// play lets a simulation run to its end, and adds the counters of both ends to total.
func (c *chaos) play(total *Counters) {
	for end := c.now.Add(time.Duration(c.rng.IntN(3000)) * time.Millisecond); c.now < end; {
		c.both(func(s *station) {
			for vc := range s.taken {
				s.taken[vc] = min(s.taken[vc]+uint32(c.rng.IntN(10)), simMessages)
			}
		})
		c.wait(time.Duration(c.rng.IntN(20_000)) * time.Microsecond)
		c.meddle()
		if c.rng.IntN(5) == 0 {
			c.operate()
		}
	}
	c.recover()
	for _, s := range []*station{c.a, c.b} {
		n := &s.l.Counters
		total.TxMessages += n.TxMessages
		total.TxRetransmitted += n.TxRetransmitted
		total.TxMicropackets += n.TxMicropackets
		total.LinkResets += n.LinkResets
		total.Initializes += n.Initializes
		total.Shutdowns += n.Shutdowns
		total.RxMessages += n.RxMessages
		total.RxStaleFrames += n.RxStaleFrames
		total.TxLostAtReset += n.TxLostAtReset
	}
}

// recoverBound is how long after the wire has become good both ends are in Normal: silence may have to be noticed,
// and a Link Reset under way to end by the Dead-man timer, twice.
const recoverBound = 3 * time.Second

// recover makes the wire good: both ends reach Normal, and what was not lost by a reset arrives.
func (c *chaos) recover() {
	c.fate = fate{delay: c.fate.delay}
	c.both(func(s *station) { s.refuses = false })
	for until := c.now.Add(recoverBound); !c.normal() || c.retrying(); c.wait(time.Millisecond) {
		if c.operate(); c.now > until {
			c.failed("%v after the wire has become good: a %v, b %v", recoverBound, c.a.l.State(), c.b.l.State())
		}
	}
	resets := c.a.resets + c.b.resets
	c.both(func(s *station) {
		for vc := range s.taken {
			s.taken[vc] = simMessages
		}
	})
	// No multiple of a keepalive: else a Null of the profile of the standard may be under way whenever we look.
	for until := c.now.Add(20 * time.Second); !c.finished(); c.wait(1_003_001) {
		if c.now > until {
			c.failed("20 s after the wire has become good: a sent %v, b %v; outstanding %d, %d; arrived %v, %v; state %v, %v",
				c.a.sent, c.b.sent, c.a.l.src.count, c.b.l.src.count, c.b.arrived, c.a.arrived, c.a.l.State(), c.b.l.State())
		}
	}
	if resets == 0 && (c.a.l.Counters.LinkResets != 1 || c.b.l.Counters.LinkResets != 1) {
		c.failed("%d and %d Link Resets, and nothing asked for any", c.a.l.Counters.LinkResets, c.b.l.Counters.LinkResets)
	}
	c.account(c.a, c.b)
	c.account(c.b, c.a)
}

// retrying reports whether an end has retransmitted without success so far. The last retransmission of the profile of
// the standard may have been lost just before the wire became good: then the link is still to shut down.
func (c *chaos) retrying() bool { return c.a.l.src.retries > 0 || c.b.l.src.retries > 0 }

// finished reports whether both ends have sent everything, and all of it has arrived.
func (c *chaos) finished() bool {
	return c.a.done() && c.b.done() && c.a.in.Len() == 0 && c.b.in.Len() == 0
}

// account checks that no more Messages are missing than the ends have counted, none without a reset; at rest all credit
// is at the sender.
func (c *chaos) account(from, to *station) {
	missing := uint64(0)
	for vc := range from.sent {
		missing += uint64(from.sent[vc] - to.arrived[vc])
		if got, want := from.l.Source().Credit(uint8(vc)), to.l.profile.Buffers[vc]; got != want {
			c.failed("VC%d of %s has %d credits at rest, want %d", vc, from.name, got, want)
		}
	}
	counted := from.l.Counters.TxLostAtReset + to.l.Counters.RxLostAtReset + to.l.Counters.RxMessageError
	switch {
	case missing == 0:
	case c.a.resets+c.b.resets == 0:
		c.failed("%d Messages of %s are missing, without a reset", missing, from.name)
	case missing > counted && !c.killed:
		c.failed("%d Messages of %s are missing, %d are counted", missing, from.name, counted)
	}
}

// TestSimulation runs two ends over bad wires in virtual time: loss, damage, duplicates, late frames, cut wires,
// resets, restarts. Every Message arrives at most once and in order on its virtual channel, with its octets, and none
// is missing unless the link was reset. Once the wire is good both ends reach Normal, and everything arrives.
func TestSimulation(t *testing.T) {
	var total Counters
	if *simSeed != 0 {
		simulate(t, *simSeed, &total, nil)
		return
	}
	for seed := range *simSeeds {
		simulate(t, seed+1, &total, nil)
	}
	t.Logf("%d seeds: %+v", *simSeeds, total)
}
