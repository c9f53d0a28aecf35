package netem

import (
	"math"
	"testing"
	"time"

	"uelink/wire"
)

// slotted parses words, and returns the times at which 20,000 frames of 100 octets leave: all of them wait from the
// beginning.
func slotted(t *testing.T, words string) (at []wire.Time) {
	t.Helper()
	s, err := Parse(words, noFile)
	if err != nil {
		t.Fatal(err)
	}
	const frames = 20_000
	s.Limit = frames
	q := NewQueue[int](s, 3, frames)
	for i := range frames {
		q.Put(i, 100, Copy{}, 1)
	}
	for now := wire.Time(1); q.Len() > 0; now = max(now, q.Next()) {
		if n, _, ok := q.Take(now); ok {
			if n != len(at) {
				t.Fatalf("frame %d leaves as number %d", n, len(at))
			}
			at = append(at, now)
		}
	}
	return at
}

// gaps returns the number of slots, the mean and the deviation of the times between them, and the most frames of one.
func gaps(at []wire.Time) (slots int, mean, deviation time.Duration, most int) {
	var sum, squares float64
	run, before := 1, at[0]
	for _, now := range at[1:] {
		if now == before {
			run++
			most = max(most, run)
			continue
		}
		gap := float64(now.Sub(before))
		sum, squares = sum+gap, squares+gap*gap
		slots, run, before = slots+1, 1, now
	}
	n := float64(slots)
	return slots, time.Duration(sum / n), time.Duration(math.Sqrt(squares/n - sum/n*sum/n)), max(most, run)
}

// Frames leave in slots of the times and sizes of netem's words.
func TestSlots(t *testing.T) {
	const us = time.Microsecond
	for words, want := range map[string]struct {
		frames          int // of a slot
		mean, deviation time.Duration
	}{
		"slot 1ms packets 5":                              {5, 1000 * us, 0},
		"slot 800us 1200us packets 2":                     {2, 1000 * us, 115 * us}, // 400/sqrt(12)
		"slot 1ms bytes 250":                              {3, 1000 * us, 0},        // the third begins with 50 left
		"slot 1ms packets 4 bytes 1kb":                    {4, 1000 * us, 0},
		"slot distribution normal 1ms 100us packets 1":    {1, 1000 * us, 100 * us},
		"slot distribution uniform 10ms 1ms packets 10":   {10, 10_000 * us, 577 * us}, // 2000/sqrt(12)
		"slot 1ms packets 5 delay 2ms":                    {5, 1000 * us, 0},
		"rate 800kbit slot 1ms 1ms packets 1 bytes 50000": {1, 1000 * us, 0}, // one frame takes 1 ms
	} {
		slots, mean, deviation, most := gaps(slotted(t, words))
		tolerance := 5 * float64(want.deviation) / math.Sqrt(float64(slots))
		if most != want.frames || math.Abs(float64(mean-want.mean)) > tolerance+1 ||
			math.Abs(float64(deviation-want.deviation)) > 0.05*float64(want.deviation)+1 {
			t.Errorf("%q: %d slots of at most %d frames, %v ± %v; want %+v", words, slots, most, mean, deviation, want)
		}
	}
}

// Without a limit everything that waits leaves in one slot, and reordered frames wait for none.
func TestSlotsWithoutLimit(t *testing.T) {
	if slots, _, _, most := gaps(slotted(t, "slot 1ms")); slots != 0 || most != 20_000 {
		t.Errorf("%d slots after the first, of at most %d frames", slots, most)
	}
	q := NewQueue[int](Spec{Limit: 2, Slot: Slot{Least: time.Second, Most: time.Second}}, 1, 2)
	q.Put(0, 100, Copy{}, 0)
	q.Put(1, 100, Copy{Ahead: true}, 0)
	if n, _, ok := q.Take(0); n != 1 || !ok {
		t.Errorf("%d, %v", n, ok)
	}
	if _, _, ok := q.Take(0); ok || q.Next() != wire.Time(time.Second) {
		t.Errorf("%v, next at %v", ok, q.Next())
	}
}
