package cbfc

import (
	"testing"

	"uelink/wire"
)

// TestLateCopyOfAQuestion that is answered, when frames have come since: it changes nothing.
func TestLateCopyOfAQuestion(t *testing.T) {
	p := newPair(t, settingsOf(1, 100))
	p.exchange()
	start := p.a.sent
	p.pass(underWay)
	p.fill(0, 60)
	for range 10 {
		p.b.ReceivedControl(start, &p.b.env, p.now)
		p.exchange()
	}
	p.want(0, counts{100, 0, 100, 0})
	if n := says(p.b.sent, wire.ChannelStarted); n != 0 || p.b.Tx.vc[0].counters.Stale != 10 {
		t.Errorf("answered %d times, %d stale", n, p.b.Tx.vc[0].counters.Stale)
	}
}

// TestTransactionThatIsOver: questions and answers of it are counted, and change nothing.
func TestTransactionThatIsOver(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.a.Configure(settingsOf(0, 0), p.now)
	p.exchange()
	stop, stopped := p.a.sent, p.b.sent
	p.a.Configure(settingsOf(1, 100), p.now)
	p.exchange()
	p.pass(underWay)
	p.fill(0, 60)
	p.b.ReceivedControl(stop, &p.b.env, p.now)
	p.a.ReceivedControl(stopped, &p.a.env, p.now)
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
	p.b.ReceivedControl([]wire.CtlOS{forged.CtlOS()}, &p.b.env, p.now)
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

// resets is a pair whose channel 0 has started again, since its receiver holds all that the limit allows.
func resets(t *testing.T) *pair {
	t.Helper()
	s := settingsOf(1|1<<4, 100)
	s.Timeout, s.Reset = 50*ms, true
	p := started(t, s)
	p.fill(0, 60)
	p.a.Tx.Block(0, p.now)
	p.pass(50 * ms)
	p.phase(0, Asking)
	return p
}

// TestStartWaitsForAReceiverThatHoldsFrames: for as long as it says so nothing leaves, and the channel is
// under credits as soon as they are gone.
func TestStartWaitsForAReceiverThatHoldsFrames(t *testing.T) {
	p := resets(t)
	p.pass(60 * second)
	p.phase(0, Asking)
	p.failure(0, StillHeld)
	if _, gate := p.a.Tx.Gate(0, 60); gate != Shut {
		t.Fatalf("gate %d", gate)
	}
	p.b.Rx.Free(0, 99)
	if p.exchange(); says(p.b.sent, wire.ChannelHeld) != 0 {
		t.Error("HELD is said without a question")
	}
	p.b.Rx.Free(0, 1)
	p.exchange()
	p.phase(0, Lossless)
	p.failure(0, NoFailure)
	p.pass(underWay)
	p.fill(0, 60)
	p.want(0, counts{100, 0, 100, 0})
}

// TestSenderThatIsAnotherStartWaits: the start before has left frames with the receiver.
func TestSenderThatIsAnotherStartWaits(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.fill(0, 60)
	p.restartA()
	p.pass(20 * second)
	p.phase(0, Asking)
	p.failure(0, StillHeld)
	p.b.Rx.Free(0, 100)
	p.exchange()
	p.phase(0, Lossless)
}

// TestStartGivesUpAReceiverThatFallsSilent a second after it has said HELD last.
func TestStartGivesUpAReceiverThatFallsSilent(t *testing.T) {
	p := resets(t)
	p.pass(5 * second)
	p.b.cuts = cutsAll
	p.pass(askLimit - askInterval)
	p.phase(0, Asking)
	p.pass(askInterval)
	p.phase(0, BestEffort)
	p.failure(0, NoAnswer)
}

// TestStopDoesNotWaitForAReceiverThatHoldsFrames: what is to be best effort may be dropped.
func TestStopDoesNotWaitForAReceiverThatHoldsFrames(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.fill(0, 60)
	p.a.Configure(settingsOf(0, 100), p.now)
	if p.exchange(); says(p.b.sent, wire.ChannelHeld) != 0 {
		t.Error("a STOP is answered by HELD")
	}
	p.pass(askLimit)
	p.phase(0, BestEffort)
}

// TestCountsWhileAStartIsHeld: the other channels get their CC_Updates, which the held channel is not in.
func TestCountsWhileAStartIsHeld(t *testing.T) {
	p := resets(t)
	p.send(4, 60)
	p.pass(20 * ms)
	if !p.a.Tx.CCDue(p.now) || p.a.Tx.Counted() != 1<<4 {
		t.Errorf("due %v, channels %b", p.a.Tx.CCDue(p.now), p.a.Tx.Counted())
	}
}

// TestReceiverThatHoldsFramesAndDoesNotSaySo is an older partner: a restart waits for it for a second. Then the
// channel goes on without credits; of what is held all comes back, and nothing else counts. The next try
// starts at 0.
func TestReceiverThatHoldsFramesAndDoesNotSaySo(t *testing.T) {
	s := settingsOf(1, 100)
	s.Timeout, s.Reset = 50*ms, true
	p := started(t, s)
	p.b.cuts = cutsOp(wire.ChannelHeld)
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

// TestForgedAnswers change nothing, whatever they say, but for a second answer to the START (TestForgedLimit).
func TestForgedAnswers(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.send(0, 60)
	for op := range wire.ChannelOp(8) {
		if op == wire.ChannelUnknown || op == wire.ChannelStart || op == wire.ChannelStop {
			continue
		}
		for _, number := range []uint8{0, 1, 2, 200} {
			if number == 1 && (op == wire.ChannelStarted || op == wire.ChannelStartedTotal) {
				continue
			}
			c := wire.Channel{VC: 0, Op: op, Transaction: number, CreditSize: 2048, Limit: 65535}.CtlOS()
			p.a.ReceivedControl([]wire.CtlOS{c}, &p.a.env, p.now)
		}
	}
	p.phase(0, Lossless)
	p.want(0, counts{1, 0, 1, 0})
	if p.a.Tx.vc[0].limit != 100 {
		t.Errorf("limit %d", p.a.Tx.vc[0].limit)
	}
}
