package cbfc

import (
	"testing"
	"time"

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
	for end := p.now.Add(askLimit); p.now < end; {
		p.exchange()
		asked += says(p.a.sent, wire.ChannelStart)
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
	for n, wait := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
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
