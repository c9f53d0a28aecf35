package path

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/fault/analyzer"
	"uelink/llr"
)

// TestAnalyzedSimulation has an analyzer in wires that lose, damage and hold data frames and answers, with the ends of
// real links behind: what it counts must be what both ends count, and it must find no fault with them.
func TestAnalyzedSimulation(t *testing.T) {
	manySeeds(t, "TestAnalyzedSimulation", simulateAnalyzed(goBackN))
}

// TestSelectiveAnalyzedSimulation is TestAnalyzedSimulation where both ends, or one of them, replay selectively.
func TestSelectiveAnalyzedSimulation(t *testing.T) {
	manySeeds(t, "TestSelectiveAnalyzedSimulation", simulateAnalyzed(selectively))
}

func simulateAnalyzed(choose kinds) func(seed, n uint64) error {
	return func(seed, n uint64) error {
		r := rand.New(rand.NewPCG(seed, 8))
		o := simOptions(r)
		o.wire, o.mixed, o.analyzer = fault.Config{}, false, analyzer.New(analyzer.Settings{})
		choose(seed, &o)
		o.ring = 1024 // nothing is lost beside the wire
		o.rules = []string{
			fmt.Sprintf("kind=data,cc_update p=%d%% drop", 1+r.IntN(5)), "kind=data p=1% corrupt=60:ff",
			"kind=nack p=20% drop", fmt.Sprintf("kind=ack p=5%% hold=%dus", 20+r.IntN(500)), "kind=data p=0.5% hold=100us",
		}
		p := newPair(o, seed)
		if !p.until(p.established, 10*time.Second) {
			return fmt.Errorf("LLR does not come up under %q", o.rules)
		}
		if err := p.run(n, 10*time.Minute); err != nil {
			return fmt.Errorf("%w under %q", err, o.rules)
		}
		if err := p.settle(); err != nil {
			return err
		}
		report := o.analyzer.Report()
		ends := [2]*end{p.a, p.b}
		for way, e := range ends {
			err := agrees(report.Ways[way].LLR, e.l.LLR.Counters(), ends[1-way].l.LLR.Counters())
			if err != nil {
				return fmt.Errorf("from %s, %w under %q", e.name, err, o.rules)
			}
		}
		return nil
	}
}

// agrees returns an error unless the flow of a way is what its sender and its receiver have counted.
func agrees(f analyzer.Flow, sender, receiver *llr.Counters) error {
	for _, c := range []struct {
		name      string
		got, want uint64
	}{
		{"frames", f.Frames, sender.TxOK - sender.TxReplayedFrames}, {"resent frames", f.Resent, sender.TxReplayedFrames},
		{"frames twice", f.Twice, min(f.Twice, receiver.RxDuplicateSeq)},
		{"requests", f.Nacks, receiver.TxNackCtlOS + receiver.TxNackRepeated},
		{"false requests, false acknowledgements, missing, strays, unmeasured", 0, f.FalseNacks + f.FalseAcks + f.Missing +
			f.Strays + f.Unmeasured},
		{"unrepaired", f.Unrepaired, 0},
		{"restarts", f.Restarts, 0},
	} {
		if c.got != c.want {
			return fmt.Errorf("%s: %d, the ends have %d: %+v", c.name, c.got, c.want, f.Counts)
		}
	}
	if n := f.DataToAck.Count; n > f.Frames || n+f.Resent < f.Frames {
		return fmt.Errorf("%d frames measured to the acknowledgement: %+v", n, f.Counts)
	}
	if n := f.LostToGood.Count; n > f.Lost+f.Skipped || n == 0 && f.Lost > 0 {
		return fmt.Errorf("%d losses measured: %+v", f.LostToGood.Count, f.Counts)
	}
	return nil
}

// TestAnalyzedHIPPI has an analyzer in wires that lose and damage micropackets, with real ends of HIPPI-6400-PH behind.
func TestAnalyzedHIPPI(t *testing.T) { manySeeds(t, "TestAnalyzedHIPPI", simulateAnalyzedHIPPI) }

func simulateAnalyzedHIPPI(seed, n uint64) error {
	r := rand.New(rand.NewPCG(seed, 9))
	o := hippiDefaults()
	o.settings.HIPPI.Profile.Retries, o.settings.HIPPI.Profile.Silence, o.ring = 1e6, 0, 512
	o.wire = fault.Config{Loss: 0.01 + r.Float64()*0.04, Corrupt: chance(r, 0.02),
		Delay: time.Duration(r.IntN(100)) * time.Microsecond}
	p := newHIPPIPair(o, seed)
	a := analyzer.New(analyzer.Settings{})
	for i, e := range p.ends {
		e.linkIn.SetObserver(a, 1-i)
	}
	if !p.until(p.ready, time.Minute) {
		return fmt.Errorf("not ready: %v", p)
	}
	if err := p.run(n, 10*time.Minute, func() {}); err != nil {
		return err
	}
	if err := p.atRest(); err != nil {
		return err
	}
	report := a.Report()
	for way, e := range p.ends {
		f, sent := report.Ways[way].HIPPI, e.h.End.Counters.TxRetransmitted
		if f == nil || f.Resent != sent || f.Unrepaired+f.FalseAcks+f.Missing+f.Strays+f.Unmeasured > 0 ||
			f.DataToAck.Count == 0 || f.LostToGood.Count > f.Lost+f.Skipped {
			return fmt.Errorf("from %s, %d micropackets were sent again: %+v", e.name, sent, f)
		}
	}
	return nil
}
