package sched

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"uelink/wire"
)

const second = 1_000_000_000

func TestNoRateIsAlwaysOpen(t *testing.T) {
	s := New(Settings{Burst: 1000})
	for _, now := range []wire.Time{-5, 0, 1, 1 << 62, wire.Never} {
		if !s.Open(now) || s.Deadline() != wire.Never {
			t.Errorf("at %d it is not open", now)
		}
		s.Sent(0, 1<<20)
	}
}

// At 8 bits a nanosecond an octet takes a nanosecond.
func TestBucketEmptiesAndFills(t *testing.T) {
	s := New(Settings{Rate: 8e9, Burst: 3000})
	for i := range 4 { // the last one of 1000 octets is owed
		if !s.Open(0) {
			t.Fatalf("closed after %d frames", i)
		}
		s.Sent(0, 1000)
	}
	for _, c := range []struct {
		now  wire.Time
		open bool
		due  wire.Time
	}{{0, false, 1000}, {999, false, 1000}, {1000, true, wire.Never}, {4001, true, wire.Never}} {
		if open := s.Open(c.now); open != c.open || s.Deadline() != c.due {
			t.Errorf("at %d: open %v until %d, want %v until %d", c.now, open, s.Deadline(), c.open, c.due)
		}
	}
	s.Sent(0, 3001)
	if due := s.Deadline(); due != 4002 {
		t.Errorf("due at %d: more is in the bucket than its depth", due)
	}
}

// Without a burst frames leave one by one.
func TestNoBurst(t *testing.T) {
	s := New(Settings{Rate: 8000})
	s.Open(7)
	s.Sent(0, 2)
	if due := s.Deadline(); due != 7+2e6 {
		t.Errorf("due at %d", due)
	}
}

// rates is from the least to the largest that is configured, with some that divide nothing.
func rates() []uint64 {
	return []uint64{8e3, 9999, 64e3, 1e6, 333_333_334, 25e9, 399_999_999_999, 400e9}
}

// A port that always has a frame sends to the nanosecond what its rate allows, however
// long it does so: nothing is rounded away.
func TestRateIsExact(t *testing.T) {
	for _, rate := range rates() {
		random := rand.New(rand.NewPCG(1, rate))
		s := New(Settings{Rate: rate})
		begin := wire.Time(random.Int64N(1000 * second))
		now, sent := begin, int64(0)
		for range 100_000 {
			if !s.Open(now) {
				t.Fatalf("rate %d: closed at its deadline", rate)
			}
			octets := 60 + random.IntN(9000)
			s.Sent(0, octets)
			sent += int64(octets)
			due := s.Deadline()
			if due > now+1 && s.Open(due-1) {
				t.Fatalf("rate %d: open before its deadline", rate)
			}
			now = due
		}
		if took := now.Sub(begin); took != exactTime(sent, rate) {
			t.Errorf("rate %d: %d octets took %d ns, not %d", rate, sent, took, exactTime(sent, rate))
		}
	}
}

// exactTime is how many whole nanoseconds so many octets take.
func exactTime(octets int64, rate uint64) time.Duration {
	t := new(big.Int).Mul(big.NewInt(octets), big.NewInt(nanobits))
	return time.Duration(t.Div(t, new(big.Int).SetUint64(rate)).Int64())
}

// modelBucket is a token bucket as in a textbook, with numbers of any size: what it
// holds is filled up as time goes by. Its unit is 1e-9 bits.
type modelBucket struct {
	rate, depth, holds *big.Int
	now                wire.Time
}

func (m *modelBucket) advance(now wire.Time) {
	m.holds.Add(m.holds, new(big.Int).Mul(m.rate, big.NewInt(int64(now.Sub(m.now)))))
	if m.holds.Cmp(m.depth) > 0 {
		m.holds.Set(m.depth)
	}
	m.now = now
}

func (m *modelBucket) charge(octets int) {
	m.holds.Sub(m.holds, new(big.Int).Mul(big.NewInt(int64(octets)), big.NewInt(nanobits)))
}

// The bucket is open when the model holds something, give or take two nanoseconds, in
// bursts, with gaps short and very long.
func TestBucketIsAsTheModel(t *testing.T) {
	for _, rate := range rates() {
		for seed := range uint64(20) {
			random := rand.New(rand.NewPCG(seed, rate))
			burst := uint32(random.Uint64() >> (32 + random.IntN(32)))
			s := New(Settings{Rate: rate, Burst: burst})
			depth := new(big.Int).Mul(big.NewInt(int64(burst)), big.NewInt(nanobits))
			m := modelBucket{rate: new(big.Int).SetUint64(rate), depth: depth, holds: new(big.Int).Set(depth)}
			slack := new(big.Int).SetUint64(2 * rate)
			for range 2000 {
				now := m.now.Add(time.Duration(random.Uint64() >> (10 + random.IntN(54))))
				if now < m.now {
					break // the end of time
				}
				m.advance(now)
				open := s.Open(now)
				if m.holds.CmpAbs(slack) > 0 && open != (m.holds.Sign() > 0) {
					t.Fatalf("rate %d, burst %d, seed %d: open is %v at %d, the model holds %v", rate, burst, seed, open, now, m.holds)
				}
				for range random.IntN(4) {
					if s.Open(now) {
						octets := 1 + random.IntN(16384)
						s.Sent(0, octets)
						m.charge(octets)
					}
				}
			}
		}
	}
}

// A burst that takes longer than time itself is no error.
func TestDepthHasNoOverflow(t *testing.T) {
	s := New(Settings{Rate: 1, Burst: math.MaxUint32})
	for range 100 {
		if !s.Open(second) {
			t.Fatal("closed")
		}
		s.Sent(0, 65535)
	}
}
