package fault

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"uelink/wire"
)

func TestDelayHoldsAndJitterKeepsTheOrder(t *testing.T) {
	c := Config{Delay: time.Millisecond, Jitter: time.Millisecond, Seed: 3}
	b := newBench(t, c)
	sentAt, next := map[uint64]wire.Time{}, uint64(0)
	random := rand.New(rand.NewPCG(1, 1))
	for b.sent < 2000 {
		if b.sent-next < 40 {
			sentAt[b.sent] = b.now
			b.send(1)
		}
		got, _ := b.take(false)
		for _, n := range got {
			if n != next {
				t.Fatalf("frame %d came instead of %d", n, next)
			}
			if waited := b.now.Sub(sentAt[n]); waited < c.Delay {
				t.Fatalf("frame %d came after %v", n, waited)
			}
			next++
		}
		b.now += wire.Time(random.Int64N(200_000))
	}
	b.drain()
	b.allFree()
}

func TestRateSpacesFrames(t *testing.T) {
	b := newBench(t, Config{RateBPS: 512_000_000}) // 64 octets in 1 µs
	b.send(20)
	b.take(false)
	b.take(false)
	for i := range uint64(20) {
		if next := b.dev.Next(); next != wire.Time(i+1)*1000 {
			t.Fatalf("frame %d is due at %d", i, next)
		}
		b.now = b.dev.Next()
		if got, _ := b.take(false); !slices.Equal(got, []uint64{i}) {
			t.Fatalf("at %d: %v", b.now, got)
		}
	}
}

func TestFullLineOverrunsAndIsCounted(t *testing.T) {
	b := newBench(t, Config{Delay: time.Second})
	b.send(60) // the line holds 48 of 64
	for range 8 {
		b.take(false)
	}
	b.now = wire.Time(time.Second)
	if got := b.drain(); len(got) != 48 || got[47] != 47 {
		t.Errorf("frames %v", got)
	}
	if c := b.dev.Counters(); c != (Counters{Forwarded: 48, Overrun: 12}) {
		t.Errorf("counters %+v", c)
	}
	b.allFree()
}
