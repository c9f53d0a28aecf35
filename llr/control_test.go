package llr

import (
	"testing"
	"time"

	"uelink/wire"
)

// hear passes an LLR_INIT to a receiver.
func hear(r *Rx, seq uint32, nonce byte, now wire.Time) standing {
	return r.receivedInit(wire.CtlOS{Type: wire.LLRInit, Seq: seq, InitData: [2]byte{nonce, 0}}, false, 0, now)
}

// UE-LINK §2.3: "Station B receives, sets next_rx_seq = init_seq. Station B sends
// LLR_INIT_ECHO echoing init_seq and init_data."
func TestInitSetsNextRxSeqAndIsEchoedVerbatim(t *testing.T) {
	l := NewLink(profile(), 1, [2]byte{})
	l.Rx.SetMode(true)
	c := wire.CtlOS{Type: wire.LLRInit, Seq: 0xABCDE, InitData: [2]byte{0x12, 0x34}}
	l.ReceivedControl(0, c)
	l.ReceivedControl(0, c)
	wantRx(t, l.Rx, RxSendAcks, 0xABCDE)
	c.Type = wire.LLRInitEcho
	if out := l.Poll(0, false, nil); len(out) != 2 || out[0] != c || out[1] != c {
		t.Errorf("two LLR_INIT are answered by %v", out)
	}
	if n := *l.Counters(); n != (Counters{RxInitCtlOS: 2, TxInitEchoCtlOS: 2}) {
		t.Errorf("%+v", n)
	}
}

func TestInitDropsAPendingNack(t *testing.T) {
	r := initialized(t)
	take(r, wire.FCSGood, 105)
	r.receivedInit(wire.CtlOS{Seq: 100, InitData: [2]byte{1, 1}}, false, 0, 0)
	wantRx(t, r, RxSendAcks, 100)
	if out := r.poll(0, true, nil); len(out) != 1 || out[0].Type != wire.LLRInitEcho {
		t.Errorf("it says %v", out)
	}
}

// SAI-LLR: LLR_MODE_LOCAL "Enable local INIT reception".
func TestInitIsIgnoredWhileModeLocalIsOff(t *testing.T) {
	l := NewLink(profile(), 1, [2]byte{})
	l.Tx.SetMode(true, 0)
	l.Poll(0, true, nil)
	due := l.Deadline()
	l.ReceivedControl(10, wire.CtlOS{Type: wire.LLRInit, Seq: 5})
	if out := l.Poll(10, true, nil); len(out) != 0 || l.Deadline() != due {
		t.Errorf("it says %v", out)
	}
	if l.Counters().RxInitCtlOS != 1 || l.Rx.State() != RxOff {
		t.Errorf("%+v", l.Counters())
	}
}

func TestOnlyTheLatestInitsAreEchoedWhenThereAreTooMany(t *testing.T) {
	l := NewLink(profile(), 1, [2]byte{})
	l.Rx.SetMode(true)
	l.Tx.SetMode(true, 0)
	for seq := range uint32(100) {
		l.ReceivedControl(0, wire.CtlOS{Type: wire.LLRInit, Seq: seq})
	}
	l.Rx.Receive(105, wire.FCSGood, 60)
	out := l.Poll(0, true, make([]wire.CtlOS, 0, PollMax))
	if len(out) != 6 || out[0].Seq != 96 || out[3].Seq != 99 || out[4].Type != wire.LLRNack ||
		out[5].Type != wire.LLRInit {
		t.Errorf("it says %v", out)
	}
}

func TestStandingOfAnInit(t *testing.T) {
	type init struct {
		seq   uint32
		nonce byte
	}
	for _, c := range []struct {
		name   string
		before []init
		frames int // accepted after them
		now    init
		want   standing
	}{
		{"the first ever", nil, 0, init{100, 1}, initAccepted},
		{"the same again", []init{{100, 1}}, 0, init{100, 1}, initAccepted},
		{"further on", []init{{100, 1}}, 5, init{150, 1}, initAccepted},
		{"where we are", []init{{100, 1}}, 5, init{105, 1}, initAccepted},
		{"behind", []init{{100, 1}}, 5, init{104, 1}, initStale},
		{"behind, over the wrap", []init{{wire.SeqMask, 1}}, 5, init{wire.SeqMask, 1}, initStale},
		{"another start nonce", []init{{100, 1}}, 5, init{150, 2}, initStale},
	} {
		r := NewRx(profile())
		r.SetMode(true)
		for _, i := range c.before {
			hear(r, i.seq, i.nonce, 0)
		}
		for range c.frames {
			take(r, wire.FCSGood, r.NextSeq())
		}
		r.poll(0, true, nil)
		*r.count = Counters{}
		next := r.NextSeq()
		if got := hear(r, c.now.seq, c.now.nonce, 1e9); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
		out := r.poll(1e9, true, nil)
		if c.want == initStale && (len(out) != 0 || r.NextSeq() != next || r.count.RxInitStale != 1) {
			t.Errorf("%s: stale, yet acted on: %v", c.name, out)
		}
		if c.want != initStale && (len(out) != 1 || r.NextSeq() != c.now.seq) {
			t.Errorf("%s: not acted on: %v", c.name, out)
		}
		if restarted := r.count.PartnerRestart == 1; restarted != (c.want == initRestarted) {
			t.Errorf("%s: PartnerRestart %d", c.name, r.count.PartnerRestart)
		}
	}
}

func TestThirdIdenticalStaleInitIsBelieved(t *testing.T) {
	const apart = suspectSpacing
	for _, c := range []struct {
		name string
		do   func(r *Rx, i int) // before LLR_INIT i of four
		seq  func(i int) uint32
		gap  time.Duration
		want [4]standing
	}{
		{"three alike", nil, nil, apart, [4]standing{initStale, initStale, initRestarted, initAccepted}},
		{"too close together", nil, nil, apart/2 - 1, [4]standing{}},
		{"an accepted frame in between", func(r *Rx, i int) {
			if i == 2 {
				take(r, wire.FCSGood, r.NextSeq())
			}
		}, nil, apart, [4]standing{}},
		{"a duplicate in between: the partner is not in INIT", func(r *Rx, i int) {
			if i == 2 {
				take(r, wire.FCSGood, wire.SeqAdd(r.NextSeq(), -1))
			}
		}, nil, apart, [4]standing{}},
		{"a bad frame in between says nothing", func(r *Rx, i int) {
			if i == 2 {
				take(r, wire.FCSBad, wire.SeqAdd(r.NextSeq(), -1))
			}
		}, nil, apart, [4]standing{initStale, initStale, initRestarted, initAccepted}},
		{"not alike", nil, func(i int) uint32 { return 100 + uint32(i)%2 }, apart, [4]standing{}},
	} {
		r := NewRx(profile())
		r.SetMode(true)
		hear(r, 100, 1, 0)
		take(r, wire.FCSGood, 100, 101, 102)
		for i, want := range c.want {
			if c.do != nil {
				c.do(r, i)
			}
			seq := uint32(100)
			if c.seq != nil {
				seq = c.seq(i)
			}
			if got := hear(r, seq, 1, wire.Time(0).Add(time.Duration(i+1)*c.gap)); got != want {
				t.Errorf("%s: LLR_INIT %d is %d, want %d", c.name, i+1, got, want)
			}
		}
	}
}

// While LLR_MODE_LOCAL is off the number is forgotten, but not how far the partner
// has been: an LLR_INIT from before must not bring back what was delivered.
func TestStaleInitIsKnownAlsoAfterModeOff(t *testing.T) {
	r := initialized(t)
	take(r, wire.FCSGood, 100, 101)
	r.SetMode(false)
	r.SetMode(true)
	if s := r.receivedInit(wire.CtlOS{Seq: 100, InitData: [2]byte{1, 1}}, false, 0, 0); s != initStale {
		t.Errorf("standing %d", s)
	}
	if s := r.receivedInit(wire.CtlOS{Seq: 102, InitData: [2]byte{1, 1}}, false, 0, 0); s != initAccepted {
		t.Errorf("standing %d", s)
	}
}

// spec 2.2: "count a mismatch unless init_seq and init_data equal the most recently
// sent LLR_INIT".
func TestEchoMustBeOfTheLastInit(t *testing.T) {
	good := wire.CtlOS{Type: wire.LLRInitEcho, Seq: 100, InitData: testNonce}
	for _, c := range []struct {
		name string
		echo wire.CtlOS
		sent bool
		want TxState
	}{
		{"the same", good, true, TxAdvance},
		{"before anything was sent", good, false, TxInit},
		{"another init_seq", wire.CtlOS{Type: wire.LLRInitEcho, Seq: 101, InitData: testNonce}, true, TxInit},
		{"another init_data", wire.CtlOS{Type: wire.LLRInitEcho, Seq: 100, InitData: [2]byte{testNonce[1], testNonce[0]}}, true, TxInit},
	} {
		l := NewLink(profile(), 100, testNonce)
		l.Tx.SetMode(true, 0)
		if c.sent {
			l.Poll(0, true, nil)
		}
		l.ReceivedControl(0, c.echo)
		wantTx(t, l.Tx, c.want)
		if mismatch := l.Counters().RxInitEchoMismatch; (mismatch == 1) != (c.want == TxInit) {
			t.Errorf("%s: mismatch %d", c.name, mismatch)
		}
	}
}

func TestSecondEchoOfTheLastInitIsNoMismatch(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 2, 0)
	tx.receivedInitEcho(wire.CtlOS{Seq: 100, InitData: testNonce}, false, 0)
	wantTx(t, tx, TxAdvance)
	if n, _ := tx.Outstanding(); n != 2 || tx.count.RxInitEchoMismatch != 0 {
		t.Errorf("%d outstanding, mismatch %d", n, tx.count.RxInitEchoMismatch)
	}
}

func TestEachHandshakeHasANumberOfItsOwn(t *testing.T) {
	tx := NewTx(profile(), wire.SeqMask, testNonce)
	tx.SetMode(true, 0)
	seen := map[uint32]bool{}
	for i := range wire.Time(5) {
		out := tx.poll(i*1e9, nil)
		if len(out) != 1 || seen[out[0].Seq] || tx.NextSeq() != out[0].Seq {
			t.Fatalf("handshake %d sends %v, next number %d", i, out, tx.NextSeq())
		}
		seen[out[0].Seq] = true
		tx.Reinit(i*1e9 + 1)
	}
	if !seen[wire.SeqMask] || !seen[3] {
		t.Errorf("numbers %v", seen)
	}
}

func TestInitIsRepeatedEverMoreRarely(t *testing.T) {
	tx := NewTx(profile(), 1, testNonce)
	tx.SetMode(true, 7)
	want := wire.Time(7)
	for i, ms := range []time.Duration{1, 2, 4, 8, 16, 32, 64, 100, 100, 100} {
		if d := tx.deadline(); d != want {
			t.Fatalf("LLR_INIT %d is due at %d, want %d", i, d, want)
		}
		if out := tx.poll(want-1, nil); i > 0 && len(out) != 0 {
			t.Fatalf("too early: %v", out)
		}
		if out := tx.poll(want, nil); len(out)+min(i, 1) < 1 {
			t.Fatalf("LLR_INIT %d is not sent", i)
		}
		want = tx.hello.last.Add(ms * 1e6)
	}
}

func TestPartnersInitHurriesOurs(t *testing.T) {
	l := NewLink(profile(), 1, testNonce)
	l.Rx.SetMode(true)
	l.Tx.SetMode(true, 0)
	for l.Deadline() < 300e6 {
		l.Poll(l.Deadline(), true, nil)
	}
	now := l.Tx.hello.last + 50e6
	for i := range time.Duration(1000) { // a partner that never stops does not make us flood it
		l.ReceivedControl(now.Add(i*10_000), wire.CtlOS{Type: wire.LLRInit, Seq: 9, InitData: [2]byte{1, 1}})
		l.Poll(now.Add(i*10_000), true, nil)
		if i == 0 && l.Tx.hello.last != now {
			t.Error("not sent at once")
		}
	}
	if n := l.Counters().TxInitCtlOS; n > 10+20 {
		t.Errorf("%d LLR_INIT sent", n)
	}
}

func TestStaleInitDoesNotHurryOurs(t *testing.T) {
	l := NewLink(profile(), 1, testNonce)
	l.Rx.SetMode(true)
	l.Tx.SetMode(true, 0)
	l.ReceivedControl(0, wire.CtlOS{Type: wire.LLRInit, Seq: 9})
	l.Rx.Receive(9, wire.FCSGood, 60)
	for l.Deadline() < 300e6 {
		l.Poll(l.Deadline(), true, nil)
	}
	due := l.Deadline()
	l.ReceivedControl(due-50e6, wire.CtlOS{Type: wire.LLRInit, Seq: 9})
	if l.Deadline() != due {
		t.Errorf("due at %d, not at %d", l.Deadline(), due)
	}
}

func TestLinkSetProfileIsForBothMachines(t *testing.T) {
	p := profile()
	p.MaxOutstandingFrames = 1
	l := NewLink(p, 1, testNonce)
	p.MaxOutstandingFrames, p.CtlOSSpacingBytes = 500, 7
	l.SetProfile(p)
	if l.Tx.limits.frames != 500 || len(l.Tx.window.frames) != 512 || l.Rx.spacing != 7 {
		t.Errorf("%d frames in a ring of %d, spacing %d", l.Tx.limits.frames, len(l.Tx.window.frames), l.Rx.spacing)
	}
}

func TestCFUpdateIsNotLLRs(t *testing.T) {
	l := NewLink(profile(), 1, testNonce)
	l.ReceivedControl(0, wire.CtlOS{Type: wire.CFUpdate})
	if *l.Counters() != (Counters{}) {
		t.Errorf("%+v", l.Counters())
	}
}

func TestNothingIsSentOnALinkWithoutCarrier(t *testing.T) {
	l := NewLink(profile(), 1, testNonce)
	l.Rx.SetMode(true)
	l.Tx.SetMode(true, 0)
	l.ReceivedControl(0, wire.CtlOS{Type: wire.LLRInit, Seq: 9})
	l.Rx.Receive(9, wire.FCSGood, 60)
	l.Tx.SetCarrier(false, 0)
	if out := l.Poll(1e9, true, nil); len(out) != 0 || l.Deadline() != wire.Never {
		t.Errorf("it says %v, deadline %d", out, l.Deadline())
	}
	l.Tx.SetCarrier(true, 2e9)
	if out := l.Poll(2e9, true, nil); len(out) != 3 {
		t.Errorf("with the carrier back it says %v", out)
	}
}

func TestNames(t *testing.T) {
	for want, got := range map[string]interface{ String() string }{
		"OFF": TxOff, "INIT": TxInit, "ADVANCE": TxAdvance, "REPLAY": TxReplay, "FLUSH": TxFlush,
		"SEND_ACKS": RxSendAcks, "SEND_NACK": RxSendNack, "NACK_SENT": RxNackSent,
		"sequence": Sequence, "bare": Bare, "wait": Wait, "drop": Drop,
		"deliver": Deliver, "deliver poisoned": DeliverPoisoned, "ignore": Ignore,
	} {
		if got.String() != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if RxOff.String() != "OFF" || TxState(99).String() != "?" || RxState(99).String() != "?" ||
		Verdict(99).String() != "?" || RxVerdict(99).String() != "?" {
		t.Error("an unknown value has no name")
	}
}
