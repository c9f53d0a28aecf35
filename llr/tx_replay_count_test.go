package llr

import (
	"testing"

	"uelink/wire"
)

// backwards is how often the numbers of what is posted go back: what a capture shows of replays. The slot of a
// frame of push is its place.
func backwards(posted []uint32) (n int) {
	for i := 1; i < len(posted); i++ {
		if posted[i] <= posted[i-1] {
			n++
		}
	}
	return n
}

// pushed is the slots of so many frames of push, in their order.
func pushed(n uint32) (slots []uint32) {
	for slot := range n {
		slots = append(slots, slot)
	}
	return slots
}

// A replay of the timer posts four frames and pauses; one by an LLR_NACK that acknowledges these goes on above
// them. TX_REPLAY counts two, the numbers go back once.
func TestReplayBehindOneOfTheTimerDoesNotGoBack(t *testing.T) {
	p := profile()
	p.MaxOutstandingFrames = 64
	tx := advanced(t, p)
	push(t, tx, 40, 0)
	posted := pushed(40)
	tx.poll(0, nil)
	tx.poll(ms, nil)
	posted = append(posted, replayed(tx)...)
	tx.receivedNack(103, wire.Received{}, ms+10)
	posted = append(posted, replayed(tx)...)
	if n := len(posted); n <= 40+askingReplay {
		t.Fatalf("%d frames are posted", n)
	}
	if tx.count.TxReplay != 2 || backwards(posted) != 1 {
		t.Errorf("TX_REPLAY %d, the numbers go back %d times", tx.count.TxReplay, backwards(posted))
	}
}

// A replay that is given up for a new one is not completed. TX_REPLAY counts one, the numbers go back twice.
func TestReplayThatIsGivenUpIsNotCounted(t *testing.T) {
	p := profile()
	p.MaxOutstandingFrames = 64
	tx := advanced(t, p)
	push(t, tx, 40, 0)
	posted := pushed(40)
	tx.receivedNack(102, wire.Received{}, 10)
	for range 10 {
		slot, _ := tx.Replay()
		posted = append(posted, slot)
	}
	wantTx(t, tx, TxReplay)
	tx.receivedNack(106, wire.Received{}, 10*ms)
	posted = append(posted, replayed(tx)...)
	if tx.count.TxReplay != 1 || backwards(posted) != 2 {
		t.Errorf("TX_REPLAY %d, the numbers go back %d times", tx.count.TxReplay, backwards(posted))
	}
}
