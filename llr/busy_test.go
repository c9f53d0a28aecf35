package llr

import (
	"testing"

	"uelink/wire"
)

// A partner that says it takes no frames is waited for: nothing is replayed for want of an
// acknowledgement, and nothing flushed, for as long as it says so and 100 ms.
func TestBusyPartnerIsWaitedFor(t *testing.T) {
	p := profile()
	p.MaxReplayCount = 1
	tx := advanced(t, p)
	push(t, tx, 4, 0)
	tx.poll(0, nil)
	for now := wire.Time(0); now < 1000*ms; now += 20 * ms {
		tx.partnerBusy(true, now)
		for at := now; at < now+20*ms; at += ms {
			tx.poll(at, nil)
			if n := len(replayed(tx)); n > 0 {
				t.Fatalf("%d frames are replayed after %d ms", n, at/ms)
			}
		}
	}
	wantTx(t, tx, TxAdvance)
	if at := tx.deadline(); at != wire.Time(980*ms+busyFor+ms) {
		t.Errorf("the replay timer expires after %d µs", at/1000)
	}
	for now := wire.Time(1000 * ms); now < 1200*ms && tx.State() != TxFlush; now += ms / 10 {
		tx.poll(now, nil)
		replayed(tx)
	}
	if tx.count.TxFlush != 1 {
		t.Error("a partner that says nothing any more is not given up")
	}
}

// When it takes frames again the timer starts again, and its LLR_NACK is answered.
func TestPartnerThatIsNoLongerBusy(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 4, 0)
	tx.poll(0, nil)
	tx.partnerBusy(true, 0)
	tx.partnerBusy(true, 50*ms)
	tx.partnerBusy(false, 60*ms)
	tx.poll(60*ms, nil)
	if n := len(replayed(tx)); n != 0 {
		t.Errorf("%d frames are replayed at once", n)
	}
	if n := nacked(tx, 60*ms); n != 4 {
		t.Errorf("its LLR_NACK has %d frames replayed", n)
	}
	tx.partnerBusy(false, 70*ms)
	if at := tx.deadline(); at > 61*ms {
		t.Errorf("the replay timer expires after %d µs", at/1000)
	}
}

// What was refused for want of room is asked for when there is room, and only then.
func TestRefusedFramesAreAskedForWhenThereIsRoom(t *testing.T) {
	r := NewRx(profile())
	r.SetMode(true)
	r.Overflowed(100)
	r.RoomAvailable() // before any LLR_INIT there is nothing to ask for
	if out := r.poll(0, true, nil); len(out) != 0 {
		t.Fatalf("%v", out)
	}
	r = initialized(t)
	take(r, wire.FCSGood, 100, 101)
	says(t, r, true, wire.LLRAck, 101)
	r.RoomAvailable()
	says(t, r, true, 0, 0) // nothing was refused
	r.Overflowed(101)
	r.RoomAvailable()
	says(t, r, true, 0, 0) // but a frame that is here already
	r.Overflowed(103)
	says(t, r, true, 0, 0) // there is no room yet
	r.RoomAvailable()
	says(t, r, true, wire.LLRNack, 101)
	if v := take(r, wire.FCSGood, 102); v != Deliver {
		t.Errorf("the frame that was refused: %v", v)
	}
	wantRx(t, r, RxSendAcks, 103)
}

// LLR_NACKs of a partner that is busy are answered by replays, and none of these counts towards FLUSH: it has no room
// for what they bring. Those that come afterwards count.
func TestNacksOfABusyPartnerAreNoFlush(t *testing.T) {
	p := profile()
	p.MaxReplayCount = 1
	tx := advanced(t, p)
	push(t, tx, 4, 0)
	now := wire.Time(0)
	for ; now < 500*ms; now += ms {
		if now%(20*ms) == 0 {
			tx.partnerBusy(true, now)
		}
		if nacked(tx, now) == 0 && now > 5*ms {
			t.Fatalf("%d ms: the LLR_NACK has nothing replayed", now/ms)
		}
		tx.poll(now, nil)
	}
	if tx.count.TxFlush != 0 || tx.replay.count != 0 {
		t.Fatalf("FLUSH %d times, %d replays count", tx.count.TxFlush, tx.replay.count)
	}
	tx.partnerBusy(false, now)
	for range 4 {
		now += ms
		tx.receivedNack(tx.acked(), wire.Received{}, now)
		replayed(tx)
	}
	if tx.count.TxFlush != 1 {
		t.Errorf("it is not busy any more, and acknowledges nothing: %d replays count", tx.replay.count)
	}
}
