package cbfc

import (
	"testing"

	"uelink/wire"
)

// hears has a take a message of the current transaction of VC 0 that b has not sent.
func (p *pair) hears(op wire.ChannelOp, limit uint16) {
	c := wire.Channel{Op: op, Transaction: p.a.Tx.vc[0].channel.number, CreditSize: 64, Limit: limit}
	p.a.ReceivedControl([]wire.CtlOS{c.CtlOS()}, &p.a.env, p.now)
}

// TestForgedLimit: an answer that comes before the partner's own gives a limit that the partner does not grant. When
// that says its own, the channel starts again, and has that.
func TestForgedLimit(t *testing.T) {
	total := totalOf(100, Profile{})
	for name, c := range map[string]struct {
		settings Settings
		op       wire.ChannelOp
		limit    uint16
	}{
		"more":                        {settingsOf(1, 100), wire.ChannelStarted, 16000},
		"less":                        {settingsOf(1, 100), wire.ChannelStarted, 30},
		"too little for a frame":      {settingsOf(1, 100), wire.ChannelStarted, 3},
		"a total":                     {settingsOf(1, 100), wire.ChannelStartedTotal, 100},
		"more of a total":             {total, wire.ChannelStartedTotal, 16000},
		"no total, but the same":      {total, wire.ChannelStarted, 100},
		"refused, though it is not":   {settingsOf(1, 100), wire.ChannelRefused, 0},
		"held, though nothing is":     {settingsOf(1, 100), wire.ChannelHeld, 0},
		"stopped, and not started":    {settingsOf(1, 100), wire.ChannelStopped, 0},
		"unknown, while it is asking": {settingsOf(1, 100), wire.ChannelUnknown, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, c.settings)
			question := p.a.say(p.now)
			p.hears(c.op, c.limit)
			p.b.ReceivedControl(question, &p.b.env, p.now)
			p.pass(retryFirst + 2*underWay)
			p.phase(0, Lossless)
			p.failure(0, NoFailure)
			p.fill(0, 60)
			p.want(0, counts{100, 0, 100, 0})
			if n := p.b.Tx.vc[0].counters.Overruns; n != 0 {
				t.Errorf("%d overruns", n)
			}
		})
	}
}

// TestLateCopiesOfAnAnswer change nothing.
func TestLateCopiesOfAnAnswer(t *testing.T) {
	for _, s := range []Settings{settingsOf(1, 100), totalOf(100, Profile{})} {
		p := newPair(t, s)
		p.exchange()
		answers := p.b.sent
		p.pass(underWay)
		p.send(0, 60)
		for range 5 {
			p.a.ReceivedControl(answers, &p.a.env, p.now)
		}
		p.phase(0, Lossless)
		p.want(0, counts{1, 0, 1, 0})
		if n := p.a.Tx.vc[0].counters.Starts; n != 1 {
			t.Errorf("%d starts", n)
		}
	}
}

// TestForgedHELD for as long as it comes keeps a channel waiting only where the partner does not answer: one that is
// there decides.
func TestForgedHELD(t *testing.T) {
	p := newPair(t, settingsOf(1, 100))
	p.b.cuts = cutsAll
	p.exchange()
	for range 100 {
		p.hears(wire.ChannelHeld, 0)
		p.pass(100 * ms)
	}
	p.phase(0, Asking)
	p.failure(0, StillHeld)
	p.b.cuts = nil
	for range 3 {
		p.hears(wire.ChannelHeld, 0)
		p.pass(askInterval)
	}
	p.phase(0, Lossless)
	p.hears(wire.ChannelHeld, 0)
	p.phase(0, Lossless)
}

// TestGrantAfterARefusal: what was refused, or fell short, starts as soon as the partner grants it, and not
// when the next try is due.
func TestGrantAfterARefusal(t *testing.T) {
	for name, change := range map[string]func(*Settings){
		"no limit":      func(s *Settings) { s.Limit[0] = 0 },
		"another size":  func(s *Settings) { s.Size.Credit = 128 },
		"limit too low": func(s *Settings) { s.Limit[0] = 23 },
		"CBFC is off":   func(s *Settings) { s.On = false },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, settingsOf(1, 100))
			good := p.b.Rx.settings
			bad := good
			change(&bad)
			p.b.Configure(bad, p.now)
			p.pass(100 * second)
			p.phase(0, BestEffort)
			if retry := p.a.State(p.now).VCs[0].Retry; retry < second {
				t.Fatalf("it is tried again in %d ns", retry)
			}
			p.b.Configure(good, p.now)
			p.exchange()
			p.phase(0, Lossless)
			if n := p.a.Tx.vc[0].counters.Starts; n != 1 {
				t.Errorf("%d starts", n)
			}
		})
	}
}

// TestGrantThatIsNotWanted: a sender gets UNKNOWN, and does nothing. Unchanged settings send no message.
func TestGrantThatIsNotWanted(t *testing.T) {
	p := newPair(t, settingsOf(1, 100))
	p.exchange()
	s := p.b.Rx.settings
	s.Limit[1] = 50
	p.b.Configure(s, p.now)
	p.exchange()
	if n := says(p.b.sent, wire.ChannelUnknown); n != 1 || len(p.a.sent) != 0 {
		t.Errorf("%d messages, and the answer %v", n, p.a.sent)
	}
	p.b.Configure(s, p.now)
	if p.exchange(); says(p.b.sent, wire.ChannelUnknown) != 0 {
		t.Error("the same settings are told again")
	}
	p.phase(0, Lossless)
	p.phase(1, BestEffort)
}

// TestLargestFrameThatHasGrown beyond the limit: the channel says why it is best effort, and drops nothing.
func TestLargestFrameThatHasGrown(t *testing.T) {
	p := started(t, settingsOf(1, 24))
	p.send(0, 60)
	p.b.Rx.Free(0, 1)
	p.a.env.Largest = 1600
	p.exchange()
	p.phase(0, BestEffort)
	p.failure(0, LimitTooLow)
	if _, gate := p.a.Tx.Gate(0, 1600); gate != Open {
		t.Errorf("gate %d", gate)
	}
	p.a.env.Largest = 1514
	p.pass(2 * retryFirst)
	p.phase(0, Lossless)
}

// TestPartOfATotalThatHasShrunk below what the largest frame costs, since another profile reserves the rest.
func TestPartOfATotalThatHasShrunk(t *testing.T) {
	s := totalOf(100, Profile{}, Profile{})
	p := started(t, s)
	s.Profile[1].Reserved = 90
	p.a.Configure(s, p.now)
	p.exchange()
	p.phase(0, BestEffort)
	p.failure(0, LimitTooLow)
	p.phase(1, Lossless)
}
