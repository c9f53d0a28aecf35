package llr

import (
	"testing"
	"time"

	"uelink/wire"
)

// holding returns a transmitter with four frames outstanding since 0 and the default profile's patience: 100 replays of
// 2 ms, and two seconds for a partner that is silent.
func holding(t *testing.T) *Tx {
	t.Helper()
	p := profile()
	p.MaxReplayTimer, p.MaxReplayCount, p.HoldTimeout = 2*time.Millisecond, 100, 2*time.Second
	tx := advanced(t, p)
	push(t, tx, 4, 0)
	return tx
}

// flushedAt lets the timers run from since until FLUSH and returns when that is, or until. each is called before each
// millisecond.
func flushedAt(tx *Tx, since, until wire.Time, each func(now wire.Time)) wire.Time {
	for now := since; now < until; now += ms {
		each(now)
		tx.poll(now, nil)
		if tx.State() == TxFlush {
			return now
		}
		replayed(tx)
		tx.poll(now, nil)
	}
	return until
}

// A partner that is silent is waited for until HoldTimeout has passed since it was last heard. What is outstanding is
// posted again all the while.
func TestSilentPartnerIsHeldFor(t *testing.T) {
	tx := holding(t)
	sent := tx.count.TxOK
	if at := flushedAt(tx, 0, 5000*ms, func(wire.Time) {}); at < 2000*ms || at > 2004*ms {
		t.Errorf("FLUSH after %v", time.Duration(at))
	}
	if n := tx.count.TxOK - sent; n < 3900 || tx.FlushReason() != flushReplayCount {
		t.Errorf("%d frames were posted again; %q", n, tx.FlushReason())
	}
}

// A partner that was silent for 300 ms and then acknowledges has cost nothing.
func TestPartnerThatWasSilentForAWhileIsNotFlushed(t *testing.T) {
	tx := holding(t)
	at := flushedAt(tx, 0, 600*ms, func(now wire.Time) {
		if now == 300*ms {
			tx.receivedAck(101, now)
		}
		if now == 301*ms {
			tx.receivedAck(103, now)
		}
	})
	if n, _ := tx.Outstanding(); at != 600*ms || n != 0 || tx.count.TxFlush != 0 {
		t.Errorf("FLUSH after %v, %d outstanding", time.Duration(at), n)
	}
}

// A partner that speaks and acknowledges nothing new is given up by REPLAY_COUNT_MAX alone.
func TestPartnerThatSpeaksIsNotHeldFor(t *testing.T) {
	tx := holding(t)
	at := flushedAt(tx, 0, 5000*ms, func(now wire.Time) { tx.receivedAck(99, now) })
	if at < 200*ms || at > 208*ms {
		t.Errorf("FLUSH after %v", time.Duration(at))
	}
}

// Of a partner that says something each second the replays into its silence are forgiven once.
func TestDeadDirectionIsFlushedThoughThePartnerSpeaksAtTimes(t *testing.T) {
	tx := holding(t)
	at := flushedAt(tx, 0, 9000*ms, func(now wire.Time) {
		if now%(1000*ms) == 500*ms {
			tx.partnerHeard(now)
		}
	})
	if at < 700*ms || at > 708*ms {
		t.Errorf("FLUSH after %v", time.Duration(at))
	}
}

// Progress makes a partner that falls silent again one that is waited for again.
func TestProgressRenewsTheHold(t *testing.T) {
	tx := holding(t)
	at := flushedAt(tx, 0, 5000*ms, func(now wire.Time) {
		switch now {
		case 300 * ms:
			tx.partnerHeard(now)
		case 400 * ms:
			tx.receivedAck(100, now)
		}
	})
	if at < 2400*ms || at > 2404*ms {
		t.Errorf("FLUSH after %v", time.Duration(at))
	}
}

// Without HoldTimeout REPLAY_COUNT_MAX decides alone, as in SAI-LLR.
func TestHoldTimeoutOfZeroIsUEsRule(t *testing.T) {
	tx := holding(t)
	p := tx.profile
	p.HoldTimeout = 0
	tx.SetProfile(p)
	if at := flushedAt(tx, 0, 5000*ms, func(wire.Time) {}); at < 200*ms || at > 206*ms {
		t.Errorf("FLUSH after %v", time.Duration(at))
	}
}

// What counts as heard: frames of the partner, in order or again, and STATION with its start id.
func TestWhatIsHeardOfThePartner(t *testing.T) {
	for _, c := range []struct {
		what  string
		heard bool
		comes func(l *Link, now wire.Time)
	}{
		{"nothing", false, func(*Link, wire.Time) {}},
		{"the next frame", true, func(l *Link, _ wire.Time) { l.Rx.Receive(200, wire.FCSGood, 100) }},
		{"a frame again", true, func(l *Link, _ wire.Time) { l.Rx.Receive(199, wire.FCSGood, 100) }},
		{"a frame that is damaged", false, func(l *Link, _ wire.Time) { l.Rx.Receive(200, wire.FCSBad, 100) }},
		{"an LLR_NACK that fits", true, func(l *Link, now wire.Time) { l.ReceivedControl(now, wire.CtlOS{Type: wire.LLRNack, Seq: 99}) }},
		{"one that does not", false, func(l *Link, now wire.Time) { l.ReceivedControl(now, wire.CtlOS{Type: wire.LLRNack, Seq: 7}) }},
		{"its STATION", true, func(l *Link, now wire.Time) { l.ReceivedControl(now, stations(7)...) }},
		{"STATION of another start", false, func(l *Link, now wire.Time) { l.ReceivedControl(now, stations(8)...) }},
	} {
		t.Run(c.what, func(t *testing.T) {
			l, b := pair(t, profile())
			exchange(l, b, 0)
			l.ReceivedControl(0, stations(7)...)
			l.ReceivedControl(wire.Time(2*apartLeast), stations(7)...)
			l.Tx.hold.heard = 0
			c.comes(l, 50*ms)
			l.Poll(50*ms, true, nil)
			if heard := l.Tx.hold.heard == 50*ms; heard != c.heard {
				t.Errorf("heard: %v", heard)
			}
		})
	}
}

// stations is a STATION with a start id.
func stations(start uint32) []wire.CtlOS {
	s := wire.Station{Start: start}
	return s.Items(nil)
}
