package llr

import (
	"testing"

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

// handshakeDone sends the LLR_INIT of a transmitter and passes the echo back.
func handshakeDone(t *testing.T, tx *Tx, now wire.Time) {
	t.Helper()
	out := tx.poll(now, nil)
	if len(out) != 1 || out[0].Type != wire.LLRInit {
		t.Fatalf("in %v poll gave %v, not an LLR_INIT", tx.State(), out)
	}
	tx.receivedInitEcho(out[0], false, now)
	wantTx(t, tx, TxAdvance)
}

func wantTx(t *testing.T, tx *Tx, state TxState) {
	t.Helper()
	if tx.State() != state {
		t.Fatalf("Tx is in %v, not in %v", tx.State(), state)
	}
}

// push sends n frames of 100 octets at now, in slots from 0.
func push(t *testing.T, tx *Tx, n int, now wire.Time) {
	t.Helper()
	for slot := range uint32(n) {
		if v := tx.Admit(100); v != Sequence {
			t.Fatalf("frame %d: %v", slot, v)
		}
		tx.Push(slot, 100, false, now)
	}
}

// replayed returns all slots that are posted again.
func replayed(tx *Tx) (slots []uint32) {
	for tx.Replaying() {
		slot, _ := tx.Replay()
		slots = append(slots, slot)
	}
	return slots
}

// freed returns all slots that Free returns.
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

// SAI-LLR: "Each frame is assigned a sequence number … incremented by 1 for each
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

// SAI-LLR: "All frames up to the sequence number in the LLR_ACK are removed from
// the replay buffer, freeing up space."
func TestAckRemovesAllFramesUpToItsNumber(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 5, 0)
	tx.receivedAck(102, 0)
	wantSlots(t, "freed", freed(tx), 0, 1, 2)
	if n, octets := tx.Outstanding(); n != 2 || octets != 200 {
		t.Errorf("outstanding %d frames, %d octets", n, octets)
	}
}

// SAI-LLR: "If an ACK is lost, the next received ACK will free up all frames".
func TestAckIsCumulative(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 5, 0)
	tx.receivedAck(104, 0)
	wantSlots(t, "freed", freed(tx), 0, 1, 2, 3, 4)
}

// spec 2.2: valid iff (ack_nack_seq - acked_seq) mod 2^20 <= outstanding_seq.
func TestAckOrNackOutsideTheWindowIsCountedAndIgnored(t *testing.T) {
	for _, c := range []struct {
		seq   uint32
		valid bool
		left  int
	}{{98, false, 3}, {99, true, 3}, {100, true, 2}, {102, true, 0}, {103, false, 3}, {99 + 1<<19, false, 3}, {0, false, 3}} {
		for _, input := range []func(*Tx, uint32, wire.Time){(*Tx).receivedAck, func(tx *Tx, seq uint32, now wire.Time) {
			tx.receivedNack(seq, wire.Received{}, now)
		}} {
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

// SAI-LLR: "Retransmits those frames from the replay buffer whose sequence number
// is greater than the sequence number in the LLR_NACK."
func TestNackReplaysTheFramesGreaterThanItsNumber(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 5, 0)
	tx.receivedNack(101, wire.Received{}, 0)
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
	tx.receivedNack(101, wire.Received{}, 0)
	wantTx(t, tx, TxAdvance)
	tx.receivedNack(101, wire.Received{}, 0)
	wantTx(t, tx, TxAdvance)
	if tx.count.TxReplay != 0 {
		t.Errorf("TX_REPLAY %d", tx.count.TxReplay)
	}
}

func TestNackDuringReplayBeginsItAnew(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 5, 0)
	tx.receivedNack(99, wire.Received{}, 0)
	tx.Replay()
	tx.Replay()
	tx.Replay()
	tx.receivedNack(100, wire.Received{}, 0)
	wantSlots(t, "replayed", replayed(tx), 1, 2, 3, 4)
	if tx.count.TxReplay != 1 {
		t.Errorf("TX_REPLAY %d: one was given up", tx.count.TxReplay)
	}
}

func TestAckDuringReplaySkipsWhatItAcknowledges(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 5, 0)
	tx.receivedNack(99, wire.Received{}, 0)
	tx.Replay()
	tx.receivedAck(102, 0)
	wantSlots(t, "replayed", replayed(tx), 3, 4)

	tx.receivedNack(102, wire.Received{}, 0)
	tx.receivedAck(104, 0)
	wantTx(t, tx, TxAdvance)
	if tx.count.TxReplay != 2 {
		t.Errorf("TX_REPLAY %d", tx.count.TxReplay)
	}
}

func TestAckBehindTheReplayDoesNotHoldItBack(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 5, 0)
	tx.receivedNack(99, wire.Received{}, 0)
	for range 3 {
		tx.Replay()
	}
	tx.receivedAck(100, 0)
	wantSlots(t, "replayed", replayed(tx), 3, 4)
}

func TestPoisonedFramesAreCountedApartAlsoInReplay(t *testing.T) {
	tx := advanced(t, profile())
	tx.Push(0, 100, false, 0)
	tx.Push(1, 100, true, 0)
	tx.receivedNack(99, wire.Received{}, 0)
	replayed(tx)
	if tx.count.TxOK != 2 || tx.count.TxPoisoned != 2 {
		t.Errorf("TX_OK %d, TX_POISONED %d", tx.count.TxOK, tx.count.TxPoisoned)
	}
}
