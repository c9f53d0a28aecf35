package e2e

import (
	"math/rand/v2"
	"testing"
	"time"

	"uelink/wire"
)

// forger sends control frames from the middle of the wire to B.
type forger struct {
	*packets
	rng *rand.Rand
}

// init is a random LLR_INIT.
func (f forger) init() wire.CtlOS {
	return wire.CtlOS{Type: wire.LLRInit, Seq: f.rng.Uint32() & wire.SeqMask,
		InitData: [2]byte{byte(f.rng.Uint32()), byte(f.rng.Uint32())}}
}

// say sends a control frame.
func (f forger) say(list ...wire.CtlOS) {
	frame := make([]byte, wire.MaxControlLen)
	f.send(frame[:wire.PutControl(frame, stationMAC, wire.EtherTypeControl, list)])
}

// storm sends random LLR_INIT, so many a second.
func (f forger) storm(rate int, d time.Duration) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(d); time.Now().Before(end); <-tick.C {
		for range rate / 100 {
			f.say(f.init())
		}
	}
}

// One forged LLR_INIT, and storms of them, change nothing under load; a daemon that truly
// restarts in the middle of one is met again.
func TestForgedInitsUnderLoad(t *testing.T) {
	top := bridged(t, linkMTU)
	p := top.daemons(lossless)
	f := forger{open(t, top.wire, "b", probeType), rand.New(rand.NewPCG(1, 2))}
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"one", func() { f.say(f.init()) }},
		{"a thousand a second", func() { f.storm(1000, time.Second) }},
		{"twenty thousand a second", func() { f.storm(20_000, time.Second) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := top.load(t, patience)
			before := p.b.llrCounters()
			c.do()
			nothingLost(t, l.end())
			after := p.b.llrCounters()
			if after.RxInitStale == before.RxInitStale || after.TxReinit != before.TxReinit || after.TxFlush != before.TxFlush {
				t.Errorf("from %+v to %+v", before, after)
			}
		})
	}
	t.Run("a restart in a storm", func(t *testing.T) {
		l := top.load(t, 50*time.Millisecond)
		p.a.kill()
		ready := p.a.start()
		done := make(chan struct{})
		go func() { defer close(done); f.storm(1000, time.Second) }()
		p.resume(t, "the restarted daemon was ready", ready)
		<-done
		neverTwice(t, l.end())
	})
}
