package fault

import (
	"math"
	"math/bits"
	"testing"
	"time"
)

const decisions = 1_000_000

// near fails unless a share of n independent events is within 5 standard
// deviations of p.
func near(t *testing.T, what string, happened, n int, p float64) {
	t.Helper()
	if sigma := math.Sqrt(float64(n) * p * (1 - p)); math.Abs(float64(happened)-float64(n)*p) > 5*sigma+1 {
		t.Errorf("%s: %d of %d, want about %.0f", what, happened, n, float64(n)*p)
	}
}

func TestRatesAreThoseAsked(t *testing.T) {
	for _, c := range []Config{
		{Loss: 0.01, Corrupt: 0.001, Duplicate: 0.002, Reorder: 0.003, Seed: 1},
		{Loss: 0.5, Corrupt: 0.3, Duplicate: 0.9, Reorder: 0.1, Seed: 2},
		{Seed: 3},
		{Corrupt: 1, Duplicate: 1, Reorder: 1, Seed: 4},
		{Loss: 1, Seed: 5},
	} {
		m := NewModel(c)
		var drop, corrupt, duplicate, reorder int
		for range decisions {
			f := m.Next()
			drop += count(f.Drop)
			corrupt += count(f.Flips > 0)
			duplicate += count(f.Duplicate)
			reorder += count(f.Overtaken > 0)
			if f.Flips < 0 || f.Flips > 3 || f.Overtaken < 0 || f.Overtaken > 3 {
				t.Fatalf("fate %+v", f)
			}
		}
		near(t, "dropped", drop, decisions, c.Loss)
		near(t, "corrupted", corrupt, decisions-drop, c.Corrupt)
		near(t, "duplicated", duplicate, decisions-drop, c.Duplicate)
		near(t, "reordered", reorder, decisions-drop, c.Reorder)
	}
}

func count(happened bool) int {
	if happened {
		return 1
	}
	return 0
}

// The lengths of bursts are geometric, so their mean over n bursts has a
// standard deviation of about burst/sqrt(n).
func TestBurstsHaveTheMeanLengthAndTheAverageLoss(t *testing.T) {
	for _, c := range []Config{
		{Loss: 0.01, Burst: 8, Seed: 1},
		{Loss: 0.1, Burst: 3, Seed: 2},
		{Loss: 0.01, Burst: 1, Seed: 3},
		{Loss: 0.4, Burst: 20, Seed: 4},
	} {
		m := NewModel(c)
		lost, bursts, before := 0, 0, false
		for range decisions {
			f := m.Next()
			lost += count(f.Drop)
			bursts += count(f.Drop && !before)
			before = f.Drop
		}
		wanted := c.Burst
		if c.Burst == 1 { // independent losses also meet by chance
			wanted = 1 / (1 - c.Loss)
		}
		sigma := wanted / math.Sqrt(float64(bursts))
		if mean := float64(lost) / float64(bursts); math.Abs(mean-wanted) > 5*sigma {
			t.Errorf("%+v: bursts of %.2f frames on average, want %.2f", c, mean, wanted)
		}
		if share := float64(lost) / decisions; math.Abs(share-c.Loss) > 5*c.Loss*math.Sqrt(2/float64(bursts)) {
			t.Errorf("%+v: %.4f lost", c, share)
		}
	}
}

func TestSameSeedSameFates(t *testing.T) {
	c := Config{Loss: 0.1, Burst: 4, Corrupt: 0.1, Duplicate: 0.1, Reorder: 0.1, Jitter: time.Millisecond, Seed: 42}
	a, b := NewModel(c), NewModel(c)
	c.Seed++
	other, differ := NewModel(c), 0
	for i := range 10_000 {
		x, y := a.Next(), b.Next()
		if x != y {
			t.Fatalf("decision %d: %+v and %+v", i, x, y)
		}
		differ += count(other.Next() != x)
		one, two := [64]byte{}, [64]byte{}
		a.Corrupt(one[:], x.Flips)
		b.Corrupt(two[:], y.Flips)
		if one != two {
			t.Fatalf("decision %d: other bits", i)
		}
	}
	if differ < 5000 {
		t.Errorf("another seed differs in only %d of 10000 decisions", differ)
	}
}

func TestCorruptFlipsThatManyBitsAnywhere(t *testing.T) {
	m := NewModel(Config{Seed: 7})
	var hit [8 * 64]int
	for i := range 30_000 {
		n := 1 + i%3
		var octets [64]byte
		m.Corrupt(octets[:], n)
		flipped := 0
		for at, b := range octets {
			flipped += bits.OnesCount8(b)
			for bit := range 8 {
				hit[8*at+bit] += int(b >> bit & 1)
			}
		}
		if flipped != n {
			t.Fatalf("%d bits flipped, want %d", flipped, n)
		}
	}
	for bit, n := range hit {
		near(t, "flips of one bit", n, 60_000, 1.0/512)
		if n == 0 {
			t.Errorf("bit %d was never flipped", bit)
		}
	}
	m.Corrupt(nil, 3) // a frame of no octets has nothing to flip
	short := []byte{0}
	m.Corrupt(short, 3)
	if bits.OnesCount8(short[0]) != 1 {
		t.Errorf("frame of one octet: %08b", short[0])
	}
}

func TestDelayIsWithinDelayAndJitter(t *testing.T) {
	c := Config{Delay: 10 * time.Millisecond, Jitter: 3 * time.Millisecond, Seed: 9}
	m := NewModel(c)
	low, high := time.Hour, time.Duration(0)
	for range 100_000 {
		d := m.Next().Delay
		low, high = min(low, d), max(high, d)
	}
	if low < c.Delay || low > c.Delay+c.Jitter/100 || high > c.Delay+c.Jitter || high < c.Delay+c.Jitter*99/100 {
		t.Errorf("delays from %v to %v", low, high)
	}
}

func TestModelAllocatesNothing(t *testing.T) {
	m := NewModel(Config{Loss: 0.1, Burst: 4, Corrupt: 0.5, Duplicate: 0.1, Reorder: 0.1, Jitter: time.Second})
	octets := make([]byte, 1500)
	if n := testing.AllocsPerRun(1000, func() { m.Corrupt(octets, m.Next().Flips) }); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
}

func BenchmarkModelNext(b *testing.B) {
	m := NewModel(Config{Loss: 0.01, Corrupt: 0.001, Duplicate: 0.001, Reorder: 0.001})
	for b.Loop() {
		m.Next()
	}
}

// The first numbers of SplitMix64 from seed 1234567, as its authors published.
func TestDrawIsSplitMix64(t *testing.T) {
	m := NewModel(Config{Seed: 1234567})
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
		16408922859458223821} {
		if got := m.draw(); got != want {
			t.Errorf("number %d: %d, want %d", i, got, want)
		}
	}
}

func TestStreamsOfOneSeedDiffer(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(100) {
		for number := range 100 {
			seen[Stream(seed, number)] = true
		}
	}
	if len(seen) != 10_000 {
		t.Errorf("%d different streams of 10000", len(seen))
	}
}
