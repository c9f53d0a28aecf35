package llr

import (
	"testing"

	"uelink/wire"
)

// initialized is a receiver in SEND_ACKS that expects the number 100.
func initialized(t *testing.T) *Rx {
	t.Helper()
	r := NewRx(profile())
	r.SetMode(true)
	r.receivedInit(wire.CtlOS{Type: wire.LLRInit, Seq: 100, InitData: [2]byte{1, 1}}, false, 0, 0)
	if out := r.poll(0, true, nil); len(out) != 1 || out[0].Type != wire.LLRInitEcho {
		t.Fatalf("an LLR_INIT is answered by %v", out)
	}
	return r
}

// take passes frames of 100 octets to the receiver.
func take(r *Rx, fcs wire.FCS, numbers ...uint32) (v RxVerdict) {
	for _, seq := range numbers {
		v = r.Receive(seq, fcs, 100)
	}
	return v
}

func wantRx(t *testing.T, r *Rx, state RxState, next uint32) {
	t.Helper()
	if r.State() != state || r.NextSeq() != next {
		t.Fatalf("Rx is in %v and expects %d, not in %v, %d", r.State(), r.NextSeq(), state, next)
	}
}

// says polls and wants one control ordered set, or with typ 0 none.
func says(t *testing.T, r *Rx, idle bool, typ wire.CtlOSType, seq uint32) {
	t.Helper()
	out := r.poll(0, idle, nil)
	switch {
	case typ == 0 && len(out) == 0:
	case len(out) == 1 && out[0] == wire.CtlOS{Type: typ, Seq: seq}:
	default:
		t.Fatalf("it says %v, not %v %d", out, typ, seq)
	}
}

// spec 2.3, the table of verdicts on a frame; the receiver expects number 100.
func TestReceivedFrames(t *testing.T) {
	const half = 1 << 19
	for _, c := range []struct {
		name    string
		seq     uint32
		fcs     wire.FCS
		verdict RxVerdict
		state   RxState
		next    uint32
		count   Counters
	}{
		{"expected, good", 100, wire.FCSGood, Deliver, RxSendAcks, 101, Counters{RxOK: 1, RxExpectedSeqGood: 1}},
		{"expected, poisoned", 100, wire.FCSPoisoned, DeliverPoisoned, RxSendAcks, 101, Counters{RxPoisoned: 1, RxExpectedSeqPoisoned: 1}},
		{"expected, bad", 100, wire.FCSBad, Ignore, RxSendNack, 100, Counters{RxBad: 1, RxExpectedSeqBad: 1}},
		{"missing, good", 101, wire.FCSGood, Ignore, RxSendNack, 100, Counters{RxOK: 1, RxMissingSeq: 1}},
		{"missing, poisoned", 101, wire.FCSPoisoned, Ignore, RxSendNack, 100, Counters{RxPoisoned: 1, RxMissingSeq: 1}},
		{"missing, bad", 101, wire.FCSBad, Ignore, RxSendNack, 100, Counters{RxBad: 1, RxMissingSeq: 1}},
		{"missing, as far as can be", 100 + half - 1, wire.FCSGood, Ignore, RxSendNack, 100, Counters{RxOK: 1, RxMissingSeq: 1}},
		{"duplicate, good", 99, wire.FCSGood, Ignore, RxSendAcks, 100, Counters{RxOK: 1, RxDuplicateSeq: 1, RxReplay: 1}},
		{"duplicate, poisoned", 99, wire.FCSPoisoned, Ignore, RxSendAcks, 100, Counters{RxPoisoned: 1, RxDuplicateSeq: 1, RxReplay: 1}},
		{"duplicate, bad", 99, wire.FCSBad, Ignore, RxSendAcks, 100, Counters{RxBad: 1, RxDuplicateSeq: 1}},
		{"duplicate, as far as can be", 100 + half, wire.FCSGood, Ignore, RxSendAcks, 100, Counters{RxOK: 1, RxDuplicateSeq: 1, RxReplay: 1}},
		{"duplicate, before the wrap", wire.SeqMask, wire.FCSGood, Ignore, RxSendAcks, 100, Counters{RxOK: 1, RxDuplicateSeq: 1, RxReplay: 1}},
	} {
		r := initialized(t)
		*r.count = Counters{}
		if v := take(r, c.fcs, c.seq); v != c.verdict {
			t.Errorf("%s: %v, want %v", c.name, v, c.verdict)
		}
		wantRx(t, r, c.state, c.next)
		if *r.count != c.count {
			t.Errorf("%s: counted %+v", c.name, *r.count)
		}
	}
}

// SAI-LLR: "Sends a negative acknowledgement … includes the sequence number of the
// most recent successfully received LLR frame. Discards all subsequent received
// frames until a frame with the expected sequence number is received."
func TestNackCarriesTheLastGoodNumberOnceAndTheRestIsDiscarded(t *testing.T) {
	r := initialized(t)
	take(r, wire.FCSGood, 100, 101)
	take(r, wire.FCSGood, 103, 104)
	says(t, r, false, wire.LLRNack, 101)
	wantRx(t, r, RxNackSent, 102)
	for i, fcs := range []wire.FCS{wire.FCSGood, wire.FCSPoisoned, wire.FCSBad} {
		n := 105 + 10*uint32(i) // going back would be a replay that has lost the frame again
		if v := take(r, fcs, n, n+1, n+2, n+7); v != Ignore {
			t.Errorf("%v", v)
		}
		says(t, r, true, 0, 0)
	}
	take(r, wire.FCSBad, 103) // its number is not certain
	says(t, r, true, 0, 0)
	if v := take(r, wire.FCSGood, 102); v != Deliver {
		t.Errorf("the expected frame: %v", v)
	}
	wantRx(t, r, RxSendAcks, 103)
	says(t, r, true, wire.LLRAck, 102)
	take(r, wire.FCSGood, 104)
	says(t, r, true, wire.LLRNack, 102)
}

func TestExpectedButBadInNackSentIsAskedForAgain(t *testing.T) {
	r := initialized(t)
	take(r, wire.FCSBad, 100)
	says(t, r, true, wire.LLRNack, 99)
	take(r, wire.FCSBad, 100)
	says(t, r, true, wire.LLRNack, 99)
	says(t, r, true, 0, 0)
}

func TestPoisonedExpectedFrameEndsNackSent(t *testing.T) {
	r := initialized(t)
	take(r, wire.FCSBad, 100)
	says(t, r, true, wire.LLRNack, 99)
	if v := take(r, wire.FCSPoisoned, 100); v != DeliverPoisoned {
		t.Errorf("%v", v)
	}
	says(t, r, true, wire.LLRAck, 100)
}

func TestFrameExpectedBeforeTheNackIsSent(t *testing.T) {
	r := initialized(t)
	take(r, wire.FCSGood, 101, 100)
	wantRx(t, r, RxSendNack, 101)
	says(t, r, true, wire.LLRNack, 100)

	r = initialized(t)
	take(r, wire.FCSGood, 102, 100, 101, 102)
	wantRx(t, r, RxSendAcks, 103)
	says(t, r, true, wire.LLRAck, 102)

	r = initialized(t)
	take(r, wire.FCSBad, 100)
	take(r, wire.FCSGood, 100)
	says(t, r, true, wire.LLRAck, 100)

	r = initialized(t)
	take(r, wire.FCSBad, 100)
	take(r, wire.FCSGood, 100, 101)
	wantRx(t, r, RxSendAcks, 102)

	r = initialized(t)
	take(r, wire.FCSGood, 103)
	take(r, wire.FCSBad, 100)
	take(r, wire.FCSGood, 100)
	says(t, r, true, wire.LLRNack, 100)
}

// The departure from the seed that Rx.receivedDuplicate explains.
func TestDuplicateInNackSentIsAcknowledged(t *testing.T) {
	r := initialized(t)
	take(r, wire.FCSGood, 102)
	says(t, r, true, wire.LLRNack, 99)
	take(r, wire.FCSGood, 98, 99, 102)
	says(t, r, true, wire.LLRAck, 99)
	wantRx(t, r, RxNackSent, 100)
	says(t, r, true, 0, 0)
}

// SAI-LLR: LLR_RX_REPLAY, "Number of times that LLR Rx detected the start of a
// replay".
func TestReplayIsCountedAtItsStart(t *testing.T) {
	for _, c := range []struct {
		name   string
		frames []uint32 // received in order from 100, after 100 to 103 were
		nack   bool     // an LLR_NACK is sent before them
		want   uint64
	}{
		{"frames in order", []uint32{104, 105, 106}, false, 0},
		{"duplicates after frames in order", []uint32{102, 103}, false, 1},
		{"duplicates and then what follows", []uint32{102, 103, 104, 105}, false, 1},
		{"the same once more", []uint32{102, 103, 104, 103, 104, 105}, false, 2},
		{"three replays of all", []uint32{102, 103, 102, 103, 102, 103}, false, 3},
		{"one frame three times", []uint32{103, 103, 103}, false, 3},
		{"expected after LLR_NACK", []uint32{104, 105, 106}, true, 1},
		{"duplicate after LLR_NACK", []uint32{103, 104, 105}, true, 1},
		{"only missing ones after LLR_NACK", []uint32{107, 108}, true, 0},
	} {
		r := initialized(t)
		take(r, wire.FCSGood, 100, 101, 102, 103)
		if c.nack {
			take(r, wire.FCSGood, 106)
			says(t, r, true, wire.LLRNack, 103)
		}
		take(r, wire.FCSGood, c.frames...)
		if r.count.RxReplay != c.want {
			t.Errorf("%s: RX_REPLAY %d, want %d", c.name, r.count.RxReplay, c.want)
		}
	}
}

func TestFramesBeforeAnyInitAreDiscarded(t *testing.T) {
	r := NewRx(profile())
	for _, on := range []bool{false, true} {
		r.SetMode(on)
		*r.count = Counters{}
		for _, fcs := range []wire.FCS{wire.FCSGood, wire.FCSPoisoned, wire.FCSBad} {
			if v := take(r, fcs, 0); v != Ignore {
				t.Errorf("on %v: %v", on, v)
			}
		}
		says(t, r, true, 0, 0)
		if want := (Counters{RxOK: 1, RxPoisoned: 1, RxBad: 1, RxNotInitialized: 3}); *r.count != want {
			t.Errorf("on %v: counted %+v", on, *r.count)
		}
	}
}

// SAI-LLR: "Periodically sends acknowledgements", CTLOS_TARGET_SPACING "CtlOS
// spacing in bytes".
func TestAckCadence(t *testing.T) {
	r := initialized(t)
	r.SetProfile(Profile{CtlOSSpacingBytes: 250})
	take(r, wire.FCSGood, 100, 101)
	says(t, r, false, 0, 0)
	take(r, wire.FCSGood, 102)
	says(t, r, false, wire.LLRAck, 102)
	says(t, r, true, 0, 0)
	take(r, wire.FCSGood, 103)
	says(t, r, false, 0, 0)
	says(t, r, true, wire.LLRAck, 103)
	take(r, wire.FCSGood, 101, 102, 103)
	says(t, r, false, wire.LLRAck, 103)
	take(r, wire.FCSPoisoned, 104)
	says(t, r, true, wire.LLRAck, 104)
}

func TestOnlyForwardedFramesAreAcknowledged(t *testing.T) {
	r := NewRx(profile())
	r.KeepFrames()
	r.SetMode(true)
	r.receivedInit(wire.CtlOS{Type: wire.LLRInit, Seq: 100, InitData: [2]byte{1, 1}}, false, 0, 0)
	r.poll(0, true, nil) // LLR_INIT_ECHO
	take(r, wire.FCSGood, 100, 101)
	says(t, r, true, 0, 0)
	if at := r.deadline(); at != wire.Never {
		t.Errorf("nothing was forwarded, and it wants to be polled at %v", at)
	}
	r.Forwarded()
	take(r, wire.FCSGood, 102)
	says(t, r, true, wire.LLRAck, 101)
	if !r.OwesAck() {
		t.Error("frame 102 is not forgotten")
	}
	says(t, r, true, 0, 0)
	take(r, wire.FCSGood, 101) // a duplicate: its LLR_ACK was lost
	says(t, r, true, wire.LLRAck, 101)
	says(t, r, true, 0, 0)
	r.Forwarded()
	says(t, r, true, wire.LLRAck, 102)
	if r.OwesAck() {
		t.Error("an LLR_ACK is owed for nothing")
	}
	take(r, wire.FCSGood, 103, 105)
	says(t, r, true, wire.LLRNack, 103) // the caller has forwarded 103 before
	take(r, wire.FCSGood, 104)
	says(t, r, true, 0, 0) // and no LLR_ACK goes back behind the LLR_NACK
}

func TestAckIsNotHeldBackForLong(t *testing.T) {
	r := initialized(t)
	take(r, wire.FCSGood, 100)
	if d := r.deadline(); d != 0 {
		t.Errorf("deadline %d: something is owed that no poll has seen", d)
	}
	if out := r.poll(1000, false, nil); len(out) != 0 {
		t.Fatalf("sends %v", out)
	}
	if d := r.deadline(); d != wire.Time(1000+ackDelayMax) {
		t.Errorf("deadline %d", d)
	}
	take(r, wire.FCSGood, 101)
	if out := r.poll(wire.Time(999+ackDelayMax), false, nil); len(out) != 0 {
		t.Fatalf("sends %v", out)
	}
	if out := r.poll(wire.Time(1000+ackDelayMax), false, nil); len(out) != 1 || out[0].Seq != 101 {
		t.Fatalf("sends %v", out)
	}
	if d := r.deadline(); d != wire.Never {
		t.Errorf("deadline %d with nothing owed", d)
	}
}

func TestNumbersWrap(t *testing.T) {
	r := NewRx(profile())
	r.SetMode(true)
	r.receivedInit(wire.CtlOS{Seq: wire.SeqMask}, false, 0, 0)
	r.poll(0, true, nil)
	if v := take(r, wire.FCSGood, wire.SeqMask, 0); v != Deliver {
		t.Errorf("%v", v)
	}
	says(t, r, true, wire.LLRAck, 0)
	take(r, wire.FCSGood, wire.SeqMask)
	take(r, wire.FCSGood, 2)
	says(t, r, true, wire.LLRNack, 0)
	if r.count.RxDuplicateSeq != 1 || r.count.RxMissingSeq != 1 {
		t.Errorf("%+v", r.count)
	}
	r = NewRx(profile())
	r.SetMode(true)
	r.receivedInit(wire.CtlOS{Seq: 0}, false, 0, 0)
	r.poll(0, true, nil)
	take(r, wire.FCSBad, 0)
	says(t, r, true, wire.LLRNack, wire.SeqMask)
}

func TestRxModeOffForgets(t *testing.T) {
	r := initialized(t)
	take(r, wire.FCSGood, 100, 102)
	r.receivedInit(wire.CtlOS{Seq: 300, InitData: [2]byte{1, 1}}, false, 0, 0)
	take(r, wire.FCSGood, 300)
	r.SetMode(false)
	says(t, r, true, 0, 0)
	if d := r.deadline(); d != wire.Never {
		t.Errorf("deadline %d", d)
	}
	r.SetMode(true)
	if v := take(r, wire.FCSGood, 301); v != Ignore {
		t.Errorf("%v without an LLR_INIT", v)
	}
	says(t, r, true, 0, 0)
}
