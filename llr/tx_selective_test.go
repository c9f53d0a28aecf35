package llr

import (
	"slices"
	"testing"
	"time"

	"uelink/wire"
)

// loop is the loop time of the wire in these tests.
const loop = 20_000

// selecting returns a transmitter in ADVANCE at 100 whose partner keeps 16 frames behind a gap; the loop time is known.
func selecting(t *testing.T) *Tx {
	t.Helper()
	p := profile()
	p.Replay = Auto
	tx := NewTx(p, 100, testNonce)
	tx.sel.offer = 4
	tx.SetMode(true, 0)
	tx.poll(0, nil)
	tx.receivedInitEcho(wire.CtlOS{Type: wire.LLRInitEcho, Seq: 100, InitData: testNonce}, false, loop)
	wantTx(t, tx, TxAdvance)
	return tx
}

// report passes a report to the transmitter.
func report(tx *Tx, now wire.Time, acked, last, high uint32, missing ...gap) {
	frame := []wire.CtlOS{{Type: wire.LLRAck, Seq: acked}, wire.Gap(wire.GapArrived, last, high)}
	frame = appendMissing(frame, missing)
	tx.receivedReport(acked, frame, now)
}

// wantReplayed compares what the transmitter posts again, and its state afterwards.
func wantReplayed(t *testing.T, tx *Tx, what string, slots ...uint32) {
	t.Helper()
	if got := replayed(tx); !slices.Equal(got, slots) {
		t.Errorf("%s: slots %v, want %v", what, got, slots)
	}
	wantTx(t, tx, TxAdvance)
}

// Only the lost frames are sent again, each once, and not before more than reorderMost later ones have arrived.
func TestOnlyLostFramesAreSentAgain(t *testing.T) {
	tx := selecting(t)
	push(t, tx, 10, loop)
	report(tx, 2*loop, 100, 104, 105, gap{101, 103})
	wantReplayed(t, tx, "101 may have been overtaken by 103 and 104")
	report(tx, 2*loop, 100, 106, 107, gap{101, 103})
	wantReplayed(t, tx, "106 has arrived", 1, 2)
	report(tx, 2*loop+100, 100, 109, 110, gap{101, 103})
	wantReplayed(t, tx, "the copies are under way")
	report(tx, 3*loop+100, 109, 102, 110)
	wantReplayed(t, tx, "all has arrived")
	if n := tx.count; n.TxSelected != 2 || n.TxReplay != 1 || n.TxOK != 12 {
		t.Errorf("%+v", *n)
	}
	if n, _ := tx.Outstanding(); n != 0 {
		t.Errorf("%d outstanding", n)
	}
}

// A copy that is lost, too, is sent again once frames sent after it have arrived.
func TestCopyThatIsLostIsSentAgain(t *testing.T) {
	tx := selecting(t)
	push(t, tx, 6, loop)
	report(tx, 2*loop, 99, 105, 106, gap{100, 101})
	wantReplayed(t, tx, "the first time", 0)
	push(t, tx, 5, 2*loop+1)
	report(tx, 3*loop, 99, 109, 110, gap{100, 101})
	wantReplayed(t, tx, "after four later frames", 0)
	report(tx, 3*loop, 99, 110, 111, gap{100, 101})
	wantReplayed(t, tx, "the third copy is under way")
}

// An answer sooner than a loop time after a copy is that of the sending before: it shows no later frame to be lost.
func TestEarlyAnswerIsOfTheSendingBefore(t *testing.T) {
	tx := selecting(t)
	push(t, tx, 6, loop)
	report(tx, 2*loop, 99, 105, 106, gap{100, 101})
	wantReplayed(t, tx, "lost", 0)
	push(t, tx, 5, 2*loop+1)
	report(tx, 2*loop+5000, 99, 100, 106, gap{101, 102})
	wantReplayed(t, tx, "100 was only late", 1)
	report(tx, 2*loop+5000, 99, 109, 110, gap{102, 103})
	wantReplayed(t, tx, "109 was sent after 102", 2)
}

// A frame that arrived damaged is lost at once.
func TestDamagedFrameIsSentAgainAtOnce(t *testing.T) {
	tx := selecting(t)
	push(t, tx, 3, loop)
	report(tx, 2*loop, 99, 100, 101, gap{100, 101})
	wantReplayed(t, tx, "damaged", 0)
}

// What was sent before a frame that has arrived, and lies after the highest, is lost as well.
func TestFramesAfterTheHighestAreLost(t *testing.T) {
	tx := selecting(t)
	push(t, tx, 10, loop)
	report(tx, 2*loop, 99, 103, 104, gap{100, 101})
	wantReplayed(t, tx, "too few have arrived")
	report(tx, 2*loop, 99, 104, 105, gap{100, 101})
	wantReplayed(t, tx, "100", 0)
	report(tx, 3*loop+1, 104, 100, 105)
	wantReplayed(t, tx, "105 to 109 were sent before the copy of 100", 5, 6)
}

// A report that is older than another, forged ranges, and those that run backwards change nothing.
func TestReportsThatDoNotFit(t *testing.T) {
	tx := selecting(t)
	push(t, tx, 10, loop)
	report(tx, 2*loop, 99, 109, 110)
	for name, r := range map[string]struct {
		acked, last, high uint32
		missing           []gap
	}{
		"older":          {99, 105, 106, []gap{{101, 102}}},
		"outside":        {99, 109, 110, []gap{{90, 102}, {105, 111}, {1 << 18, 1<<18 + 1}}},
		"backwards":      {99, 109, 110, []gap{{105, 101}}},
		"high outside":   {99, 109, 111, []gap{{101, 102}}},
		"another window": {500, 109, 110, []gap{{101, 102}}},
	} {
		report(tx, 2*loop, r.acked, r.last, r.high, r.missing...)
		wantReplayed(t, tx, name)
	}
	report(tx, 2*loop, 99, 109, 110, gap{100, 106}, gap{102, 104}, gap{100, 106})
	wantReplayed(t, tx, "overlapping", 0, 1, 2, 3, 4, 5)
}

// The last frame is sent again, once, if no acknowledgement comes in the usual time. The answer shows what is missing,
// though few later frames have arrived.
func TestLastFrameIsProbed(t *testing.T) {
	tx := selecting(t)
	push(t, tx, 3, loop)
	at := wire.Time(loop + loop + loop/2).Add(ackMargin)
	if d := tx.deadline(); d != at {
		t.Fatalf("probed at %d, want %d", d, at)
	}
	tx.poll(at, nil)
	wantReplayed(t, tx, "the probe", 2)
	if d := tx.deadline(); d <= at+loop || tx.count.TxTailProbe != 1 || tx.count.TxReplay != 0 {
		t.Errorf("deadline %d, %d probes", d, tx.count.TxTailProbe)
	}
	report(tx, at+loop, 100, 102, 103, gap{101, 102})
	wantReplayed(t, tx, "the frame before the last", 1)
}

// One of the last frames before a pause is missing: too few were sent after it to judge it by its report, and no later
// report comes. It is sent again, once, when it is overdue: before the probe, and long before the replay timer.
func TestGapBeforeAPauseIsRepairedWhenOverdue(t *testing.T) {
	tx := selecting(t)
	push(t, tx, 3, loop)
	report(tx, 2*loop, 99, 102, 102, gap{100, 102}) // 100 and 101 are missing
	if tx.Replaying() {
		t.Fatal("a frame that may have been overtaken is sent again at once")
	}
	at := tx.gapAt()
	if probe := tx.probeAt(); at >= probe || probe >= tx.replayAt() || tx.deadline() != at {
		t.Fatalf("the gap is repaired at %d, the last frame probed at %d, the timer ends at %d", at, probe, tx.replayAt())
	}
	tx.poll(at-1, nil)
	wantReplayed(t, tx, "too early")
	tx.poll(at, nil)
	wantReplayed(t, tx, "the oldest", 0)
	if tx.gapAt() != wire.Never {
		t.Error("the copy would be sent again without an answer")
	}
	report(tx, at+loop, 100, 100, 102, gap{101, 102})
	wantReplayed(t, tx, "the other one, by the answer", 1)
}

// When the replay timer expires, the oldest frame asks for the partner's report. Without an answer LLR flushes.
func TestOldestFrameAsksWhenTheTimerExpires(t *testing.T) {
	tx := selecting(t)
	push(t, tx, 3, loop)
	now := wire.Time(loop)
	asked := 0
	for tx.State() == TxAdvance && now < wire.Time(time.Second) {
		now = max(now+1, tx.deadline())
		tx.poll(now, nil)
		for _, slot := range replayed(tx) {
			if slot == 0 {
				asked++
			}
		}
	}
	if tx.State() != TxFlush || asked != 3 {
		t.Errorf("%v after %d times", tx.State(), asked)
	}
}

// A window larger than what the partner keeps is not used.
func TestWindowFitsWhatThePartnerKeeps(t *testing.T) {
	tx := selecting(t)
	p := profile()
	p.Replay, p.MaxOutstandingFrames = Auto, 64
	tx.SetProfile(p)
	push(t, tx, 16, loop)
	if v := tx.Admit(100); v != Wait {
		t.Errorf("frame 17: %v", v)
	}
	if n, _ := tx.Limits(); n != 16 {
		t.Errorf("the window is %d", n)
	}
}

// A partner that keeps nothing, and a window that is too large, get go-back-N.
func TestGoBackNWhereAnEndCannotSelect(t *testing.T) {
	for _, c := range []struct {
		kind   ReplayKind
		window int
		offer  uint8
		want   bool
	}{
		{Auto, 16, 4, true}, {Selective, 16, 18, true}, {Auto, 0, 4, true}, {Auto, 1, 1, true},
		{GoBackN, 16, 4, false}, {Auto, 16, 0, false}, {Auto, SelectiveFramesMax, 4, true},
		{Auto, SelectiveFramesMax + 1, 4, false}, {Selective, SelectiveFramesMax + 1, 4, false},
	} {
		p := profile()
		p.Replay, p.MaxOutstandingFrames = c.kind, c.window
		tx := NewTx(p, 100, testNonce)
		tx.SetMode(true, 0)
		tx.sel.offer = c.offer
		handshakeDone(t, tx, 0)
		if tx.sel.on != c.want {
			t.Errorf("%+v: selective %v", c, tx.sel.on)
		}
		if keeps := p.Keeps(); keeps > wire.KeepsMost || keeps > 0 && p.ReplaySlots() > 1<<keeps {
			t.Errorf("%+v: keeps 2^%d", c, keeps)
		}
	}
}

// A partner that acknowledges frames without a report goes back N, whatever it said before: the replay timer has all
// frames sent again, not the oldest alone, until the next LLR_INIT.
func TestAckWithoutReportIsGoBackN(t *testing.T) {
	tx := selecting(t)
	push(t, tx, 10, loop)
	nack := func(seq uint32) {
		frame := []wire.CtlOS{{Type: wire.LLRNack, Seq: seq}}
		if tx.receivedReport(seq, frame, 2*loop) {
			t.Fatal("a report")
		}
		tx.receivedNack(seq, wire.Received{}, 2*loop)
	}
	report(tx, 2*loop, 99, 109, 110, gap{100, 102})
	nack(99)
	if tx.Replays() != Selective {
		t.Error("go-back-N after an LLR_NACK that acknowledges nothing")
	}
	nack(100)
	if tx.Replays() != GoBackN {
		t.Error("selective replay without reports")
	}
	if got := replayed(tx); !slices.Equal(got, []uint32{1, 2, 3, 4, 5, 6, 7, 8}) { // reachLeast of them at once
		t.Errorf("slots %v are sent again", got)
	}
	tx.Reinit(3 * loop)
	tx.poll(3*loop, nil)
	tx.receivedInitEcho(wire.CtlOS{Type: wire.LLRInitEcho, Seq: tx.hello.seq, InitData: testNonce}, false, 4*loop)
	if tx.Replays() != Selective {
		t.Error("go-back-N after the next LLR_INIT")
	}
}

// A partner acknowledges later what it has received in order and not passed on yet: nothing is missing.
func TestHeldBackFramesAreNoGap(t *testing.T) {
	tx := selecting(t)
	push(t, tx, 3, loop)
	report(tx, 2*loop, 99, 102, 103)
	if at := tx.gapAt(); at != wire.Never {
		t.Errorf("a gap is repaired at %d", at)
	}
}

// A partner that is back in the middle of a repair: the repair ends, or no hand-over would take the state that has one
// in INIT; all outstanding frames are sent again after the handshake.
func TestRepairEndsWhenThePartnerIsBack(t *testing.T) {
	tx := selecting(t)
	push(t, tx, 10, loop)
	report(tx, 2*loop, 100, 106, 107, gap{101, 103})
	if !tx.sel.posting || len(tx.sel.waiting(tx.window.first)) != 2 {
		t.Fatalf("no repair is under way: %v", tx.sel.waiting(tx.window.first))
	}
	if !tx.partnerResumed(Bookmark{Origin: 100, Next: 101}, 3*loop) {
		t.Fatal("the bookmark does not fit")
	}
	if wantTx(t, tx, TxInit); tx.sel.posting || len(tx.sel.waiting(tx.window.first)) != 0 {
		t.Errorf("a repair of %v in INIT", tx.sel.waiting(tx.window.first))
	}
	tx.poll(3*loop, nil)
	tx.receivedInitEcho(wire.CtlOS{Type: wire.LLRInitEcho, Seq: 101, InitData: testNonce}, true, 4*loop)
	wantReplayed(t, tx, "what the predecessor has not accepted", 1, 2, 3, 4, 5, 6, 7, 8, 9)
}
