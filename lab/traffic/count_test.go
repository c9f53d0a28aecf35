package traffic

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"uelink/wire"
)

// Whatever order numbers arrive in, they are counted as a set and a maximum do.
func TestArrivalsAgainstAModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOf(rapid.Uint64Range(0, 300)).Draw(t, "numbers")
		a, seen, next := newArrivals(), map[uint64]bool{}, uint64(0)
		var duplicated, reordered uint64
		for _, n := range numbers {
			switch {
			case seen[n]:
				duplicated++
			case n < next:
				reordered++
			}
			if first := a.add(n); first == seen[n] {
				t.Fatalf("%d: first %v", n, first)
			}
			seen[n], next = true, max(next, n+1)
		}
		if a.unique != uint64(len(seen)) || a.duplicated != duplicated || a.reordered != reordered || a.next != next {
			t.Fatalf("%+v; want %d, %d, %d", a, len(seen), duplicated, reordered)
		}
		for n := range uint64(301) {
			if a.contains(n) != seen[n] {
				t.Fatalf("has %d: %v", n, a.contains(n))
			}
		}
	})
}

func TestArrivalsBeyondTheHistory(t *testing.T) {
	a := newArrivals()
	for _, n := range []uint64{0, 5, history + 5, history + 4} { // 5 has the bit of history+5
		if !a.add(n) {
			t.Errorf("%d is not the first", n)
		}
	}
	if a.add(3) { // too far back to tell
		t.Error("a number from before the history was a first")
	}
	if !a.add(6) || a.add(6) {
		t.Error("the oldest numbers of the history are not told apart")
	}
	if !a.add(10*history) || a.contains(10*history-1) {
		t.Error("a leap beyond the history leaves old bits")
	}
	if a.unique != 6 || a.duplicated != 1 || a.reordered != 3 {
		t.Errorf("%d, %d, %d", a.unique, a.duplicated, a.reordered)
	}
}

func TestLatencyWithinABucket(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var h histogram
	values := make([]time.Duration, 100_000)
	for i := range values {
		values[i] = time.Duration(random.ExpFloat64() * 200_000)
		h.add(values[i])
	}
	slices.Sort(values)
	for _, share := range []float64{0, 0.5, 0.99, 0.999} {
		want, got := values[int(share*float64(len(values)))], h.quantile(share)
		if got > want || got < want-want/64-1 {
			t.Errorf("quantile %g: %d, want %d", share, got, want)
		}
	}
}

func TestBucketsAreWithoutGaps(t *testing.T) {
	for b := 1; b < buckets; b++ {
		if bucket(lowest(b)) != b || bucket(lowest(b)-1) != b-1 {
			t.Fatalf("bucket %d begins at %d", b, lowest(b))
		}
	}
	if bucket(-1) != 0 || bucket(1<<62) != buckets-1 {
		t.Error("values outside are not put at the ends")
	}
	if (&histogram{}).latency() != (Latency{}) {
		t.Error("latency of nothing")
	}
}

func TestWindowWaitsLongerWithoutLaterArrivals(t *testing.T) {
	w, a := newWindow(4, time.Second), newArrivals()
	for n := range uint64(4) {
		w.sent(n, 0)
	}
	steps := []struct {
		name   string
		arrive []uint64
		now    time.Duration
		room   int
	}{
		{"full", nil, 0, 0},
		{"hole at 0, 1 there", []uint64{1}, time.Second, 0},
		{"0 overdue", nil, time.Second + 1, 2},
		{"none after 2: wait", nil, 4 * time.Second, 2},
		{"2 and 3 overdue", nil, 4*time.Second + 1, 4},
	}
	for _, s := range steps {
		for _, n := range s.arrive {
			a.add(n)
		}
		if room := w.room(&a, 4, wire.Time(s.now)); room != s.room {
			t.Errorf("%s: room %d, want %d", s.name, room, s.room)
		}
	}
}

func TestSizes(t *testing.T) {
	for size, want := range map[string]struct{ n, least, most, sum int }{
		"60": {1, 60, 60, 60}, "1514": {1, 1514, 1514, 1514},
		"imix":  {12, 60, 1514, 7*60 + 4*590 + 1514},
		"sweep": {1455, 60, 1514, 1455 * (60 + 1514) / 2},
	} {
		pattern, err := parseSizes(size, 1500, wire.MinFrameLen)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, n := range pattern {
			sum += n
		}
		if len(pattern) != want.n || slices.Min(pattern) != want.least || slices.Max(pattern) != want.most ||
			sum != want.sum {
			t.Errorf("%s: %v", size, pattern)
		}
	}
	for size, mtu := range map[string]int{"59": 1500, "1515": 1500, "imix": 1499, "": 1500, "-60": 1500,
		"sweep": 45, "9e9": 1500} {
		if p, err := parseSizes(size, mtu, wire.MinFrameLen); err == nil && len(p) > 0 {
			t.Errorf("%q at an MTU of %d: %v", size, mtu, p)
		}
	}
}
