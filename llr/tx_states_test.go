package llr

import (
	"testing"

	"uelink/wire"
)

func TestNothingIsSentWithoutCarrier(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 2, 0)
	tx.receivedNack(99, wire.Received{}, 0)
	tx.SetCarrier(false, 0)
	if _, ok := tx.Replay(); ok || tx.Replaying() {
		t.Error("a frame is replayed")
	}
	wantTx(t, tx, TxReplay)
	tx.SetCarrier(true, 10)
	tx.Replay()
	tx.SetCarrier(false, 11)
	tx.SetCarrier(true, 12)
	wantSlots(t, "replayed, from the first again,", replayed(tx), 0, 1)
	tx.SetCarrier(false, 20)
	if v := tx.Admit(100); v != Wait {
		t.Errorf("a new frame: %v", v)
	}
	tx.Reinit(30)
	if out := tx.poll(40, nil); len(out) != 0 {
		t.Errorf("sends %v", out)
	}
	tx.SetCarrier(true, 50)
	if out := tx.poll(50, nil); len(out) != 1 {
		t.Errorf("sends %v when the carrier is back", out)
	}
	tx.SetCarrier(false, 60)
	tx.SetCarrier(true, 70)
	if out := tx.poll(70, nil); len(out) != 1 {
		t.Errorf("sends %v when the carrier is back again: the LLR_INIT before may be lost", out)
	}
}

// SAI-LLR, Frame Action Types: "Drop frames", "Block transmission", "Treat as
// regular packets".
func TestFrameActions(t *testing.T) {
	for _, c := range []struct {
		action  FrameAction
		want    Verdict
		discard uint64
	}{{Discard, Drop, 1}, {Block, Wait, 0}, {BestEffort, Bare, 0}} {
		p := profile()
		p.InitAction, p.FlushAction, p.MaxReplayCount = c.action, Block, 0
		tx := NewTx(p, 100, testNonce)
		if v := tx.Admit(100); v != Bare {
			t.Errorf("OFF: %v", v)
		}
		tx.SetMode(true, 0)
		if v := tx.Admit(100); v != c.want || tx.count.TxDiscard != c.discard {
			t.Errorf("INIT, action %d: %v, TX_DISCARD %d", c.action, v, tx.count.TxDiscard)
		}
		p.InitAction, p.FlushAction = Block, c.action
		tx = advanced(t, p)
		push(t, tx, 1, 0)
		tx.poll(1_000_000, nil)
		wantTx(t, tx, TxFlush)
		if v := tx.Admit(100); v != c.want || tx.count.TxDiscard != c.discard {
			t.Errorf("FLUSH, action %d: %v, TX_DISCARD %d", c.action, v, tx.count.TxDiscard)
		}
	}
}

// SAI-LLR: in FLUSH, "Reinitialize LLR automatically if RE_INIT_ON_FLUSH is set to
// true, OR wait for management plane intervention".
func TestFlushReinitializesIfToldAndElseWaits(t *testing.T) {
	p := profile()
	p.MaxReplayCount = 0
	tx := advanced(t, p)
	push(t, tx, 2, 0)
	tx.poll(1_000_000, nil)
	wantTx(t, tx, TxFlush)
	wantSlots(t, "freed", freed(tx), 0, 1)
	if out := tx.poll(900_000_000, nil); len(out) != 0 {
		t.Fatalf("in FLUSH it sends %v", out)
	}
	tx.Reinit(900_000_000)
	wantTx(t, tx, TxInit)
	if tx.FlushReason() != "" {
		t.Errorf("reason %q after the command", tx.FlushReason())
	}
	handshakeDone(t, tx, 900_000_000)

	p.ReInitOnFlush = true
	tx = advanced(t, p)
	push(t, tx, 2, 0)
	if out := tx.poll(1_000_000, nil); len(out) != 1 || out[0].Seq != 102 {
		t.Fatalf("with RE_INIT_ON_FLUSH it sends %v", out)
	}
	if tx.count.TxFlush != 1 || tx.FlushReason() != "replay count" {
		t.Errorf("TxFlush %d, reason %q", tx.count.TxFlush, tx.FlushReason())
	}
}

func TestModeOffFreesEverything(t *testing.T) {
	for _, state := range []TxState{TxInit, TxAdvance, TxReplay, TxFlush} {
		p := profile()
		p.MaxReplayCount = 0
		tx := advanced(t, p)
		push(t, tx, 3, 0)
		switch state {
		case TxInit:
			tx.Reinit(0)
		case TxReplay:
			tx.receivedNack(99, wire.Received{}, 0)
		case TxFlush:
			tx.poll(1_000_000, nil)
		case TxOff, TxAdvance:
		}
		wantTx(t, tx, state)
		tx.SetMode(false, 2_000_000)
		wantTx(t, tx, TxOff)
		wantSlots(t, "freed", freed(tx), 0, 1, 2)
		if tx.count.TxFlushedFrames != 3 {
			t.Errorf("from %v: %d frames flushed", state, tx.count.TxFlushedFrames)
		}
		if v := tx.Admit(100); v != Bare {
			t.Errorf("OFF: %v", v)
		}
		tx.Reinit(0)
		wantTx(t, tx, TxOff)
	}
}

func TestControlIsIgnoredInOffInitAndFlush(t *testing.T) {
	p := profile()
	p.MaxReplayCount = 0
	for _, state := range []TxState{TxOff, TxInit, TxFlush} {
		tx := advanced(t, p)
		switch state {
		case TxOff:
			tx.SetMode(false, 0)
		case TxInit:
			tx.Reinit(0)
		case TxFlush:
			push(t, tx, 1, 0)
			tx.poll(1_000_000, nil)
		case TxAdvance, TxReplay:
		}
		for seq := range uint32(200) {
			tx.receivedAck(seq, 0)
			tx.receivedNack(seq, wire.Received{}, 0)
		}
		wantTx(t, tx, state)
		if tx.count.RxAckNackSeqError != 0 {
			t.Errorf("%v: counted as errors", state)
		}
	}
}

func TestPartnerRestartDropsTheBufferAndBeginsAgain(t *testing.T) {
	for _, state := range []TxState{TxInit, TxAdvance, TxReplay, TxFlush} {
		p := profile()
		p.MaxReplayCount = 0
		tx := advanced(t, p)
		push(t, tx, 2, 0)
		switch state {
		case TxInit:
			tx.Reinit(0)
			tx.poll(0, nil)
		case TxReplay:
			tx.receivedNack(99, wire.Received{}, 0)
		case TxFlush:
			tx.poll(1_000_000, nil)
		case TxOff, TxAdvance:
		}
		wantTx(t, tx, state)
		before := tx.hello.seq
		tx.partnerRestarted(nil, 2_000_000)
		if state == TxFlush { // RE_INIT_ON_FLUSH is false: only the management plane leads out
			wantTx(t, tx, TxFlush)
			continue
		}
		wantTx(t, tx, TxInit)
		if out := tx.poll(2_000_000, nil); len(out) != 1 || out[0].Seq == before {
			t.Errorf("from %v: it sends %v", state, out)
		}
	}
	tx := NewTx(profile(), 1, testNonce)
	tx.partnerRestarted(nil, 0)
	wantTx(t, tx, TxOff)
}
