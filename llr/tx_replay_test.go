package llr

import (
	"math"
	"testing"
	"time"

	"uelink/wire"
)

// nacked gives a transmitter an LLR_NACK without progress and says how many frames it
// then posts again.
func nacked(tx *Tx, now wire.Time) int {
	tx.receivedNack(tx.acked(), wire.Received{}, now)
	return len(replayed(tx))
}

const ms = 1_000_000

// SAI-LLR: "Replay count prevents indefinite retries." It does so whoever asks for the
// replays: here the partner, which never gets the first frame.
func TestReplaysByNackCountAsAttempts(t *testing.T) {
	p := profile()
	p.MaxReplayCount = 3
	tx := advanced(t, p)
	push(t, tx, 2, 0)
	now := wire.Time(0)
	for range 3 {
		now += ms
		if nacked(tx, now) == 0 {
			t.Fatalf("%v: nothing is replayed", time.Duration(now))
		}
		tx.poll(now, nil)
		wantTx(t, tx, TxAdvance)
	}
	nacked(tx, now+ms)
	wantTx(t, tx, TxFlush)
	if tx.FlushReason() != "replay count" {
		t.Errorf("reason %q", tx.FlushReason())
	}
}

// LLR_NACK that come closer together than REPLAY_TIMER_MAX count once: those of a bad
// wire, or duplicated ones, do not add up.
func TestReplaysThatFollowEachOtherCountOnce(t *testing.T) {
	p := profile()
	p.MaxReplayCount = 1
	tx := advanced(t, p)
	push(t, tx, 2, 0)
	for i := range wire.Time(100) {
		nacked(tx, i*ms/101)
	}
	wantTx(t, tx, TxAdvance)
	nacked(tx, ms)
	nacked(tx, 2*ms-1)
	wantTx(t, tx, TxAdvance)
}

// Each replay offers its first frame for a check while nothing is acknowledged, and a poisoned frame counts as such.
func TestOldestFrameOfAReplayIsCheckedAndPoisoned(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 3, 0)
	if slot, seq, length, ok := tx.Oldest(); ok {
		t.Fatalf("no replay runs, and slot %d (number %d, %d octets) is offered", slot, seq, length)
	}
	tx.receivedNack(tx.acked(), wire.Received{}, ms)
	slot, seq, length, ok := tx.Oldest()
	first := tx.window.at(tx.window.first)
	if !ok || slot != first.slot || seq != wire.SeqAdd(tx.acked(), 1) || length != first.length {
		t.Fatalf("slot %d, number %d, %d octets, %v; the oldest is %+v", slot, seq, length, ok, first)
	}
	tx.Poison()
	before := *tx.count
	list, c := replayed(tx), tx.count
	if len(list) != 3 || c.TxPoisoned != before.TxPoisoned+1 || c.TxOK != before.TxOK+2 {
		t.Errorf("%d frames replayed: %+v", len(list), c)
	}
	if _, _, _, ok := tx.Oldest(); ok {
		t.Error("a poisoned frame is offered again")
	}
}

func TestProgressForgetsAttempts(t *testing.T) {
	p := profile()
	p.MaxReplayCount = 1
	tx := advanced(t, p)
	push(t, tx, 16, 0)
	for i := range wire.Time(8) {
		nacked(tx, (2*i+1)*ms)
		tx.receivedAck(wire.SeqAdd(tx.acked(), 1), (2*i+2)*ms)
		if tx.State() == TxFlush {
			t.Fatalf("FLUSH after %d frames, each lost once", i)
		}
	}
}

// From the fourth replay in a row without progress none starts within REPLAY_TIMER_MAX
// of the last, and each posts 16 frames.
func TestReplaysWithoutProgressBecomeFewAndShort(t *testing.T) {
	p := profile()
	p.MaxReplayCount = NoReplayLimit
	p.MaxOutstandingFrames = 64
	tx := advanced(t, p)
	push(t, tx, 40, 0)
	for i, want := range []int{40, 40, 40, 0, 0} {
		if n := nacked(tx, wire.Time(i)); n != want {
			t.Errorf("LLR_NACK %d: %d frames are posted again, want %d", i+1, n, want)
		}
	}
	tx.poll(10, nil)
	posted, replays := 0, 0
	for now := wire.Time(10); now < 100*ms; now += ms / 100 {
		tx.receivedNack(99, wire.Received{}, now)
		tx.poll(now, nil)
		if n := len(replayed(tx)); n > 0 {
			posted += n
			replays++
		}
	}
	if replays < 95 || replays > 100 || posted != replays*shortReplay {
		t.Errorf("in 100 ms %d replays of %d frames together; want one of 16 each ms", replays, posted)
	}
}

// A replay of the timer begins with four frames. What the partner acknowledges then tells
// whether it has the others.
func TestReplayOfTheTimerAsksFirst(t *testing.T) {
	for _, c := range []struct {
		what   string
		acked  uint32
		posted int
	}{
		{"a part of what was posted again", 101, 36},
		{"all that was posted again", 103, 36},
		{"more than that: it has them, and was slow", 104, 0},
		{"all", 139, 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			p := profile()
			p.MaxOutstandingFrames = 64
			tx := advanced(t, p)
			push(t, tx, 40, 0)
			tx.poll(0, nil)
			tx.poll(ms, nil)
			if n := len(replayed(tx)); n != askingReplay {
				t.Fatalf("the timer has %d frames posted again", n)
			}
			wantTx(t, tx, TxReplay)
			tx.receivedAck(c.acked, ms+10)
			if n := len(replayed(tx)); n != c.posted {
				t.Errorf("%d more are posted again, want %d", n, c.posted)
			}
			wantTx(t, tx, TxAdvance)
			if tx.count.TxReplay != 1 {
				t.Errorf("TX_REPLAY %d", tx.count.TxReplay)
			}
		})
	}
}

func TestProgressEndsAShortReplay(t *testing.T) {
	p := profile()
	p.MaxReplayCount = NoReplayLimit
	p.MaxOutstandingFrames = 64
	tx := advanced(t, p)
	push(t, tx, 40, 0)
	for i := range wire.Time(3) {
		nacked(tx, i)
	}
	tx.poll(2, nil)
	if n := nacked(tx, 3*ms); n != shortReplay {
		t.Fatalf("%d frames are posted again", n)
	}
	wantTx(t, tx, TxReplay)
	if v := tx.Admit(100); v != Wait {
		t.Errorf("a new frame: %v", v)
	}
	tx.receivedAck(115, 3*ms+10)
	if n := len(replayed(tx)); n != 24 {
		t.Errorf("after progress %d frames are posted again, want the other 24", n)
	}
	wantTx(t, tx, TxAdvance)
	if tx.count.TxReplay != 4 {
		t.Errorf("TX_REPLAY %d", tx.count.TxReplay)
	}
}

// No replay has arrived, and been answered, in less than the shortest loop time: an
// LLR_NACK that comes sooner is about what the replay posts anyway.
func TestNackOfAKnownLossIsIgnored(t *testing.T) {
	tx := NewTx(profile(), 100, testNonce)
	tx.SetMode(true, 0)
	tx.poll(0, nil)
	tx.receivedInitEcho(wire.CtlOS{Seq: 100, InitData: testNonce}, false, 50_000) // a loop of 50 us
	push(t, tx, 8, 50_000)
	tx.receivedNack(100, wire.Received{}, 100_000)
	wantSlots(t, "replayed", replayed(tx), 1, 2, 3, 4, 5, 6, 7)
	tx.receivedNack(100, wire.Received{}, 149_999)
	tx.receivedNack(102, wire.Received{}, 149_999)
	if n := len(replayed(tx)); n != 0 {
		t.Errorf("%d frames are posted again", n)
	}
	if n, _ := tx.Outstanding(); n != 5 {
		t.Errorf("%d outstanding: its acknowledgement counts", n)
	}
	tx.receivedNack(102, wire.Received{}, 150_000)
	wantSlots(t, "replayed", replayed(tx), 3, 4, 5, 6, 7)
}

// The fewer frames are acknowledged between two losses, the fewer are under way.
func TestFewFramesAreUnderWayWhereManyAreLost(t *testing.T) {
	p := profile()
	p.MaxOutstandingFrames = 400
	tx := advanced(t, p)
	now := wire.Time(0)
	for range 32 { // the first of every five frames that follow is lost
		for tx.Admit(100) == Sequence {
			tx.Push(0, 100, false, now)
		}
		now += ms
		tx.receivedNack(wire.SeqAdd(tx.acked(), 5), wire.Received{}, now)
		replayed(tx)
		freed(tx)
	}
	if n := tx.replay.reach; n < reachLeast || n > 5*reachTimes {
		t.Errorf("%d frames may be under way", n)
	}
	now += ms
	for range 16 {
		now += 1000
		tx.receivedAck(wire.SeqAdd(tx.seq, -1), now)
		replayed(tx)
		freed(tx)
		for tx.Admit(100) == Sequence {
			tx.Push(0, 100, false, now)
		}
	}
	if n, _ := tx.Outstanding(); n != 400 {
		t.Errorf("%d frames are under way after %d without a loss", n, 16)
	}
}

// FLUSH tells which frame did not get through.
func TestFlushNamesTheFrame(t *testing.T) {
	p := profile()
	p.MaxReplayCount, p.ReInitOnFlush = 0, true
	tx := advanced(t, p)
	tx.Push(7, 100, false, 0)
	tx.Push(8, 1514, false, 0)
	tx.receivedAck(100, 10)
	tx.poll(2*ms, nil)
	if f := tx.FlushedFrame(); f != (Stuck{Slot: 8, Length: 1514}) || tx.FlushReason() != "replay count" {
		t.Errorf("%+v, %q", f, tx.FlushReason())
	}
	wantTx(t, tx, TxInit)
	tx.ClearFlush()
	if f := tx.FlushedFrame(); f != (Stuck{}) || tx.FlushReason() != "" {
		t.Errorf("cleared: %+v, %q", f, tx.FlushReason())
	}
}

func TestFlushIsNotClearedWhileItLasts(t *testing.T) {
	p := profile()
	p.MaxReplayCount = 0
	tx := advanced(t, p)
	push(t, tx, 1, 0)
	tx.poll(2*ms, nil)
	wantTx(t, tx, TxFlush)
	if tx.ClearFlush(); tx.FlushReason() == "" {
		t.Error("cleared")
	}
}

// A frame that can never cross ends in FLUSH within 2(N+1) times REPLAY_TIMER_MAX, and
// until then few frames are sent.
func TestFrameThatNeverCrossesIsGivenUp(t *testing.T) {
	for _, count := range []uint8{0, 1, 3, 8, 100} {
		p := profile()
		p.MaxReplayCount, p.MaxOutstandingFrames = count, 512
		a := newStation("a", p, 100, testNonce, 1024)
		b := newStation("b", p, 500, [2]byte{9}, 1024)
		net := newNetwork(a, b, t.Fatalf)
		net.fate = func(from *station, f *packet, delays []time.Duration) []time.Duration {
			if from == a && f.ctl.Type == 0 && f.id == 1000 {
				return delays
			}
			return append(delays, 10_000)
		}
		a.modes(true, true)
		b.modes(true, true)
		a.offered = 3000
		net.run(2 * ms)
		sent, since := a.link.Counters().TxOK, net.now
		bound := 2 * (time.Duration(count) + 1) * ms
		for a.link.Tx.State() != TxFlush {
			if net.now.Sub(since) > bound {
				t.Fatalf("REPLAY_COUNT_MAX %d: no FLUSH within %v", count, bound)
			}
			net.run(net.now + ms/10)
		}
		extra := a.link.Counters().TxOK - sent
		if limit := 4*512 + 32*(uint64(count)+1); extra > limit {
			t.Errorf("REPLAY_COUNT_MAX %d: %d frames were sent for nothing", count, extra)
		}
		t.Logf("REPLAY_COUNT_MAX %d: FLUSH after %v, %d frames sent for nothing", count, net.now.Sub(since), extra)
	}
}

// Losses of 1 in 100 on data and control never flush, even with one attempt.
func TestHealthyLossesNeverFlush(t *testing.T) {
	for seed := range uint64(20) {
		p := profile()
		p.MaxReplayCount, p.MaxOutstandingFrames, p.MaxOutstandingBytes = 1, 256, math.MaxInt32
		p.MaxReplayTimer = 2 * time.Millisecond
		net, a, b := lossy(t, p, seed, 0.01)
		a.offered, b.offered = 5000, 5000
		for a.next < a.offered || b.next < b.offered {
			net.run(net.now + ms)
			if a.link.Tx.State() == TxFlush || b.link.Tx.State() == TxFlush {
				t.Fatalf("seed %d: FLUSH after %d and %d frames", seed, a.next, b.next)
			}
		}
		if n := a.link.Counters().TxReplay; n < 20 {
			t.Errorf("seed %d: only %d replays", seed, n)
		}
	}
}

// A frame that is known to be too long for the wire is not waited for, also where replays
// have no limit.
func TestFrameTooLongForTheWireFlushes(t *testing.T) {
	p := profile()
	p.MaxReplayCount = NoReplayLimit
	tx := advanced(t, p)
	tx.Push(0, 1514, false, 0)
	now := wire.Time(0)
	for range 6 {
		now += ms
		tx.poll(now, nil)
		replayed(tx)
		tx.poll(now, nil)
	}
	if f, replays := tx.Stalled(); f != (Stuck{Slot: 0, Length: 1514}) || replays != 6 {
		t.Errorf("%+v, %d replays", f, replays)
	}
	tx.SetFrameLimit(1514)
	tx.poll(now+1, nil)
	if tx.State() == TxFlush {
		t.Error("FLUSH for a frame that fits")
	}
	tx.SetFrameLimit(1500)
	tx.poll(now+2, nil)
	if tx.FlushReason() != flushTooLong || tx.FlushedFrame().Length != 1514 || tx.Flushes() != 1 {
		t.Errorf("%q, %+v", tx.FlushReason(), tx.FlushedFrame())
	}
	if _, replays := tx.Stalled(); replays != 0 {
		t.Errorf("%d replays", replays)
	}
}
