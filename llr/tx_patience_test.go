package llr

import (
	"math/rand/v2"
	"testing"
	"time"

	"uelink/wire"
)

// The last frame is lost, again and again, on a wire of 20 us there and back: the timer
// must not learn from the time that it took itself.
func TestTailLossesDoNotLengthenTheTimer(t *testing.T) {
	p := profile()
	p.MaxReplayCount = NoReplayLimit
	tx, now := advanced(t, p), wire.Time(0)
	for range 50 {
		seq := tx.Push(0, 100, false, now)
		at := tx.deadline()
		if at.Sub(now) != ms {
			t.Fatalf("the timer lasts %v", at.Sub(now))
		}
		tx.poll(at, nil)
		replayed(tx)
		tx.poll(at, nil)
		now = at + 20_000
		tx.receivedAck(seq, now)
		freed(tx)
	}
}

// Request and answer, one at a time, while a fifth of all packets is lost: what is lost
// is sent again after REPLAY_TIMER_MAX, also after many losses.
func TestRequestAndAnswerOverABadWire(t *testing.T) {
	p := profile()
	p.MaxReplayCount = NoReplayLimit
	rng := rand.New(rand.NewPCG(1, 1))
	a, b := newStation("a", p, 100, [2]byte{1}, 64), newStation("b", p, 500, [2]byte{2}, 64)
	a.announcer.start, b.announcer.start = 1, 2
	net := newNetwork(a, b, t.Fatalf)
	net.fate = func(_ *station, _ *packet, delays []time.Duration) []time.Duration {
		if rng.Float64() < 0.2 {
			return delays
		}
		return append(delays, 10_000)
	}
	a.modes(true, true)
	b.modes(true, true)
	net.run(net.now + 500*ms)
	began := net.now
	const rounds = 2000
	for range rounds {
		for _, s := range []*station{a, b} {
			s.offered++
			for s.wake = net.now; s.peer.got < s.offered; {
				net.run(net.now + 2000)
			}
		}
	}
	mean := net.now.Sub(began) / rounds
	t.Logf("a request and its answer take %v", mean)
	if mean > 700*time.Microsecond {
		t.Errorf("a request and its answer take %v; with a timer of 1 ms that never changes 0.6 ms", mean)
	}
}

// slowPartner acknowledges everything after so long, and says how many came twice.
type slowPartner struct {
	tx     *Tx
	now    wire.Time
	delay  time.Duration
	twice  uint32
	seen   map[uint32]bool
	queued []arrived
	posted map[uint32]uint32 // number by slot
}

type arrived struct {
	seq uint32
	at  wire.Time
}

// run lets time pass until end: a frame is sent each step if there is room.
func (s *slowPartner) run(end wire.Time, step time.Duration) (sent, again int) {
	for ; s.now < end; s.now = s.now.Add(step) {
		for len(s.queued) > 0 && s.queued[0].at <= s.now {
			if seq := s.queued[0].seq; s.seen[seq] {
				s.twice++
			} else {
				s.seen[seq] = true
			}
			s.tx.receivedTwice(s.twice)
			s.tx.receivedAck(s.queued[0].seq, s.now)
			s.queued = s.queued[1:]
		}
		s.tx.poll(s.now, nil)
		for s.tx.Replaying() {
			slot, _ := s.tx.Replay()
			s.queued = append(s.queued, arrived{s.posted[slot], s.now.Add(s.delay)})
			again++
		}
		if s.tx.Admit(100) == Sequence {
			slot := s.tx.NextSeq()
			s.posted[slot] = s.tx.Push(slot, 100, false, s.now)
			s.queued = append(s.queued, arrived{s.posted[slot], s.now.Add(s.delay)})
			sent++
		}
		freed(s.tx)
	}
	return sent, again
}

// A partner that is slow, not gone, is learned although every frame is sent twice at
// first: it says so.
func TestSlowPartnerIsLearned(t *testing.T) {
	p := profile()
	p.MaxReplayCount, p.MaxOutstandingFrames = 100, 256
	s := &slowPartner{tx: advanced(t, p), delay: 20_000, seen: map[uint32]bool{}, posted: map[uint32]uint32{}}
	s.run(10*ms, 10_000)
	s.delay = 3 * ms
	_, learning := s.run(100*ms, 10_000)
	sent, again := s.run(200*ms, 10_000)
	t.Logf("%d sent again while it was learned, then %d of %d", learning, again, sent)
	if again*100 > sent {
		t.Errorf("%d of %d frames were sent again", again, sent)
	}
}

// After a slow phase a partner dies: FLUSH comes within 2(N+1) times REPLAY_TIMER_MAX.
func TestPartnerThatDiesAfterASlowPhaseIsGivenUp(t *testing.T) {
	for _, count := range []uint8{0, 1, 3, 100} {
		p := profile()
		p.MaxReplayCount, p.MaxOutstandingFrames = 100, 256
		s := &slowPartner{tx: advanced(t, p), delay: 20_000, seen: map[uint32]bool{}, posted: map[uint32]uint32{}}
		s.run(10*ms, 10_000)
		s.delay = 3 * ms
		s.run(100*ms, 10_000)
		p.MaxReplayCount = count
		s.tx.SetProfile(p)
		for len(s.queued) == 0 {
			s.run(s.now+1, 1)
		}
		s.delay = 1 << 60
		s.queued = nil
		if n, _ := s.tx.Outstanding(); n == 0 {
			s.run(s.now+10_000, 10_000)
		}
		began, bound := s.now, 2*(time.Duration(count)+1)*ms
		for s.tx.State() != TxFlush {
			if s.now.Sub(began) > bound+ms/10 {
				t.Fatalf("REPLAY_COUNT_MAX %d: no FLUSH within %v", count, bound)
			}
			s.run(s.now+10_000, 10_000)
		}
		t.Logf("REPLAY_COUNT_MAX %d: FLUSH after %v", count, s.now.Sub(began))
	}
}

func TestSlowPartnerIsForgottenAfterASecondWithoutTraffic(t *testing.T) {
	p := profile()
	p.MaxReplayCount = NoReplayLimit
	tx, now := advanced(t, p), wire.Time(0)
	if d := answered(tx, &now, 3*time.Millisecond, 3*time.Millisecond); d != 6*time.Millisecond {
		t.Fatalf("the timer lasts %v", d)
	}
	now = now.Add(patienceForget + 1)
	tx.Push(0, 100, false, now)
	if d := tx.deadline().Sub(now); d != time.Millisecond {
		t.Errorf("the timer lasts %v after a second without traffic", d)
	}
}

// The timer lasts longer the first time only.
func TestPatienceIsForTheFirstExpiry(t *testing.T) {
	p := profile()
	p.MaxReplayCount = NoReplayLimit
	tx, now := advanced(t, p), wire.Time(0)
	answered(tx, &now, 3*time.Millisecond, 3*time.Millisecond)
	push(t, tx, 1, now)
	for i, want := range []time.Duration{21 * ms / 4, ms, ms} {
		at := tx.deadline()
		if at.Sub(now) != want {
			t.Errorf("expiry %d after %v, want %v", i+1, at.Sub(now), want)
		}
		now = at
		tx.poll(now, nil)
		replayed(tx)
		tx.poll(now, nil)
	}
}

// What is sent again because the acknowledgement was lost says nothing of the partner:
// it had the frame twice before it answered.
func TestLostAcknowledgementsAreNotTakenForASlowPartner(t *testing.T) {
	p := profile()
	p.MaxReplayCount = NoReplayLimit
	tx, now, twice := advanced(t, p), wire.Time(0), uint32(0)
	for range 20 {
		push(t, tx, 2, now)
		now = tx.deadline()
		tx.poll(now, nil)
		replayed(tx)
		tx.poll(now, nil)
		for range 2 { // the acknowledgement of each of the two copies
			now += 20_000
			twice++
			tx.receivedTwice(twice)
			tx.receivedAck(wire.SeqAdd(tx.seq, -1), now)
		}
		freed(tx)
	}
	if tx.patience.slow != 0 {
		t.Errorf("it is taken to be slow by %v", tx.patience.slow)
	}
}
