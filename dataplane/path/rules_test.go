package path

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/fault/rule"
	"uelink/dataplane/frame"
	"uelink/dataplane/mem"
	"uelink/wire"
)

// ruleSlots is the slots of an end of a relay for frames that the rules hold or make.
const ruleSlots = 32

// relay carries frames between two wires in memory, under rules, as a cable in user space does.
type relay struct {
	rules *rule.Wire
	in    [2]*fault.Device
	free  [2]*frame.Pool // slots of an end
	rx    [16]frame.Desc
}

// wired joins two link ports of these geometries: directly, or by a relay with the rules of the pair.
func (p *pair) wired(ga, gb frame.Geometry, seed uint64) (a, b *mem.Device) {
	if p.o.rules == nil {
		return mem.NewPair(ga, gb, p.o.ring)
	}
	between := p.o.cut(frame.Geometry{RX: 4 * p.o.ring, TX: 2*p.o.ring + ruleSlots}, p.o.mtu+p.o.overhead())
	a, atA := mem.NewPair(ga, between, p.o.ring)
	atB, b := mem.NewPair(between, gb, p.o.ring)
	p.relay = &relay{rules: newRules(p.o.rules, seed)}
	for way, dev := range []*mem.Device{atA, atB} {
		in := fault.New(dev, fault.Config{}, func() wire.Time { return p.now })
		in.SetRules(p.relay.rules, way, ruleSlots)
		if p.o.analyzer != nil {
			in.SetObserver(p.o.analyzer, way)
		}
		p.relay.in[way], p.relay.free[way] = in, frame.NewPool(in.Geometry().TX)
	}
	return a, b
}

// carry carries what has arrived both ways. It returns how many frames that was, and when the next is due.
func (r *relay) carry() (work int, next wire.Time) {
	next = wire.Never
	if r == nil {
		return 0, next
	}
	var done [32]uint64
	for way, in := range r.in {
		out, free := r.in[1-way], r.free[1-way]
		for _, addr := range done[:out.Completed(done[:])] {
			free.Give(out.Geometry().Slot(addr))
		}
		n := in.Receive(r.rx[:min(len(r.rx), free.Len(), out.TxRoom())])
		for _, d := range r.rx[:n] {
			slot, _ := free.Take()
			addr := out.Geometry().SlotAddr(slot)
			copy(out.Area()[addr:], in.Area()[d.Addr:][:d.Len])
			out.Transmit([]frame.Desc{{Addr: addr, Len: d.Len}})
		}
		in.Recycle(r.rx[:n])
		if err := out.Kick(); err != nil {
			panic(err)
		}
		work, next = work+n, min(next, in.Next())
	}
	return work, next
}

// newRules returns a wire with rules.
func newRules(texts []string, seed uint64) *rule.Wire {
	w := rule.New(rule.Settings{Names: ruledNames, Seed: seed})
	for _, text := range texts {
		addRule(w, text, 0)
	}
	return w
}

var ruledNames = [2]string{"a", "b"}

func addRule(w *rule.Wire, text string, now wire.Time) {
	r, err := rule.Parse(text, ruledNames)
	if err == nil {
		_, err = w.Add(r, now)
	}
	if err != nil {
		panic(text + ": " + err.Error())
	}
}

// TestRuledSimulation is TestSimulation over wires with random rules, which strike data frames and single messages of
// LLR: every frame comes out exactly once and in order.
func TestRuledSimulation(t *testing.T) { manySeeds(t, "TestRuledSimulation", simulateRuled(goBackN)) }

// TestSelectiveRuledSimulation is TestRuledSimulation where both ends, or one of them, replay selectively.
func TestSelectiveRuledSimulation(t *testing.T) {
	manySeeds(t, "TestSelectiveRuledSimulation", simulateRuled(selectively))
}

func simulateRuled(choose kinds) func(seed, n uint64) error {
	return func(seed, n uint64) error {
		r := rand.New(rand.NewPCG(seed, 7))
		o := simOptions(r)
		o.wire = fault.Config{}
		choose(seed, &o)
		o.rules = randomRules(r)
		p := newPair(o, seed)
		if !p.until(p.established, 20*time.Second) {
			return fmt.Errorf("LLR does not come up under %q", o.rules)
		}
		p.a.forget()
		p.b.forget()
		if err := p.run(n/2, 10*time.Minute); err != nil { // at once: the ends do not know all of each other
			return fmt.Errorf("at the start: %w under %q", err, o.rules)
		}
		// Frames without a shim leave before the partner is known. Those that a rule holds come when it sends shims, and are
		// dropped, which is no loss of LLR: rules strike whole frames of any kind when both ends have said all.
		p.until(func() bool { return false }, 1500*time.Millisecond)
		for range r.IntN(3) {
			o.rules = append(o.rules, randomRule(r, []string{"any"}))
			addRule(p.relay.rules, o.rules[len(o.rules)-1], p.now)
		}
		if err := p.run(n, 10*time.Minute); err != nil {
			return fmt.Errorf("%w under %q", err, o.rules)
		}
		if p.a.gaps+p.b.gaps > 0 {
			return fmt.Errorf("%d and %d frames never came under %q: a %+v, b %+v", p.a.gaps, p.b.gaps, o.rules,
				p.a.l.LLR.Counters(), p.b.l.LLR.Counters())
		}
		for _, s := range p.relay.rules.Statuses(p.now) {
			if err := p.relay.rules.Delete(s.ID, p.now); err != nil {
				return err
			}
		}
		return p.settle()
	}
}

// randomRules draws up to ten rules that a link must bear: nothing forged, and damage that a check finds.
func randomRules(r *rand.Rand) []string {
	kinds := []string{"data", "data", "data", "ack", "nack", "init", "init_echo", "gap", "plain", "ack,nack",
		"cc_update", "station", "control"}
	rules := make([]string, 1+r.IntN(10))
	for i := range rules {
		rules[i] = randomRule(r, kinds)
	}
	return rules
}

// randomRule draws a rule about one of some kinds.
func randomRule(r *rand.Rand, kinds []string) string {
	conditions := []string{"", "", "copy=first", "copy=again", "from=a", "from=b", "seq=0..5000", "vc=0", "fcs=good"}
	often := []string{"p=2%", "p=10%", "every=7", "every=20 burst=3", "p=5% gap=4", "nth=9 burst=20",
		"after=50 every=3 first=5", "p=1% burst=8", "for=20ms p=50%"}
	actions := []string{"drop", "drop", "corrupt", "duplicate", "duplicate=3", "hold=50us", "hold=2ms", "reorder=2",
		"reorder=5", "count"}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	return fmt.Sprintf("kind=%s %s %s %s", pick(kinds), pick(conditions), pick(often), pick(actions))
}
