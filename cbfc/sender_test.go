package cbfc

import (
	"testing"

	"uelink/wire"
)

// cf passes one CF_Update of a channel to a, and reports whether credits came back.
func (p *pair) cf(vc uint8, count uint32) bool { return p.opens(vc, count) != 0 }

// opens passes one CF_Update of a channel to a. It returns the channels that have credits again.
func (p *pair) opens(vc uint8, count uint32) uint32 {
	c := wire.Credit{VC: vc, Count: uint16(count & 0x7FFF)}
	return p.a.ReceivedControl([]wire.CtlOS{{Type: wire.CFUpdate, CF: [2]wire.Credit{c, c}}}, &p.a.env, p.now)
}

// Credits that come back open the gate of their channel, and no other: what waits on others need not be
// looked at.
func TestCreditsOpenTheGateOfTheirChannel(t *testing.T) {
	p := started(t, settingsOf(1<<3|1<<5, 24))
	p.fill(3, 60)
	p.fill(5, 60)
	if got := p.opens(3, 4); got != 1<<3 {
		t.Errorf("channels %b", got)
	}
	if got := p.opens(5, 0); got != 0 {
		t.Errorf("nothing was freed: channels %b", got)
	}
}

// Out of a port total what one channel gives back another may take.
func TestCreditsOfATotalOpenTheGatesOfAll(t *testing.T) {
	s := settingsOf(1<<3|1<<5, 24)
	s.Total = 24
	p := started(t, s)
	p.fill(3, 60)
	if got := p.opens(3, 4); got != 1<<3|1<<5 {
		t.Errorf("channels %b", got)
	}
}

// A partner that speaks CBFC no longer leaves its channels without credits: their gates are open.
func TestPartnerWithoutCBFCOpensTheGates(t *testing.T) {
	p := started(t, settingsOf(1<<3|1<<5, 24))
	p.fill(3, 60)
	p.a.env.CBFC = false
	if got := p.a.ReceivedControl(nil, &p.a.env, p.now); got != 1<<3|1<<5 {
		t.Errorf("channels %b", got)
	}
	if _, g := p.a.Tx.Gate(3, 60); g != Open {
		t.Errorf("gate %d", g)
	}
}

func TestSenderGateOfTheLimit(t *testing.T) {
	p := started(t, settingsOf(1<<3, 24))
	if got := p.fill(3, 60); len(got) != 24 {
		t.Fatalf("%d frames of one credit left, the limit is 24", len(got))
	}
	p.want(3, counts{24, 0, 24, 0})
	p.b.Rx.Free(3, 10)
	p.exchange()
	if got := p.fill(3, 61); len(got) != 5 {
		t.Errorf("10 credits are free: %d frames of two left", len(got))
	}
	if c, g := p.a.Tx.Gate(3, 64*24-4); c != 24 || g != Shut {
		t.Errorf("a frame of the whole limit: %d credits, gate %d", c, g)
	}
	if c, g := p.a.Tx.Gate(3, 64*24-3); c != 25 || g != TooLong {
		t.Errorf("a frame beyond the limit: %d credits, gate %d", c, g)
	}
	if p.a.Tx.Watermark != 24 {
		t.Errorf("watermark %d", p.a.Tx.Watermark)
	}
}

func TestSenderOfBestEffortNeedsNoCredits(t *testing.T) {
	p := started(t, settingsOf(1<<3, 24))
	for range 1000 {
		if credits, ok := p.send(4, 1514); !ok || credits != 0 {
			t.Fatalf("%d credits, %v", credits, ok)
		}
	}
	if p.a.Tx.Used != 0 || p.b.Rx.Held != 0 {
		t.Errorf("used %d, held %d", p.a.Tx.Used, p.b.Rx.Held)
	}
}

// TestCountsWrap moves 20 bits twice round, with CF_Updates that carry 15.
func TestCountsWrap(t *testing.T) {
	p := started(t, settingsOf(1, MaxLimit))
	total := uint32(0)
	for step := 0; total < 5<<19; step++ {
		octets := 60 + step*977%9000
		for credits, ok := p.send(0, octets); ok; credits, ok = p.send(0, octets) {
			total += uint32(credits)
			p.b.Rx.Free(0, credits)
		}
		p.exchange()
		p.want(0, counts{total & 0xFFFFF, total & 0xFFFFF, total & 0xFFFFF, total & 0xFFFFF})
	}
	if c := p.a.Tx.vc[0].counters; c.CFIgnored != 0 || c.Overruns != 0 {
		t.Errorf("%+v", c)
	}
}

// TestCFUpdateThatWouldFreeMoreThanIsUsed: it is ignored and counted. So are those that come twice
// or late, on both sides of every wrap.
func TestCFUpdateThatWouldFreeMoreThanIsUsed(t *testing.T) {
	for _, at := range []uint32{0, 1<<15 - 10, 1 << 15, 1<<20 - 10, 1<<20 - 1} {
		p := started(t, settingsOf(1, 100))
		s, r := &p.a.Tx.vc[0], &p.b.Rx.vc[0]
		s.cc, s.cf, r.cc, r.cf = at, at, at, at
		for range 20 {
			p.send(0, 60)
		}
		for _, c := range []struct {
			count   uint32
			frees   bool
			ignored uint64
		}{
			{at + 5, true, 0}, {at + 5, false, 0}, {at + 4, false, 1}, {at + 21, false, 2}, {at, false, 3},
			{at + 20, true, 3}, {at + 5, false, 4}, {at + 21, false, 5}, {at - 16000, false, 6},
		} {
			if got := p.cf(0, c.count); got != c.frees || s.counters.CFIgnored != c.ignored {
				t.Errorf("from %d, CF %+d: %v, %d ignored, want %v, %d", at, int32(c.count-at), got, s.counters.CFIgnored,
					c.frees, c.ignored)
			}
		}
		if s.used != 0 || s.cf != s.cc || s.cc != (at+20)&0xFFFFF {
			t.Errorf("from %d: used %d, S_CC %d, S_CF %d", at, s.used, s.cc, s.cf)
		}
	}
}

// TestCFUpdateOfAChannelWithoutCredits: it is counted and changes nothing.
func TestCFUpdateOfAChannelWithoutCredits(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	if p.cf(9, 5) || p.a.Tx.vc[9].counters.Unknown == 0 {
		t.Errorf("%+v", p.a.Tx.vc[9].counters)
	}
}

// TestStaleCFUpdateAfterAStart: one that was under way when the channel started frees nothing.
func TestStaleCFUpdateAfterAStart(t *testing.T) {
	p := newPair(t, settingsOf(1, 100))
	p.exchange()
	p.send(0, 60)
	if p.now = p.now.Add(underWay - 1); p.cf(0, 1) {
		t.Error("a CF_Update of before the start frees a credit")
	}
	if p.now++; !p.cf(0, 1) {
		t.Error("a CF_Update frees nothing")
	}
}

// TestChannelMovesAtOnceAfterAStart bounds what the rule above costs: where all credits are used and
// freed at once, a CF_Update counts within two refreshes.
func TestChannelMovesAtOnceAfterAStart(t *testing.T) {
	p := newPair(t, settingsOf(1, 24))
	p.exchange()
	for _, credits := range p.fill(0, 60) {
		p.b.Rx.Free(0, credits)
	}
	p.pass(2 * underWay)
	p.rests(0)
}

func TestBlockedTimeAndFrames(t *testing.T) {
	p := started(t, settingsOf(1, 24))
	held := p.fill(0, 60)
	p.a.Tx.Block(0, p.now)
	p.now += 3 * ms
	p.a.Tx.Block(0, p.now)
	if s := p.a.State(p.now).VCs[0]; s.Sender.Blocked != 3*ms || s.Counters.BlockedTime != 0 ||
		s.Counters.BlockedFrames != 1 {
		t.Errorf("%+v, %+v", s.Sender, s.Counters)
	}
	p.b.Rx.Free(0, held[0])
	p.exchange()
	p.now += 2 * ms
	p.send(0, 60)
	if s := p.a.State(p.now).VCs[0]; s.Sender.Blocked != 0 || s.Counters.BlockedTime != uint64(5*ms) {
		t.Errorf("%+v, %+v", s.Sender, s.Counters)
	}
	p.a.Tx.Block(7, p.now)
	if s := p.a.State(p.now); len(s.VCs) != 1 {
		t.Errorf("a channel without credits is blocked: %+v", s.VCs)
	}
}

// TestBlockedTimeOfAStart: a frame waits for credits also while the partner puts a start off.
func TestBlockedTimeOfAStart(t *testing.T) {
	p := started(t, settingsOf(1, 24))
	p.fill(0, 60)
	p.restartA()
	p.exchange()
	p.a.Tx.Block(0, p.now)
	p.pass(5 * second)
	if s := p.a.State(p.now).VCs[0]; s.Phase != Asking || s.Sender.Blocked != 5*second || s.Counters.Timeouts != 0 {
		t.Errorf("%+v", s)
	}
	p.b.Rx.Free(0, 24)
	p.exchange()
	p.send(0, 60)
	if s := p.a.State(p.now).VCs[0]; s.Sender.Blocked != 0 || s.Counters.BlockedTime != uint64(5*second) ||
		s.Counters.BlockedFrames != 1 {
		t.Errorf("%+v", s)
	}
}

// TestBlockedTimeEndsWithTheCredits: a channel that has gone back to best effort waits for none, whatever
// leaves.
func TestBlockedTimeEndsWithTheCredits(t *testing.T) {
	p := started(t, settingsOf(1, 24))
	p.fill(0, 60)
	p.a.Tx.Block(0, p.now)
	p.pass(2 * ms)
	p.a.PartnerLost()
	p.now += 5 * ms
	if s := p.a.State(p.now).VCs[0]; s.Sender.Blocked != 0 || s.Counters.BlockedTime != uint64(2*ms) {
		t.Errorf("%+v, %+v", s.Sender, s.Counters)
	}
}

// TestCreditTimeoutReport: a channel that has waited for too long is counted once each time.
func TestCreditTimeoutReport(t *testing.T) {
	s := settingsOf(1, 24)
	s.Timeout = 50 * ms
	p := started(t, s)
	for round := uint64(1); round <= 2; round++ {
		held := p.fill(0, 60)
		p.a.Tx.Block(0, p.now)
		for p.pass(49 * ms); p.a.Tx.vc[0].counters.Timeouts >= round; {
			t.Fatal("told too early")
		}
		p.pass(200 * ms)
		if got := p.a.Tx.vc[0].counters.Timeouts; got != round {
			t.Fatalf("%d credit timeouts, want %d", got, round)
		}
		p.phase(0, Lossless)
		for _, credits := range held {
			p.b.Rx.Free(0, credits)
		}
		p.exchange()
		credits, _ := p.send(0, 60)
		p.b.Rx.Free(0, credits)
		p.pass(20 * ms)
	}
	p.rests(0)
}

// TestCreditTimeoutReset: it starts again, and credits that were lost for good are back. Nothing else
// brings them back where no CC_Update is sent.
func TestCreditTimeoutReset(t *testing.T) {
	s := settingsOf(1, 24)
	s.Timeout, s.Reset, s.CCTimer = 50*ms, true, 0
	p := started(t, s)
	for range 24 {
		p.lose(0, 60)
	}
	p.a.Tx.Block(0, p.now)
	p.pass(49 * ms)
	if _, ok := p.send(0, 60); ok {
		t.Fatal("a frame left without credits")
	}
	p.pass(ms)
	if n := p.a.Tx.vc[0].counters.Timeouts; n != 1 || p.a.Tx.vc[0].counters.Starts != 2 {
		t.Errorf("%d timeouts, %d starts", n, p.a.Tx.vc[0].counters.Starts)
	}
	if n := len(p.fill(0, 60)); n != 24 {
		t.Errorf("%d frames left", n)
	}
}
