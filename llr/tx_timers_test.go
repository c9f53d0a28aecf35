package llr

import (
	"math"
	"testing"
	"time"

	"uelink/wire"
)

// SAI-LLR: "Replay is initiated when the replay timer expires … Retransmits all
// frames from the replay buffer."
func TestReplayTimerRetransmitsAllFrames(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 3, 1000)
	at := 1000 + wire.Time(time.Millisecond)
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
	if d := tx.deadline(); d != wire.Never {
		t.Fatalf("deadline %d with nothing outstanding", d)
	}
	push(t, tx, 1, 0)
	tx.receivedAck(100, 10)
	if d := tx.deadline(); d != wire.Never {
		t.Fatalf("deadline %d with everything acknowledged", d)
	}
}

func TestReplayTimerRestartsOnProgress(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 3, 0)
	tx.receivedAck(99, 500_000)
	if d := tx.deadline(); d != 1_000_000 {
		t.Errorf("an LLR_ACK without progress moved the deadline to %d", d)
	}
	tx.receivedAck(100, 500_000)
	if d := tx.deadline(); d != 1_500_000 {
		t.Errorf("deadline %d after progress", d)
	}
}

func TestReplayTimerRestartsWhenTheReplayIsDone(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 2, 0)
	tx.poll(1_000_000, nil)
	if d := tx.deadline(); d != wire.Never {
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

// answered has the partner acknowledge one frame after another, each so long after it
// was sent, and returns how long the replay timer then is.
func answered(tx *Tx, now *wire.Time, waits ...time.Duration) time.Duration {
	for _, wait := range waits {
		seq := tx.Push(0, 100, false, *now)
		*now = now.Add(wait)
		tx.receivedAck(seq, *now)
	}
	tx.Push(0, 100, false, *now)
	timer := tx.replayAt().Sub(*now)
	tx.receivedAck(tx.acked()+1, *now)
	freed(tx)
	return timer
}

// Frames that a busy partner has would only be sent again.
func TestReplayTimerWaitsForASlowPartner(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name  string
		waits []time.Duration
		want  time.Duration // the profile's timer is 1 ms, its count 255
	}{
		{"at once", []time.Duration{0, 0}, ms},
		{"within half of the timer", []time.Duration{ms / 2, ms / 2, ms / 2}, ms},
		{"slow once, as after a loss that the timer found", []time.Duration{0, 3 * ms}, ms},
		{"slow twice", []time.Duration{3 * ms, 3 * ms}, 6 * ms},
		{"slow, and slower", []time.Duration{3 * ms, 3 * ms, 5 * ms, 5 * ms}, 10 * ms},
		{"the shorter of two counts", []time.Duration{3 * ms, 500 * ms}, 6 * ms},
		{"no longer than 16 times the timer", []time.Duration{time.Second, time.Second}, 16 * ms},
	} {
		now, p := wire.Time(0), profile()
		p.MaxReplayCount = NoReplayLimit
		if got := answered(advanced(t, p), &now, c.waits...); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A partner that is gone is not waited for much longer than without the patience:
// N + 2 times REPLAY_TIMER_MAX for a REPLAY_COUNT_MAX of N.
func TestPatienceIsBoundedByTheReplayCount(t *testing.T) {
	for count, want := range map[uint8]time.Duration{0: 2, 1: 3, 3: 5, 14: 16, 254: 16} {
		now, p := wire.Time(0), profile()
		p.MaxReplayCount = count
		if got := answered(advanced(t, p), &now, time.Second, time.Second); got != want*time.Millisecond {
			t.Errorf("REPLAY_COUNT_MAX %d: %v, want %d ms", count, got, want)
		}
	}
}

func TestReplayTimerForgetsASlowPartner(t *testing.T) {
	tx, now := advanced(t, profile()), wire.Time(0)
	before := answered(tx, &now, 4*time.Millisecond, 4*time.Millisecond)
	for range 24 {
		timer := answered(tx, &now, 0)
		if timer > before {
			t.Fatalf("from %v to %v by an acknowledgement at once", before, timer)
		}
		before = timer
	}
	if before != time.Millisecond {
		t.Errorf("%v after 24 acknowledgements at once", before)
	}
	answered(tx, &now, 4*time.Millisecond, 4*time.Millisecond)
	tx.Reinit(now)
	if tx.patience.slow != 0 || tx.patience.wait != 0 {
		t.Error("the handshake has not forgotten it")
	}
}

// What was lost has waited for the replay, not for a slow partner.
func TestReplayTimerDoesNotCountTheTimeBeforeALossWasKnown(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 4, 0)
	tx.receivedNack(100, wire.Received{}, 500_000_000)
	replayed(tx)
	tx.receivedAck(101, 500_000_010)
	tx.SetCarrier(false, 500_000_020)
	tx.SetCarrier(true, 900_000_000)
	replayed(tx)
	tx.poll(900_000_000, nil)
	tx.receivedAck(102, 900_000_010)
	if d := tx.deadline() - 900_000_010; d != wire.Time(time.Millisecond) {
		t.Errorf("the timer lasts %v", time.Duration(d))
	}
}

// SAI-LLR: FLUSH when "the number of replay attempts exceeds a configured maximum
// value (REPLAY_COUNT_MAX)".
func TestReplayCountLimitsTimedReplaysWithoutProgress(t *testing.T) {
	for _, limit := range []uint8{0, 1, 3, 254} {
		p := profile()
		p.MaxReplayCount = limit
		tx := advanced(t, p)
		push(t, tx, 2, 0)
		now := wire.Time(0)
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
	for i := range wire.Time(1000) {
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
		now := wire.Time(i+1) * 50_000_000 // longer than the timer may last
		tx.poll(now, nil)
		wantTx(t, tx, TxReplay)
		replayed(tx)
		tx.receivedAck(100+i, now)
		tx.poll(now, nil)
	}
}

// SAI-LLR: FLUSH when "data remains in the replay buffer for too long without
// receiving a successful LLR_ACK (DATA_AGE_TIMEOUT)".
func TestDataAgeFlushes(t *testing.T) {
	p := profile()
	p.DataAgeTimeout = 500 * time.Microsecond
	tx := advanced(t, p)
	push(t, tx, 2, 100)
	tx.Push(2, 100, false, 900)
	tx.receivedAck(101, 1000)
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
	tx.receivedNack(99, wire.Received{}, 10)
	tx.poll(500_000, nil)
	wantTx(t, tx, TxFlush)
	if tx.Replaying() {
		t.Error("still replaying")
	}
}

// SAI-LLR: FLUSH when "the PCS status remains FALSE for longer than the
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
	if d := tx.deadline(); d != wire.Never {
		t.Fatalf("deadline %d", d)
	}
	tx.poll(math.MaxInt64-1, nil)
	wantTx(t, tx, TxAdvance)
}

func TestReturnOfTheCarrierReplaysAndIsNoAttempt(t *testing.T) {
	p := profile()
	p.MaxReplayCount = 1
	tx := advanced(t, p)
	push(t, tx, 3, 0)
	for i := range wire.Time(5) {
		tx.SetCarrier(false, i*10_000_000)
		tx.poll(i*10_000_000+9_000_000, nil)
		tx.SetCarrier(true, i*10_000_000+9_500_000)
		wantSlots(t, "replayed", replayed(tx), 0, 1, 2)
	}
	tx.SetCarrier(true, 60_000_000)
	wantTx(t, tx, TxAdvance)
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

// The reason for the replay timer's length is the one that decides.
func TestReplayTimerHasAReason(t *testing.T) {
	hardware := profile()
	hardware.MaxReplayTimer, hardware.TimerFloor = 10*time.Microsecond, true
	for name, c := range map[string]struct {
		profile Profile
		loop    time.Duration // 0: no handshake yet
		slow    time.Duration
		expired bool
		timer   time.Duration
		reason  TimerReason
	}{
		"configured":              {profile(), 50_000, 0, false, time.Millisecond, TimerConfigured},
		"by the loop time":        {auto(), 5_000, 0, false, 120 * time.Microsecond, TimerByLoop},
		"not known yet":           {auto(), 0, 0, false, startTimer, TimerUnknown},
		"for hardware":            {hardware, 50_000, 0, false, 400 * time.Microsecond, TimerRaised},
		"slow partner":            {profile(), 50_000, time.Millisecond, false, 2 * time.Millisecond, TimerSlow},
		"not slow enough":         {profile(), 50_000, time.Millisecond / 2, false, time.Millisecond, TimerConfigured},
		"slower than is awaited":  {auto(), 5_000, time.Second, false, 5 * 120 * time.Microsecond, TimerSlow},
		"no progress by a replay": {profile(), 50_000, time.Millisecond, true, time.Millisecond, TimerConfigured},
	} {
		l := NewLink(c.profile, 0, testNonce)
		if c.loop > 0 {
			l = handshaken(c.profile, c.loop)
		}
		l.Tx.patience.slow, l.Tx.replay.expired = c.slow, c.expired
		if timer, reason := l.Tx.ReplayTimer(); timer != c.timer || reason != c.reason {
			t.Errorf("%s: %v, %s; want %v, %s", name, timer, reason, c.timer, c.reason)
		}
	}
}
