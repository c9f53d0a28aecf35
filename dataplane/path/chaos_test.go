package path

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/model"
	"uelink/dataplane/partner"
	"uelink/llr"
	"uelink/wire"
)

// chaos is what happens to a pair besides its wire, drawn from a seed.
type chaos struct {
	*pair
	r        *rand.Rand
	kind     string
	heard    map[string][][]byte // control frames that were under way to an end, by its name
	never    map[uint64]bool     // numbers of frames that never cross
	stubborn bool                // nor when the wire is good
	edges    map[string]*held    // of each end, by its name
	starts   uint32
	err      error // what a host got wrong
}

// chaosKinds are the repertoires: one for each seed. A link whose frames are not all
// sequenced has a wire that neither doubles nor reorders.
var chaosKinds = []string{"carrier", "never", "forged", "restart", "one way", "dynamic", "held", "address"}

// chaosLasts is for how long, in virtual time, things happen at most.
const chaosLasts = 2 * time.Second

// simulateChaos returns the simulation of one seed with ends of some kinds of replay.
func simulateChaos(choose kinds) func(seed, n uint64) error {
	return func(seed, n uint64) error { return simulateChaosOnce(choose, seed, n) }
}

// simulateChaosOnce carries about n frames each way while things happen, and then over a good
// wire. No frame may come twice, out of order or damaged, whatever happens; none that LLR
// was given may be missing that LLR has not given up; and all is over within a bound.
func simulateChaosOnce(choose kinds, seed, n uint64) error {
	r := rand.New(rand.NewPCG(seed, 4))
	c := &chaos{
		r: r, kind: chaosKinds[seed%uint64(len(chaosKinds))],
		heard: map[string][][]byte{}, never: map[uint64]bool{}, edges: map[string]*held{},
	}
	o := c.options(n)
	choose(seed, &o)
	c.pair = newPairOf(o, seed, func(s *model.PortSettings) {
		if c.kind == "one way" {
			s.LLR.Local, s.LLR.Remote = true, false
		}
	})
	c.renewal.r = rand.New(rand.NewPCG(seed, 5))
	c.both(c.tap)
	if !c.until(c.comesUp, 20*time.Second) {
		return fmt.Errorf("%s: LLR does not come up: a %v, b %v", c.kind, c.a, c.b)
	}
	c.both(func(e *end) { e.forget() })
	for stop := c.now.Add(chaosLasts); (c.a.sent < n || c.b.sent < n) && c.now < stop; {
		c.someTime(n)
		c.meddle()
		if c.err != nil {
			return fmt.Errorf("%s: %w", c.kind, c.err)
		}
	}
	if err := c.recover(); err != nil {
		return fmt.Errorf("%s: %w\na: %v\nb: %v", c.kind, err, c.a, c.b)
	}
	return nil
}

// options draws the wire, the profile and the modes.
func (c *chaos) options(n uint64) pairOptions {
	o := simOptions(c.r)
	o.profile.MaxReplayCount = []uint8{1, 3, 8, llr.NoReplayLimit}[c.r.IntN(4)]
	if c.r.IntN(3) == 0 {
		o.profile.HoldTimeout = 20 * o.profile.MaxReplayTimer
	}
	if c.r.IntN(3) == 0 {
		o.profile.DataAgeTimeout = 10 * o.profile.MaxReplayTimer
	}
	switch c.kind {
	case "carrier":
		o.profile.PCSLostTimeout = time.Duration(c.r.IntN(10)) * time.Millisecond
	case "never":
		for range 1 + c.r.IntN(4) {
			c.never[c.r.Uint64N(n)] = true
		}
		c.stubborn = o.profile.MaxReplayCount != llr.NoReplayLimit && c.r.IntN(2) == 0
	case "one way":
		o.ports.LLR = model.LLRSettings{Mode: model.LLRStatic, Remote: true}
		o.wire.Duplicate, o.wire.Reorder = 0, 0
	case "dynamic":
		o.ports.LLR.Mode = model.LLRDynamic
		o.wire.Duplicate, o.wire.Reorder = 0, 0
	}
	return o
}

// tap lets control frames on their way to an end be heard, and keeps what never crosses.
func (c *chaos) tap(e *end) {
	e.between.changes = func(f []byte) int {
		if wire.EtherType(f) == c.o.ports.EtherTypeControl && len(f) == wire.MinFrameLen {
			c.heard[e.name] = append(c.heard[e.name], bytes.Clone(f))
		}
		return len(f)
	}
	e.between.keeps = func(f []byte) bool {
		if wire.EtherType(f) != c.o.ports.EtherTypeData {
			return false
		}
		p, fault := wire.ParseData(f, c.o.ports.Dialect)
		_, rest := p.CarriedParts()
		return fault == wire.NoFault && c.never[binary.BigEndian.Uint64(f[rest+2:])]
	}
	switch c.kind {
	case "dynamic":
		e.agree(c.pair, agreedOn())
	case "held":
		c.edges[e.name] = e.holdEdge()
	}
}

// comesUp tells whether LLR runs where it is to run.
func (c *chaos) comesUp() bool {
	if c.kind == "one way" {
		return c.a.l.LLR.Tx.State() == llr.TxAdvance && c.b.l.LLR.Rx.Live()
	}
	return c.runs(c.a) && c.runs(c.b)
}

// runs tells whether LLR is up at an end. Its receiver may await a frame that was never
// sent, since a damaged number looked like one: the next frame ends that.
func (c *chaos) runs(e *end) bool {
	rx, tx := e.l.LLR.Rx, c.peer(e).l.LLR.Tx
	outstanding, _ := tx.Outstanding()
	awaits := rx.State() == llr.RxNackSent && outstanding == 0 && rx.NextSeq() == tx.NextSeq()
	return e.established() ||
		awaits && e.l.LLR.Tx.State() == llr.TxAdvance && e.l.Partner.Present()
}

// someTime lets frames be carried for a while.
func (c *chaos) someTime(n uint64) {
	for stop := c.now.Add(time.Duration(c.r.Int64N(2e6))); c.now < stop; c.round() {
		c.both(func(e *end) { e.offer(n) })
		c.take()
	}
}

// pass lets time pass; the hosts take what has come.
func (c *chaos) pass(d time.Duration) {
	for stop := c.now.Add(d); c.now < stop; c.round() {
		c.take()
	}
}

// take checks what the hosts have got.
func (c *chaos) take() {
	c.both(func(e *end) {
		if err := e.take(); err != nil && c.err == nil {
			c.err = err
		}
	})
}

// negotiate has LLDP agree on LLR, or no longer, at one end after the other.
func (c *chaos) negotiate() {
	n := agreedOn()
	if c.r.IntN(2) == 0 {
		n = Negotiated{Partner: "withdrawn"}
	}
	c.a.agree(c.pair, n)
	c.pass(time.Duration(c.r.Int64N(3e6)))
	c.b.agree(c.pair, n)
	c.pass(time.Duration(c.r.Int64N(30e6)))
}

// recover makes the wire good: what was accepted is delivered or given up within
// 2(N+1) times REPLAY_TIMER_MAX and half a second, and new frames cross.
func (c *chaos) recover() error {
	c.both(func(e *end) {
		e.linkIn.SetConfig(fault.Config{})
		if !c.stubborn {
			e.between.keeps = nil
		}
		switch c.kind {
		case "dynamic":
			e.agree(c.pair, agreedOn())
		case "held":
			c.edges[e.name].hold = false
		}
	})
	n := time.Duration(c.o.profile.MaxReplayCount)
	if n == llr.NoReplayLimit {
		n = 8 // the timer lasts 16 times as long at most
	}
	bound := 2*(n+1)*c.o.profile.MaxReplayTimer + 500e6
	if c.kind == "address" {
		bound += partner.Silence + 1e9 // both may have to look for the other
	}
	over := func() bool {
		c.take()
		return c.err != nil || c.a.x.Held()+c.b.x.Held() == 0 && c.comesUp()
	}
	if !c.until(over, bound) {
		return fmt.Errorf("%v after the wire has become good it is not over", bound)
	}
	if c.err != nil {
		return c.err
	}
	return c.afterwards()
}

// afterwards: what is missing was given up, and new frames cross.
func (c *chaos) afterwards() error {
	gaps := [2]uint64{c.a.gaps + c.b.sent - c.a.delivered, c.b.gaps + c.a.sent - c.b.delivered}
	for i, e := range []*end{c.b, c.a} {
		given := e.l.LLR.Counters().TxFlushedFrames + e.edge.Counters.RxOversized // LLR was not given these
		if c.kind != "restart" && c.kind != "dynamic" && !(c.kind == "one way" && e == c.b) && gaps[i] > given {
			return fmt.Errorf("%d frames of %s are missing, LLR gave up %d", gaps[i], e.name, given)
		}
		if err := e.invariant(); err != nil {
			return err
		}
	}
	if c.kind == "forged" && c.a.l.LLR.Counters().TxReinit+c.b.l.LLR.Counters().TxReinit > 0 {
		_, reason := c.a.l.LLR.Tx.Reinits()
		_, whyB := c.b.l.LLR.Tx.Reinits()
		return fmt.Errorf("forged control has initialised LLR again: %q %q", reason, whyB)
	}
	if c.kind == "restart" {
		c.pass(2500e6) // STATION is said each second, and a start id believed when it comes again
	}
	if c.kind == "address" {
		c.pass(partner.Silence + 1500e6) // so long until both have found each other again
	}
	c.both(func(e *end) { e.delivered, e.gaps = c.peer(e).sent, 0 })
	if err := c.run(max(c.a.sent, c.b.sent)+20, time.Second); err != nil {
		return fmt.Errorf("new frames: %w", err)
	}
	return nil
}
