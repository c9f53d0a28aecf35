package cbfc

import (
	"testing"

	"uelink/wire"
)

func TestStartAndStop(t *testing.T) {
	p := newPair(t, settingsOf(1|1<<31, 100))
	if _, gate := p.a.Tx.Gate(31, 60); gate != Open {
		t.Fatal("before the partner is known")
	}
	p.a.Poll(p.now, &p.a.env, make([]wire.CtlOS, 0, 8))
	for _, vc := range []uint8{0, 31} {
		if _, gate := p.a.Tx.Gate(vc, 60); gate != Shut || p.a.Moving()>>vc&1 == 0 {
			t.Errorf("VC %d: gate %d while it starts", vc, gate)
		}
	}
	p.pass(askInterval)
	for _, vc := range []uint8{0, 31} {
		p.phase(vc, Lossless)
		if n := p.fill(vc, 60); len(n) != 100 {
			t.Errorf("VC %d: %d frames", vc, len(n))
		}
	}
	p.a.Configure(settingsOf(1, 100), p.now)
	p.exchange()
	p.phase(31, Asking)
	if _, gate := p.a.Tx.Gate(31, 60); gate != Shut {
		t.Error("the gate is open while the channel stops")
	}
	p.b.Rx.Free(31, 100)
	p.exchange()
	p.phase(31, BestEffort)
	p.phase(0, Lossless)
	if credits, gate := p.a.Tx.Gate(31, 60); credits != 0 || gate != Open {
		t.Errorf("%d credits, gate %d", credits, gate)
	}
	if credits := p.b.Rx.Store(31, 60); credits != 0 {
		t.Errorf("a best effort frame is stored for %d credits", credits)
	}
}

// TestStartWaitsUntilWhatWasSentIsAcknowledged: no frame without credits comes behind the start.
func TestStartWaitsUntilWhatWasSentIsAcknowledged(t *testing.T) {
	p := newPair(t, settingsOf(1, 100))
	p.a.env.Unacked = 1
	p.pass(500 * ms)
	p.phase(0, Draining)
	p.a.env.Unacked = 2
	p.pass(askInterval)
	p.phase(0, Lossless)
}

// TestStartWithoutLLR waits 10 ms: what was sent has arrived by then, or is lost. So does a channel
// whose frames are not sequenced on a link with LLR.
func TestStartWithoutLLR(t *testing.T) {
	for name, set := range map[string]func(*Env){
		"no LLR": func(e *Env) { e.LLR = false }, "not this channel": func(e *Env) { e.Bare = 1 },
	} {
		p := newPair(t, settingsOf(1, 100))
		set(&p.a.env)
		p.exchange()
		if p.pass(underWay - 1); p.a.Tx.vc[0].channel.phase != Draining {
			t.Errorf("%s: %v", name, p.a.Tx.vc[0].channel.phase)
		}
		p.pass(1)
		p.phase(0, Lossless)
	}
}

// TestAskedEvery10ms for a second, and then not.
func TestAskedEvery10ms(t *testing.T) {
	p := newPair(t, settingsOf(1, 100))
	p.b.cuts = cutsAll
	asked := 0
	for end := p.now + askLimit; p.now < end; {
		p.exchange()
		asked += says(p.a.said, wire.ChannelStart)
		p.now = p.a.Deadline()
	}
	if asked != 100 {
		t.Errorf("asked %d times", asked)
	}
	p.exchange()
	p.phase(0, BestEffort)
	p.failure(0, NoAnswer)
	if credits, gate := p.a.Tx.Gate(0, 60); credits != 0 || gate != Open {
		t.Errorf("%d credits, gate %d", credits, gate)
	}
}

// TestFailedStartIsTriedAgain after 1, 2, 4 … 60 s, of which State tells.
func TestFailedStartIsTriedAgain(t *testing.T) {
	p := newPair(t, settingsOf(1, 100))
	p.b.cuts = cutsAll
	p.exchange()
	for n, wait := range []int64{1, 2, 4, 8, 16, 32, 60, 60} {
		p.pass(askLimit)
		p.phase(0, BestEffort)
		s := p.a.State(p.now).VCs[0]
		if s.Retry != wait*second || s.Failure != NoAnswer || s.Counters.Refused != uint64(n+1) {
			t.Fatalf("try %d: %+v, want again in %d s", n, s, wait)
		}
		p.pass(wait * second)
	}
	p.b.cuts = nil
	p.pass(askInterval)
	p.phase(0, Lossless)
	p.failure(0, NoFailure)
	if p.a.Tx.vc[0].channel.backoff != 0 {
		t.Error("the next failure would be tried late")
	}
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Settings)
		want   Failure
	}{
		"no limit":       {func(s *Settings) { s.Limit[0] = 0 }, Refused},
		"another size":   {func(s *Settings) { s.Size.Credit = 128 }, OtherSize},
		"other overhead": {func(s *Settings) { s.Size.Overhead = -4 }, OtherSize},
		"limit too low":  {func(s *Settings) { s.Limit[0] = 23 }, LimitTooLow},
		"CBFC is off":    {func(s *Settings) { s.On = false }, Refused},
	} {
		p := newPair(t, settingsOf(1, 24))
		good := p.b.Rx.settings
		bad := good
		c.change(&bad)
		p.b.Configure(bad, p.now)
		p.exchange()
		p.phase(0, BestEffort)
		if f := p.a.Tx.vc[0].channel.failure; f != c.want || f.String() == "" {
			t.Errorf("%s: %q, want %q", name, f, c.want)
		}
		if p.b.Rx.Store(0, 60) != 0 {
			t.Errorf("%s: the receiver counts credits", name)
		}
		p.pass(retryFirst / 2)
		p.b.Configure(good, p.now)
		p.pass(retryFirst)
		p.phase(0, Lossless)
		p.failure(0, NoFailure)
		p.a.Tx.Gate(0, 60)
		p.rests(0)
	}
}

// TestAnswerIsRepeated: one that is lost is asked for again, and clears nothing then.
func TestAnswerIsRepeated(t *testing.T) {
	p := newPair(t, settingsOf(1, 100))
	p.b.cuts = cutsOp(wire.ChannelStarted)
	p.pass(55 * ms)
	p.phase(0, Asking)
	p.b.cuts = nil
	p.pass(askInterval)
	p.phase(0, Lossless)
	if n := p.a.Tx.vc[0].channel.number; n != 1 {
		t.Errorf("transaction %d", n)
	}
}

// TestLateCopyOfAQuestion that is answered, when frames have come since: it changes nothing.
func TestLateCopyOfAQuestion(t *testing.T) {
	p := newPair(t, settingsOf(1, 100))
	p.exchange()
	start := p.a.said
	p.pass(underWay)
	p.fill(0, 60)
	for range 10 {
		p.b.Control(start, &p.b.env, p.now)
		p.exchange()
	}
	p.want(0, counts{100, 0, 100, 0})
	if n := says(p.b.said, wire.ChannelStarted); n != 0 || p.b.Tx.vc[0].counters.Stale != 10 {
		t.Errorf("answered %d times, %d stale", n, p.b.Tx.vc[0].counters.Stale)
	}
}

// TestTransactionThatIsOver: questions and answers of it are counted, and change nothing.
func TestTransactionThatIsOver(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.a.Configure(settingsOf(0, 0), p.now)
	p.exchange()
	stop, stopped := p.a.said, p.b.said
	p.a.Configure(settingsOf(1, 100), p.now)
	p.exchange()
	p.pass(underWay)
	p.fill(0, 60)
	p.b.Control(stop, &p.b.env, p.now)
	p.a.Control(stopped, &p.a.env, p.now)
	p.exchange()
	p.phase(0, Lossless)
	p.want(0, counts{100, 0, 100, 0})
	if a, b := p.a.Tx.vc[0].counters.Stale, p.b.Tx.vc[0].counters.Stale; a != 1 || b != 1 {
		t.Errorf("%d and %d stale", a, b)
	}
}

// TestTransactionNumbersWrap: 1,000 transactions, with 8 bits.
func TestTransactionNumbersWrap(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	for range 500 {
		p.a.Configure(settingsOf(0, 0), p.now)
		p.exchange()
		p.phase(0, BestEffort)
		p.a.Configure(settingsOf(1, 100), p.now)
		p.exchange()
		p.phase(0, Lossless)
	}
	if n := p.b.Tx.vc[0].counters.Stale; n != 0 {
		t.Errorf("%d stale", n)
	}
}

// TestManyUnansweredTransactions: the partner answers only what it can, and 128 tries later it still
// takes the next one for a newer one.
func TestManyUnansweredTransactions(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.send(0, 60) // the receiver holds it, and so does not answer
	for n := range 300 {
		p.a.Configure(settingsOf(uint32(n&1), 100), p.now)
		p.exchange()
		p.phase(0, Asking)
	}
	p.b.Rx.Free(0, 1)
	p.pass(askInterval)
	p.phase(0, Lossless)
}

// TestForgedNumber: a question of a number far ahead does not shut a channel's transactions out for long.
func TestForgedNumber(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	forged := wire.Channel{VC: 0, Op: wire.ChannelStop, Transaction: p.a.Tx.vc[0].channel.number + 100, CreditSize: 64}
	p.b.Control([]wire.CtlOS{forged.CtlOS()}, &p.b.env, p.now)
	p.exchange()
	if p.send1(); p.b.Rx.Held != 0 {
		t.Fatal("the forged STOP was not taken")
	}
	p.update(wire.DialectSeed)
	p.pass(askInterval * (believedAfter + 1))
	p.phase(0, Lossless)
	p.pass(underWay)
	p.fill(0, 60)
	p.want(0, counts{100, 0, 100, 0})
}

// send1 sends a frame whose credits the receiver may not count.
func (p *pair) send1() {
	if credits, ok := p.lose(0, 60); ok && credits > 0 {
		p.b.Rx.Store(0, 60)
	}
}

// TestStopUnderWayAndWantedAgain: the start follows at once.
func TestStopUnderWayAndWantedAgain(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.send(0, 60)
	p.a.Configure(settingsOf(0, 100), p.now)
	p.exchange()
	p.phase(0, Asking)
	p.a.Configure(settingsOf(1, 100), p.now)
	p.b.Rx.Free(0, 1)
	p.exchange()
	p.phase(0, Lossless)
	p.rests(0)
}

// TestConfigureWhileAsking in any order ends as it is set last.
func TestConfigureWhileAsking(t *testing.T) {
	for n := range 1 << 6 {
		p := newPair(t, settingsOf(1, 100))
		if n&1 != 0 {
			p.exchange()
		} else {
			p.a.Poll(p.now, &p.a.env, make([]wire.CtlOS, 0, 8))
		}
		for step := n >> 1; step > 0; step >>= 1 {
			s := settingsOf(uint32(step&1), 100)
			if step&2 != 0 {
				s.CFMaxSpacing++
			}
			p.a.Configure(s, p.now)
			if step&4 != 0 {
				p.a.say(p.now) // is lost
			}
		}
		p.pass(2 * askInterval)
		want := BestEffort
		if p.a.Tx.settings.Lossless == 1 {
			want = Lossless
		}
		p.phase(0, want)
		if on := p.b.Rx.on&1 != 0; on != (want == Lossless) {
			t.Errorf("case %d: a is %v, b counts: %v", n, want, on)
		}
	}
}

// TestAnotherSizeAtBothEnds: each channel starts again; until it has, both ends count by the old size.
func TestAnotherSizeAtBothEnds(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	s := settingsOf(1, 100)
	s.Size.Credit = 128
	b := s
	b.Lossless = 0
	p.b.Configure(b, p.now)
	if credits, ok := p.send(0, 1514); !ok || credits != 24 {
		t.Errorf("%d credits, %v", credits, ok)
	}
	p.b.Rx.Free(0, 24)
	p.exchange()
	p.phase(0, BestEffort)
	p.failure(0, OtherSize)
	p.a.Configure(s, p.now)
	p.pass(underWay)
	if credits, ok := p.send(0, 1514); !ok || credits != 12 {
		t.Errorf("%d credits, %v", credits, ok)
	}
}

// TestAnotherLimitOfTheReceiver: the sender is told to start again, also if that is lost.
func TestAnotherLimitOfTheReceiver(t *testing.T) {
	p := started(t, settingsOf(3, 100))
	b := p.b.Rx.settings
	b.Limit[0] = 40
	p.b.cuts = cutsOp(wire.ChannelUnknown)
	p.b.Configure(b, p.now)
	p.exchange()
	p.b.cuts = nil
	p.pass(3 * refreshFirst)
	if n := p.a.Tx.vc; n[0].limit != 40 || n[1].limit != 100 || n[0].counters.Starts != 2 || n[1].counters.Starts != 1 {
		t.Errorf("limits %d, %d; starts %d, %d", n[0].limit, n[1].limit, n[0].counters.Starts, n[1].counters.Starts)
	}
	b.Total = 80
	p.b.Configure(b, p.now)
	p.pass(underWay)
	if n := p.fills(0, 1); n[0] != 40 || n[1] != 40 {
		t.Errorf("%v", n)
	}
}

// TestAnotherLimitBeforeTheAnswerIsRepeated: the answer to the same question stays what it was; the new limit
// comes by a start of its own.
func TestAnotherLimitBeforeTheAnswerIsRepeated(t *testing.T) {
	p := newPair(t, settingsOf(1, 40))
	p.b.cuts = cutsOp(wire.ChannelStarted)
	p.exchange()
	b := p.b.Rx.settings
	b.Limit[0] = 100
	p.b.Configure(b, p.now)
	p.b.cuts = nil
	p.now += askInterval
	p.b.Control(p.a.say(p.now), &p.b.env, p.now)
	answer := p.b.say(p.now)
	p.a.Control(answer, &p.a.env, p.now)
	if s, r := p.a.Tx.vc[0].limit, p.b.Rx.vc[0].limit; s > r {
		t.Errorf("the sender has a limit of %d, the receiver one of %d", s, r)
	}
	p.pass(4 * refreshFirst)
	if n := p.fill(0, 60); len(n) != 100 {
		t.Errorf("%d frames", len(n))
	}
}

// TestReceiverSwitchedOff: its sender is told, and goes on without credits.
func TestReceiverSwitchedOff(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.send(0, 60)
	b := p.b.Rx.settings
	b.On = false
	p.b.Configure(b, p.now)
	p.exchange()
	p.phase(0, BestEffort)
	p.failure(0, Refused)
	p.b.Rx.Free(0, 1)
	if !p.b.Rx.Off() || p.b.Rx.Held != 0 {
		t.Errorf("%d held", p.b.Rx.Held)
	}
}

// TestReceiverThatHoldsFrames: a restart waits for them for a second. Then the channel goes on
// without credits; of what is held all comes back, and nothing else counts. The next try starts at 0.
func TestReceiverThatHoldsFrames(t *testing.T) {
	s := settingsOf(1, 100)
	s.Timeout, s.Reset = 50*ms, true
	p := started(t, s)
	p.fill(0, 60)
	p.a.Tx.Block(0, p.now)
	p.pass(50*ms + askLimit)
	p.failure(0, NoAnswer)
	if credits, gate := p.a.Tx.Gate(0, 60); credits != 0 || gate != Open {
		t.Fatalf("%d credits, gate %d", credits, gate)
	}
	if p.b.Rx.Store(0, 60) != 0 {
		t.Error("a frame without credits is stored as one with them")
	}
	p.b.Rx.Free(0, 100)
	if p.b.Rx.Held != 0 {
		t.Errorf("%d held", p.b.Rx.Held)
	}
	p.pass(retryFirst + underWay)
	p.phase(0, Lossless)
	p.fill(0, 60)
	p.want(0, counts{100, 0, 100, 0})
}

// TestStopThatTheReceiverHasNotHeardOf: its CF_Updates have the sender stop again, and not for ever
// where nobody answers.
func TestStopThatTheReceiverHasNotHeardOf(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.a.cuts = cutsAll
	p.a.Configure(settingsOf(0, 100), p.now)
	p.pass(askLimit + 5*second)
	stops := p.a.Tx.vc[0].channel.number - 1
	if stops < 2 || stops > 4 {
		t.Errorf("%d stops in six seconds", stops)
	}
	p.a.cuts = nil
	p.pass(10 * second)
	p.phase(0, BestEffort)
	if !p.b.Rx.Off() {
		t.Error("the receiver still counts")
	}
}

// TestAnswersBeyondAControlFrame: all 32 channels start through control frames of any size.
func TestAnswersBeyondAControlFrame(t *testing.T) {
	for room := 1; room < 40; room++ {
		p := newPair(t, settingsOf(1<<VCs-1, 100))
		p.a.room, p.b.room = room, room
		p.exchange()
		for vc := range uint8(VCs) {
			p.phase(vc, Lossless)
		}
	}
}

// TestForgedAnswers change nothing, whatever they say.
func TestForgedAnswers(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.send(0, 60)
	for op := range wire.ChannelOp(8) {
		if op == wire.ChannelUnknown || op == wire.ChannelStart || op == wire.ChannelStop {
			continue
		}
		for _, number := range []uint8{0, 1, 2, 200} {
			c := wire.Channel{VC: 0, Op: op, Transaction: number, CreditSize: 2048, Limit: 65535}.CtlOS()
			p.a.Control([]wire.CtlOS{c}, &p.a.env, p.now)
		}
	}
	p.phase(0, Lossless)
	p.want(0, counts{1, 0, 1, 0})
	if p.a.Tx.vc[0].limit != 100 {
		t.Errorf("limit %d", p.a.Tx.vc[0].limit)
	}
}

func TestWords(t *testing.T) {
	for p := BestEffort; p <= Lossless; p++ {
		if text, err := p.MarshalText(); err != nil || string(text) != p.String() || p.String() == "" {
			t.Errorf("%d: %q, %v", p, text, err)
		}
	}
	for f := NoFailure; f <= NotByPartner+1; f++ {
		if text, err := f.MarshalText(); err != nil || string(text) != f.String() || (f.String() == "") != (f == NoFailure) {
			t.Errorf("%d: %q, %v", f, text, err)
		}
	}
}
