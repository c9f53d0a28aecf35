package llr

import (
	"testing"
	"time"

	"uelink/wire"
)

// No frame is probed without outstanding frames, a carrier, or a partner that accepts frames.
func TestNothingToProbe(t *testing.T) {
	for name, change := range map[string]func(tx *Tx){
		"acknowledged": func(tx *Tx) { tx.receivedAck(102, loop+1000) },
		"no carrier":   func(tx *Tx) { tx.SetCarrier(false, loop+1000) },
		"FLUSH":        func(tx *Tx) { tx.enterFlush(flushDataAge, loop+1000) },
		"busy":         func(tx *Tx) { tx.partnerBusy(true, loop+1000) },
		"not measured": func(tx *Tx) { tx.patience.least = forever },
	} {
		tx := selecting(t)
		push(t, tx, 3, loop)
		change(tx)
		for now := wire.Time(loop + 1000); now < loop+900_000; now += 10_000 {
			tx.poll(now, nil)
			if tx.Replaying() {
				t.Fatalf("%s: a frame is posted again at %d", name, now)
			}
		}
	}
}

// going returns a transmitter of go-back-N in ADVANCE at 101 with a replay timer of 2 ms, whose partner counts
// duplicates and has acknowledged frame 100 a loop time after it was sent.
func going(t *testing.T) *Tx {
	t.Helper()
	p := profile()
	p.MaxReplayTimer = 2 * time.Millisecond
	tx := NewTx(p, 100, testNonce)
	tx.SetMode(true, 0)
	handshakeDone(t, tx, 0)
	tx.receivedTwice(0)
	push(t, tx, 1, 0)
	tx.receivedAck(100, loop)
	return tx
}

// Go-back-N sends the last frame before a pause again, once, long before the replay timer. That is no replay: it is not
// counted as one, nor towards REPLAY_COUNT_MAX.
func TestLastFrameIsProbedInGoBackN(t *testing.T) {
	tx := going(t)
	push(t, tx, 3, loop)
	at := wire.Time(loop + loop + loop/2).Add(ackMargin)
	if d := tx.deadline(); d != at {
		t.Fatalf("probed at %d, want %d", d, at)
	}
	tx.poll(at, nil)
	wantReplayed(t, tx, "the probe", 2)
	if n := tx.count; n.TxTailProbe != 1 || n.TxReplay != 0 || n.TxReplayedFrames != 1 || tx.replay.count != 0 {
		t.Errorf("%+v", *n)
	}
	tx.receivedAck(102, at+loop)
	tx.poll(tx.deadline(), nil)
	wantReplayed(t, tx, "103 again after progress", 2)
	if d := tx.deadline(); d != wire.Time(at+loop).Add(2*time.Millisecond) {
		t.Errorf("then the replay timer, at %d", d)
	}
}

// Where the partner asks for the frames before the last one, a replay takes the place of the probe.
func TestReplayTakesThePlaceOfTheProbe(t *testing.T) {
	tx := going(t)
	push(t, tx, 3, loop)
	tx.poll(tx.deadline(), nil)
	tx.receivedNack(101, wire.Received{}, tx.now+1)
	wantReplayed(t, tx, "after an LLR_NACK", 1, 2)
	if n := tx.count; n.TxTailProbe != 0 || n.TxReplay != 1 {
		t.Errorf("%d probes, %d replays", n.TxTailProbe, n.TxReplay)
	}
}

// In go-back-N a partner that does not count duplicates, or has acknowledged nothing yet, gets no probe.
func TestNoProbeInGoBackN(t *testing.T) {
	for name, change := range map[string]func(tx *Tx){
		"no count of duplicates": func(tx *Tx) { tx.patience.counts = false },
		"no acknowledgement yet": func(tx *Tx) { tx.patience.wait = 0 },
	} {
		tx := going(t)
		change(tx)
		push(t, tx, 3, loop)
		if d := tx.deadline(); d != loop+2_000_000 {
			t.Errorf("%s: the deadline is %d", name, d)
		}
	}
}

// The last frame is not probed sooner than the P99 of the loop time, so that hardly any probe is needless.
func TestProbeWaitsForLateAcknowledgements(t *testing.T) {
	tx, now := going(t), wire.Time(0)
	for i := range adviseEvery {
		wait := time.Duration(loop)
		if i%20 == 0 {
			wait = time.Millisecond
		}
		seq := tx.Push(0, 100, false, now)
		now = now.Add(wait)
		tx.receivedAck(seq, now)
		tx.Free()
	}
	push(t, tx, 1, now)
	if d := tx.deadline().Sub(now); d < time.Millisecond || d > 9*time.Millisecond/8 {
		t.Errorf("probed after %v, want the P99 of 1 ms", d)
	}
}

// A partner that was only slow, as its count of duplicates shows, is probed later the next time. A probe that has
// replaced a lost frame says nothing.
func TestSlowPartnerIsProbedLater(t *testing.T) {
	for twice, later := range map[uint32]bool{0: false, 1: true} {
		tx := selecting(t)
		tx.receivedTwice(7)
		push(t, tx, 1, loop)
		at := tx.deadline()
		tx.poll(at, nil)
		wantReplayed(t, tx, "the probe", 0)
		tx.receivedAck(100, at+200_000)
		tx.receivedTwice(7 + twice)
		now := at + 300_000
		push(t, tx, 1, now)
		if d := tx.deadline(); (d > now+150_000) != later {
			t.Errorf("%d duplicates: probed after %v", twice, d.Sub(now))
		}
	}
}

// While the partner is silent each replay of the timer has no other probe.
func TestSilentPartnerIsProbedOnce(t *testing.T) {
	tx := selecting(t)
	push(t, tx, 3, loop)
	for now := wire.Time(loop); now < loop+2_500_000; now += 10_000 {
		tx.poll(now, nil)
		replayed(tx)
	}
	if n := tx.count; n.TxTailProbe != 1 || n.TxSelected != 2 {
		t.Errorf("%d probes, %d frames sent again by the timer", n.TxTailProbe, n.TxSelected)
	}
}
