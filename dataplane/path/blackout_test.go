package path

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

var blackoutSeeds = flag.Uint64("blackout.seeds", 1, "how many wires to try each outage on")

// outage is a time in which a wire loses a share of what it carries, in one direction or in both.
type outage struct {
	share float64
	toA   bool
	toB   bool
	lasts time.Duration
}

func (o outage) String() string {
	return fmt.Sprintf("%v of %.0f %%, to a %v, to b %v", o.lasts, 100*o.share, o.toA, o.toB)
}

// outages are those of a wire that goes dark for 0.1 to 60 s, or loses half or 90 % for a while.
func outages() (list []outage) {
	for _, to := range [][2]bool{{true, false}, {false, true}, {true, true}} {
		for _, ms := range []int{100, 300, 1000, 1600, 2000, 2500, 3000, 3500, 5000, 10_000, 60_000} {
			list = append(list, outage{share: 1, toA: to[0], toB: to[1], lasts: time.Duration(ms) * time.Millisecond})
		}
		for _, share := range []float64{0.5, 0.9} {
			list = append(list, outage{share: share, toA: to[0], toB: to[1], lasts: 5 * time.Second},
				outage{share: share, toA: to[0], toB: to[1], lasts: 20 * time.Second})
		}
	}
	return list
}

// begin has the wire of a pair be out.
func (o outage) begin(p *pair, r *rand.Rand) {
	keeps := func(f []byte) bool { return r.Float64() < o.share }
	if o.toA {
		p.a.between.keeps = keeps
	}
	if o.toB {
		p.b.between.keeps = keeps
	}
}

// trickle lets time pass while each host sends a frame each millisecond.
func (p *pair) trickle(d time.Duration) error {
	for until := p.now.Add(d); p.now < until; p.round() {
		for _, e := range []*end{p.a, p.b} {
			e.offer(max(e.sent, uint64(p.now/1e6)))
			if err := e.take(); err != nil {
				return err
			}
		}
	}
	return nil
}

// blackout carries frames of all lengths both ways before an outage, during it, and after it, until all has come.
func blackout(o outage, profile llr.Profile, seed uint64) (*pair, error) {
	r := rand.New(rand.NewPCG(seed, 5))
	options := defaults()
	options.profile, options.spread = profile, 440
	options.wire.Delay = time.Duration(r.IntN(300)) * time.Microsecond
	p := newPair(options, seed)
	if !p.until(p.established, time.Second) {
		return p, fmt.Errorf("LLR does not come up")
	}
	p.a.sent, p.b.sent = uint64(p.now/1e6), uint64(p.now/1e6)
	p.a.delivered, p.b.delivered = p.b.sent, p.a.sent
	if err := p.trickle(3e9 + time.Duration(r.Int64N(2e9))); err != nil {
		return p, err
	}
	o.begin(p, r)
	if err := p.trickle(o.lasts); err != nil {
		return p, err
	}
	p.both(func(e *end) { e.between.keeps = nil })
	return p, p.trickle(1e9)
}

// up reports why the link does not carry frames both ways again, or nothing.
func (p *pair) up() error {
	for _, e := range []*end{p.a, p.b} {
		if !e.established() {
			return fmt.Errorf("the link is not up again: %v", e)
		}
		if e.l.Lengths.Carries < e.l.Lengths.longest {
			return fmt.Errorf("%s takes the wire for one of %d octets: %s", e.name, e.l.Lengths.Carries, e.l.remedy().Text)
		}
	}
	if p.a.delivered+100 < p.b.sent || p.b.delivered+100 < p.a.sent {
		return fmt.Errorf("a has %d frames of %d, b %d of %d", p.a.delivered, p.b.sent, p.b.delivered, p.a.sent)
	}
	return nil
}

// everyOutage tries a check on all outages with a profile.
func everyOutage(t *testing.T, profile llr.Profile, check func(p *pair) error) {
	for _, o := range outages() {
		for seed := range *blackoutSeeds {
			p, err := blackout(o, profile, seed)
			if err == nil {
				err = p.up()
			}
			if err == nil {
				err = check(p)
			}
			if err != nil {
				t.Errorf("seed %d, %v: %v", seed, o, err)
			}
		}
	}
}

// A link without a replay limit loses nothing by an outage, however long and in whichever direction: it is not taken
// for a wire that carries short frames only, and goes on within a second.
func TestOutageLosesNothing(t *testing.T) {
	inOneGoroutine(t)
	everyOutage(t, defaults().profile, func(p *pair) error {
		if p.a.gaps+p.b.gaps > 0 {
			return fmt.Errorf("%d and %d frames never came", p.a.gaps, p.b.gaps)
		}
		return nil
	})
}

// With the default profile a long outage is a FLUSH. What is lost is counted, and told, and the link goes on within a
// second.
func TestOutageOfTheDefaultProfileIsCounted(t *testing.T) {
	inOneGoroutine(t)
	profile := defaults().profile
	profile.MaxReplayCount, profile.HoldTimeout = 100, 2*time.Second
	profile.InitAction, profile.FlushAction = llr.BestEffort, llr.BestEffort
	everyOutage(t, profile, func(p *pair) error {
		for _, c := range []struct {
			from *end
			lost uint64
		}{{p.a, p.b.gaps}, {p.b, p.a.gaps}} {
			l := c.from.l
			flushed, bare := l.LLR.Counters().TxFlushedFrames, l.Port.Counters.TxBare+l.Port.Counters.TxNative
			if c.lost > flushed+bare {
				return fmt.Errorf("%d frames of %s are lost; %d flushed, %d sent without a number", c.lost, c.from.name,
					flushed, bare)
			}
			if flushed > 0 && !c.from.reports(model.EventLLRTxStatus, "") {
				return fmt.Errorf("%s flushed %d frames, and no event tells of it", c.from.name, flushed)
			}
		}
		return nil
	})
}

// A wire that goes dark again and again, for any share of any period, is not taken for a short one either.
func TestWireThatGoesDarkAgainAndAgainIsNotShort(t *testing.T) {
	inOneGoroutine(t)
	for _, period := range []wire.Time{125e6, 500e6, 700e6, 1000e6, 3000e6} {
		for _, dark := range []float64{0.5, 0.9} {
			r := rand.New(rand.NewPCG(uint64(period), 9))
			phase := wire.Time(r.Int64N(int64(period)))
			p := up(t, defaults())
			p.both(func(e *end) {
				e.between.keeps = func([]byte) bool { return float64((p.now+phase)%period) < dark*float64(period) }
			})
			for range 30 {
				p.pass(1e9)
				if c := p.a.l.Lengths.Carries; c < p.a.l.Lengths.longest {
					t.Fatalf("dark for %v of each %v: frames of more than %d octets are refused", dark, time.Duration(period), c)
				}
			}
		}
	}
}

// A wire that loses most of what it carries, whatever its length, is at no time taken for a short one: that long probes
// are lost says nothing where short frames are lost as well.
func TestVeryBadWireIsNoShortWire(t *testing.T) {
	inOneGoroutine(t)
	for _, loss := range []float64{0.8, 0.9, 0.95} {
		for seed := range 4 * *blackoutSeeds {
			r := rand.New(rand.NewPCG(seed, 3))
			p := up(t, defaults())
			p.both(func(e *end) { e.between.keeps = func([]byte) bool { return r.Float64() < loss } })
			short := func() bool {
				return p.a.l.Lengths.Carries < p.a.l.Lengths.longest || p.b.l.Lengths.Carries < p.b.l.Lengths.longest
			}
			if p.until(short, 20*time.Second) {
				t.Errorf("seed %d, loss %v: %q, %q", seed, loss, p.a.l.remedy().Text, p.b.l.remedy().Text)
			}
		}
	}
}

// A short wire is found though it loses frames of all lengths besides.
func TestShortWireThatLosesIsFound(t *testing.T) {
	inOneGoroutine(t)
	for loss, within := range map[float64]time.Duration{0: 2 * time.Second, 0.05: 3 * time.Second, 0.2: 8 * time.Second,
		0.5: 20 * time.Second} {
		o := defaults()
		o.wire.Loss = loss
		p := newPair(o, 7)
		p.both(func(e *end) { e.between.keeps = longerThan(300) })
		found := func() bool { return p.a.l.Lengths.Carries <= 300 && p.b.l.Lengths.Carries <= 300 }
		if !p.until(found, within) {
			t.Errorf("loss %v: not found within %v: %d, %d", loss, within, p.a.l.Lengths.Carries, p.b.l.Lengths.Carries)
		}
	}
}
