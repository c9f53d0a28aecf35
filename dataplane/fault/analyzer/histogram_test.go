package analyzer

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Every class is an eighth of its bounds wide at most, and they follow each other without a gap.
func TestClasses(t *testing.T) {
	for c := range classes {
		from := lowest(c)
		if got := classOf(from); got != c {
			t.Fatalf("class %d begins at %d, which is of class %d", c, from, got)
		}
		if c == 0 {
			continue
		}
		if got := classOf(from - 1); got != c-1 {
			t.Fatalf("%d is of class %d, want %d", from-1, got, c-1)
		}
		if width := from - lowest(c-1); width > 1 && width > lowest(c-1)/8 {
			t.Fatalf("class %d is %d wide", c-1, width)
		}
	}
	if got := classOf(longest); got != classes-1 {
		t.Errorf("the longest time is of class %d of %d", got, classes)
	}
}

func TestQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var h Histogram
	var all []time.Duration
	for range 1000 {
		d := time.Duration(r.ExpFloat64() * 1e5)
		h.Add(d)
		all = append(all, d)
	}
	slices.Sort(all)
	times := h.Times()
	for _, c := range []struct {
		got, want time.Duration
	}{{times.P50, all[500]}, {times.P90, all[900]}, {times.P99, all[990]}} {
		if c.got < c.want || c.got > c.want+c.want/8+1 {
			t.Errorf("%v, want %v to an eighth above", c.got, c.want)
		}
	}
	n := uint64(0)
	for _, c := range times.Classes {
		n += c.Count
	}
	if times.Min != all[0] || times.Max != all[999] || n != 1000 {
		t.Errorf("%v to %v, %d in classes", times.Min, times.Max, n)
	}
	var none Histogram
	if e := none.Times(); e.Count != 0 || e.P99 != 0 || e.Mean != 0 || e.Classes == nil {
		t.Errorf("without times: %+v", e)
	}
	none.Add(-1)
	none.Add(1 << 62)
	if e := none.Times(); e.Min != 0 || e.Max != longest {
		t.Errorf("bounds: %+v", e)
	}
}
