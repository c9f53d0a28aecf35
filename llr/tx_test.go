package llr

import (
	"math"
	"testing"
	"time"

	"uelink/wire"
)

var testNonce = [2]byte{0xA, 1}

// advanced is a transmitter in ADVANCE whose first frame has the number 100.
func advanced(t *testing.T, p Profile) *Tx {
	t.Helper()
	tx := NewTx(p, 100, testNonce)
	tx.SetMode(true, 0)
	handshakeDone(t, tx, 0)
	return tx
}

// handshakeDone has a transmitter send its LLR_INIT and hear the echo.
func handshakeDone(t *testing.T, tx *Tx, now int64) {
	t.Helper()
	out := tx.poll(now, nil)
	if len(out) != 1 || out[0].Type != wire.LLRInit {
		t.Fatalf("in %v poll gave %v, not an LLR_INIT", tx.State(), out)
	}
	tx.echo(out[0], now)
	wantTx(t, tx, TxAdvance)
}

func wantTx(t *testing.T, tx *Tx, state TxState) {
	t.Helper()
	if tx.State() != state {
		t.Fatalf("Tx is in %v, not in %v", tx.State(), state)
	}
}

// push sends n frames of 100 octets at now, in slots from 0.
func push(t *testing.T, tx *Tx, n int, now int64) {
	t.Helper()
	for slot := range uint32(n) {
		if v := tx.Admit(100); v != Sequence {
			t.Fatalf("frame %d: %v", slot, v)
		}
		tx.Push(slot, 100, false, now)
	}
}

// replayed takes all that is to be posted again.
func replayed(tx *Tx) (slots []uint32) {
	for tx.Replaying() {
		slot, _ := tx.Replay()
		slots = append(slots, slot)
	}
	return slots
}

// freed takes all slots that are given back.
func freed(tx *Tx) (slots []uint32) {
	for {
		slot, ok := tx.Free()
		if !ok {
			return slots
		}
		slots = append(slots, slot)
	}
}

func wantSlots(t *testing.T, what string, got []uint32, want ...uint32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: %v, want %v", what, got, want)
		}
	}
}

// seed 001: "Each frame is assigned a sequence number … incremented by 1 for each
// subsequent frame."
func TestSequenceNumberIsIncrementedByOneForEachFrame(t *testing.T) {
	tx := NewTx(profile(), wire.SeqMask-1, testNonce)
	tx.SetMode(true, 0)
	handshakeDone(t, tx, 0)
	for i, want := range []uint32{wire.SeqMask - 1, wire.SeqMask, 0, 1} {
		if next := tx.NextSeq(); next != want {
			t.Errorf("frame %d: NextSeq %d, want %d", i, next, want)
		}
		if seq := tx.Push(uint32(i), 100, false, 0); seq != want {
			t.Errorf("frame %d: number %d, want %d", i, seq, want)
		}
	}
}

// seed 001: "All frames up to the sequence number in the LLR_ACK are removed from
// the replay buffer, freeing up space."
func TestAckRemovesAllFramesUpToItsNumber(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 5, 0)
	tx.ack(102, 0)
	wantSlots(t, "freed", freed(tx), 0, 1, 2)
	if n, octets := tx.Outstanding(); n != 2 || octets != 200 {
		t.Errorf("outstanding %d frames, %d octets", n, octets)
	}
}

// seed 001: "If an ACK is lost, the next received ACK will free up all frames".
func TestAckIsCumulative(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 5, 0)
	tx.ack(104, 0)
	wantSlots(t, "freed", freed(tx), 0, 1, 2, 3, 4)
}

// spec 2.2: valid iff (ack_nack_seq - acked_seq) mod 2^20 <= outstanding_seq.
func TestAckOrNackOutsideTheWindowIsCountedAndIgnored(t *testing.T) {
	for _, c := range []struct {
		seq   uint32
		valid bool
		left  int
	}{{98, false, 3}, {99, true, 3}, {100, true, 2}, {102, true, 0}, {103, false, 3}, {99 + 1<<19, false, 3}, {0, false, 3}} {
		for _, input := range []func(*Tx, uint32, int64){(*Tx).ack, (*Tx).nack} {
			tx := advanced(t, profile())
			push(t, tx, 3, 0)
			input(tx, c.seq, 0)
			if n, _ := tx.Outstanding(); n != c.left {
				t.Errorf("number %d: %d outstanding, want %d", c.seq, n, c.left)
			}
			if valid := tx.count.RxAckNackSeqError == 0; valid != c.valid {
				t.Errorf("number %d: valid %v, want %v", c.seq, valid, c.valid)
			}
		}
	}
}

// seed 001: "Retransmits those frames from the replay buffer whose sequence number
// is greater than the sequence number in the LLR_NACK."
func TestNackReplaysTheFramesGreaterThanItsNumber(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 5, 0)
	tx.nack(101, 0)
	wantTx(t, tx, TxReplay)
	if v := tx.Admit(100); v != Wait {
		t.Errorf("a new frame in REPLAY: %v", v)
	}
	wantSlots(t, "replayed", replayed(tx), 2, 3, 4)
	wantTx(t, tx, TxAdvance)
	wantSlots(t, "freed", freed(tx), 0, 1)
	if tx.count.TxReplay != 1 || tx.count.TxOK != 8 {
		t.Errorf("TX_REPLAY %d, TX_OK %d", tx.count.TxReplay, tx.count.TxOK)
	}
}

func TestNackOfEverythingReplaysNothing(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 2, 0)
	tx.nack(101, 0)
	wantTx(t, tx, TxAdvance)
	tx.nack(101, 0)
	wantTx(t, tx, TxAdvance)
	if tx.count.TxReplay != 0 {
		t.Errorf("TX_REPLAY %d", tx.count.TxReplay)
	}
}

func TestNackDuringReplayBeginsItAnew(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 5, 0)
	tx.nack(99, 0)
	tx.Replay()
	tx.Replay()
	tx.Replay()
	tx.nack(100, 0)
	wantSlots(t, "replayed", replayed(tx), 1, 2, 3, 4)
	if tx.count.TxReplay != 1 {
		t.Errorf("TX_REPLAY %d: one was given up", tx.count.TxReplay)
	}
}

func TestAckDuringReplaySkipsWhatItAcknowledges(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 5, 0)
	tx.nack(99, 0)
	tx.Replay()
	tx.ack(102, 0)
	wantSlots(t, "replayed", replayed(tx), 3, 4)

	tx.nack(102, 0)
	tx.ack(104, 0)
	wantTx(t, tx, TxAdvance)
	if tx.count.TxReplay != 2 {
		t.Errorf("TX_REPLAY %d", tx.count.TxReplay)
	}
}

func TestAckBehindTheReplayDoesNotHoldItBack(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 5, 0)
	tx.nack(99, 0)
	for range 3 {
		tx.Replay()
	}
	tx.ack(100, 0)
	wantSlots(t, "replayed", replayed(tx), 3, 4)
}

// seed 001: "Replay is initiated when the replay timer expires … Retransmits all
// frames from the replay buffer."
func TestReplayTimerRetransmitsAllFrames(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 3, 1000)
	at := int64(1000) + int64(time.Millisecond)
	if d := tx.deadline(); d != at {
		t.Fatalf("deadline %d, want %d", d, at)
	}
	tx.poll(at-1, nil)
	wantTx(t, tx, TxAdvance)
	tx.poll(at, nil)
	wantSlots(t, "replayed", replayed(tx), 0, 1, 2)
}

func TestReplayTimerRunsOnlyWhileFramesAreOutstanding(t *testing.T) {
	tx := advanced(t, profile())
	if d := tx.deadline(); d != math.MaxInt64 {
		t.Fatalf("deadline %d with nothing outstanding", d)
	}
	push(t, tx, 1, 0)
	tx.ack(100, 10)
	if d := tx.deadline(); d != math.MaxInt64 {
		t.Fatalf("deadline %d with everything acknowledged", d)
	}
}

func TestReplayTimerRestartsOnProgress(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 3, 0)
	tx.ack(99, 500_000)
	if d := tx.deadline(); d != 1_000_000 {
		t.Errorf("an LLR_ACK without progress moved the deadline to %d", d)
	}
	tx.ack(100, 500_000)
	if d := tx.deadline(); d != 1_500_000 {
		t.Errorf("deadline %d after progress", d)
	}
}

func TestReplayTimerRestartsWhenTheReplayIsDone(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 2, 0)
	tx.poll(1_000_000, nil)
	if d := tx.deadline(); d != math.MaxInt64 {
		t.Errorf("deadline %d during a replay", d)
	}
	tx.Replay()
	tx.poll(4_000_000, nil)
	tx.Replay()
	wantTx(t, tx, TxAdvance)
	if d := tx.deadline(); d != 5_000_000 {
		t.Errorf("deadline %d after a replay", d)
	}
	tx.poll(4_700_000, nil)
	if d := tx.deadline(); d != 5_700_000 {
		t.Errorf("deadline %d: the timer starts at the first poll after the replay", d)
	}
}

// seed 001: FLUSH when "the number of replay attempts exceeds a configured maximum
// value (REPLAY_COUNT_MAX)".
func TestReplayCountLimitsTimedReplaysWithoutProgress(t *testing.T) {
	for _, limit := range []uint8{0, 1, 3, 254} {
		p := profile()
		p.MaxReplayCount = limit
		tx := advanced(t, p)
		push(t, tx, 2, 0)
		now := int64(0)
		for range int(limit) {
			now += 2_000_000
			tx.poll(now, nil)
			wantSlots(t, "replayed", replayed(tx), 0, 1)
			tx.poll(now, nil)
		}
		tx.poll(now+2_000_000, nil)
		wantTx(t, tx, TxFlush)
		if tx.FlushReason() != "replay count" || tx.count.TxReplay != uint64(limit) || tx.count.TxFlushedFrames != 2 {
			t.Errorf("limit %d: %q, %+v", limit, tx.FlushReason(), tx.count)
		}
	}
}

func TestReplayCount255IsNoLimit(t *testing.T) {
	p := profile()
	p.MaxReplayCount = NoReplayLimit
	tx := advanced(t, p)
	push(t, tx, 1, 0)
	for i := range int64(1000) {
		tx.poll((i+1)*2_000_000, nil)
		wantSlots(t, "replayed", replayed(tx), 0)
		tx.poll((i+1)*2_000_000, nil)
	}
}

func TestReplayCountIsResetByProgress(t *testing.T) {
	p := profile()
	p.MaxReplayCount = 1
	tx := advanced(t, p)
	push(t, tx, 3, 0)
	for i := range uint32(3) {
		now := int64(i+1) * 4_000_000
		tx.poll(now, nil)
		wantTx(t, tx, TxReplay)
		replayed(tx)
		tx.ack(100+i, now)
		tx.poll(now, nil)
	}
}

func TestReplaysByNackAreNotCountedAsAttempts(t *testing.T) {
	p := profile()
	p.MaxReplayCount = 1
	tx := advanced(t, p)
	push(t, tx, 2, 0)
	for range 10 {
		tx.nack(99, 0)
		replayed(tx)
	}
	tx.poll(1, nil)
	tx.poll(2_000_000, nil)
	wantTx(t, tx, TxReplay)
}

// seed 001: FLUSH when "data remains in the replay buffer for too long without
// receiving a successful LLR_ACK (DATA_AGE_TIMEOUT)".
func TestDataAgeFlushes(t *testing.T) {
	p := profile()
	p.DataAgeTimeout = 500 * time.Microsecond
	tx := advanced(t, p)
	push(t, tx, 2, 100)
	tx.Push(2, 100, false, 900)
	tx.ack(101, 1000)
	if d := tx.deadline(); d != 500_900 {
		t.Fatalf("deadline %d: the oldest frame counts", d)
	}
	tx.poll(500_900, nil)
	wantTx(t, tx, TxFlush)
	if tx.FlushReason() != "data age" {
		t.Errorf("reason %q", tx.FlushReason())
	}
	wantSlots(t, "freed", freed(tx), 0, 1, 2)
}

func TestDataAgeFlushesInReplay(t *testing.T) {
	p := profile()
	p.DataAgeTimeout = 500 * time.Microsecond
	tx := advanced(t, p)
	push(t, tx, 2, 0)
	tx.nack(99, 10)
	tx.poll(500_000, nil)
	wantTx(t, tx, TxFlush)
	if tx.Replaying() {
		t.Error("still replaying")
	}
}

// seed 001: FLUSH when "the PCS status remains FALSE for longer than the
// configured timeout (PCS_LOST_TIMEOUT)".
func TestPCSLostFlushes(t *testing.T) {
	p := profile()
	p.PCSLostTimeout = time.Millisecond
	tx := advanced(t, p)
	push(t, tx, 2, 0)
	tx.SetCarrier(false, 1000)
	if d := tx.deadline(); d != 1_001_000 {
		t.Fatalf("deadline %d", d)
	}
	tx.poll(1_000_999, nil)
	wantTx(t, tx, TxAdvance)
	tx.poll(1_001_000, nil)
	wantTx(t, tx, TxFlush)
	if tx.FlushReason() != "pcs lost" {
		t.Errorf("reason %q", tx.FlushReason())
	}
}

func TestTimeoutsOfZeroAreOff(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 2, 0)
	tx.SetCarrier(false, 0)
	if d := tx.deadline(); d != math.MaxInt64 {
		t.Fatalf("deadline %d", d)
	}
	tx.poll(math.MaxInt64-1, nil)
	wantTx(t, tx, TxAdvance)
}

func TestNothingIsSentWithoutCarrier(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 2, 0)
	tx.nack(99, 0)
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

func TestReturnOfTheCarrierReplaysAndIsNoAttempt(t *testing.T) {
	p := profile()
	p.MaxReplayCount = 1
	tx := advanced(t, p)
	push(t, tx, 3, 0)
	for i := range int64(5) {
		tx.SetCarrier(false, i*10_000_000)
		tx.poll(i*10_000_000+9_000_000, nil)
		tx.SetCarrier(true, i*10_000_000+9_500_000)
		wantSlots(t, "replayed", replayed(tx), 0, 1, 2)
	}
	tx.SetCarrier(true, 60_000_000)
	wantTx(t, tx, TxAdvance)
}

// The window of seed 001: OUTSTANDING_FRAMES_MAX "Max unacknowledged frames",
// OUTSTANDING_BYTES_MAX "Max unacknowledged bytes".
func TestWindow(t *testing.T) {
	for _, c := range []struct {
		name          string
		frames        int
		octets        int64
		length, admit int
	}{
		{"by frames", 3, 1 << 20, 100, 3},
		{"by octets", 16, 350, 100, 3},
		{"by octets, to the last", 16, 300, 100, 3},
		{"a frame larger than it", 16, 300, 1000, 1},
		{"of one", 1, 1, 60, 1},
		{"of no frame is one", 0, 1000, 60, 1},
	} {
		p := profile()
		p.MaxOutstandingFrames, p.MaxOutstandingBytes = c.frames, c.octets
		tx := advanced(t, p)
		n := 0
		for ; tx.Admit(c.length) == Sequence && n < 100; n++ {
			tx.Push(uint32(n), c.length, false, 0)
		}
		if n != c.admit {
			t.Errorf("%s: %d admitted, want %d", c.name, n, c.admit)
		}
		if v := tx.Admit(c.length); v != Wait {
			t.Errorf("%s: then %v", c.name, v)
		}
		tx.ack(100, 0)
		tx.Free()
		if v := tx.Admit(c.length); v != Sequence {
			t.Errorf("%s: after an LLR_ACK %v", c.name, v)
		}
	}
}

func TestWindowWaitsForSlotsThatWereNotGivenBack(t *testing.T) {
	p := profile()
	p.MaxOutstandingFrames = 4
	tx := advanced(t, p)
	push(t, tx, 4, 0)
	tx.ack(103, 0)
	if v := tx.Admit(100); v != Wait {
		t.Fatalf("%v, though four slots wait to be freed", v)
	}
	tx.Free()
	if v := tx.Admit(100); v != Sequence {
		t.Fatalf("%v", v)
	}
}

// seed 001, Frame Action Types: "Drop frames", "Block transmission", "Treat as
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

// seed 001: in FLUSH, "Reinitialize LLR automatically if RE_INIT_ON_FLUSH is set to
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
			tx.nack(99, 0)
		case TxFlush:
			tx.poll(1_000_000, nil)
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
		}
		for seq := range uint32(200) {
			tx.ack(seq, 0)
			tx.nack(seq, 0)
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
			tx.nack(99, 0)
		case TxFlush:
			tx.poll(1_000_000, nil)
		}
		wantTx(t, tx, state)
		before := tx.hello.seq
		tx.partnerInit(true, 2_000_000)
		wantTx(t, tx, TxInit)
		if out := tx.poll(2_000_000, nil); len(out) != 1 || out[0].Seq == before {
			t.Errorf("from %v: it sends %v", state, out)
		}
	}
	tx := NewTx(profile(), 1, testNonce)
	tx.partnerInit(true, 0)
	wantTx(t, tx, TxOff)
}

func TestPoisonedFramesAreCountedApartAlsoInReplay(t *testing.T) {
	tx := advanced(t, profile())
	tx.Push(0, 100, false, 0)
	tx.Push(1, 100, true, 0)
	tx.nack(99, 0)
	replayed(tx)
	if tx.count.TxOK != 2 || tx.count.TxPoisoned != 2 {
		t.Errorf("TX_OK %d, TX_POISONED %d", tx.count.TxOK, tx.count.TxPoisoned)
	}
}

func TestProfileCanChangeAtAnyTime(t *testing.T) {
	p := profile()
	p.MaxOutstandingFrames = 4
	tx := advanced(t, p)
	for i := range uint32(50) { // the ring has gone round
		tx.Push(i, 100, false, 0)
		tx.ack(100+i, 0)
		tx.Free()
	}
	push(t, tx, 4, 0)
	tx.ack(151, 0) // two slots wait to be given back
	p.MaxOutstandingFrames = 100
	tx.SetProfile(p)
	for slot := range uint32(10) {
		if v := tx.Admit(100); v != Sequence {
			t.Fatalf("%v in a larger window", v)
		}
		tx.Push(4+slot, 100, false, 0)
	}
	p.MaxOutstandingFrames, p.MaxReplayTimer = 2, time.Second
	tx.SetProfile(p)
	if v := tx.Admit(100); v != Wait {
		t.Errorf("%v in a smaller window", v)
	}
	if d := tx.deadline(); d != int64(time.Second) {
		t.Errorf("deadline %d", d)
	}
	tx.ack(162, 0)
	wantSlots(t, "freed", freed(tx), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
	if v := tx.Admit(100); v != Sequence {
		t.Errorf("%v below the smaller window", v)
	}
}

func TestPushWithoutRoomPanics(t *testing.T) {
	p := profile()
	p.MaxOutstandingFrames = 2
	tx := advanced(t, p)
	push(t, tx, 2, 0)
	defer func() {
		if recover() == nil {
			t.Error("a frame replaced another in the buffer")
		}
	}()
	tx.Push(2, 100, false, 0)
}

func TestLongTimersDoNotOverflow(t *testing.T) {
	p := profile()
	p.MaxReplayTimer, p.DataAgeTimeout, p.PCSLostTimeout = math.MaxInt64, math.MaxInt64, math.MaxInt64
	tx := advanced(t, p)
	push(t, tx, 1, math.MaxInt64/2)
	tx.SetCarrier(false, math.MaxInt64/2)
	tx.poll(math.MaxInt64-1, nil)
	wantTx(t, tx, TxAdvance)
}
