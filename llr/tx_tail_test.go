package llr

import (
	"testing"

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
