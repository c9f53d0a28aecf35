package analyzer

import (
	"math/bits"
	"time"
)

// Classes of a histogram: times below 8 ns have a class for each nanosecond, longer times have eight classes for each
// power of two. So the width of a class is at most an eighth of its lower bound.
const (
	classBits = 3
	topBits   = 40
	longest   = 1<<topBits - 1 // longest time in ns, some 18 minutes; longer times count as this time
	classes   = (topBits-classBits)<<classBits + 1<<classBits
)

// Histogram counts times in classes of a fixed relative width. The zero value is empty.
type Histogram struct {
	class      [classes]uint64
	count      uint64
	sum        time.Duration
	least, top time.Duration
}

// Add counts a time. A negative one counts as 0.
func (h *Histogram) Add(d time.Duration) {
	d = min(max(d, 0), longest)
	if h.count == 0 || d < h.least {
		h.least = d
	}
	h.top = max(h.top, d)
	h.sum += d
	h.count++
	h.class[classOf(d)]++
}

// classOf returns the class of a time from 0 to longest.
func classOf(d time.Duration) int {
	shift := max(0, bits.Len64(uint64(d))-classBits-1)
	return shift<<classBits + int(d>>shift)
}

// lowest returns the shortest time of a class.
func lowest(class int) time.Duration {
	shift := max(0, class>>classBits-1)
	return time.Duration(class-shift<<classBits) << shift
}

// quantile returns the time that the given share (0 to 1) of all times does not exceed, rounded up to the end of its
// class, but at most the longest time counted; 0 without times.
func (h *Histogram) quantile(share float64) time.Duration {
	rank := uint64(share * float64(h.count))
	for class, n := range h.class {
		if n > rank {
			return max(h.least, min(h.top, lowest(class+1)-1))
		}
		rank -= n
	}
	return h.top
}

// Times is a histogram as JSON, in nanoseconds. All values are 0 if there are no times.
type Times struct {
	Count   uint64        `json:"count"`
	Min     time.Duration `json:"min_ns"`
	Mean    time.Duration `json:"mean_ns"`
	P50     time.Duration `json:"p50_ns"` // rounded up to the end of a class, as are P90 and P99
	P90     time.Duration `json:"p90_ns"`
	P99     time.Duration `json:"p99_ns"`
	Max     time.Duration `json:"max_ns"`
	Classes []Class       `json:"classes"` // classes with times, the shortest first
}

// Class is a class of times, from From on up to the next class.
type Class struct {
	From  time.Duration `json:"from_ns"`
	Count uint64        `json:"count"`
}

// Times returns a summary of the histogram.
func (h *Histogram) Times() Times {
	t := Times{Count: h.count, Min: h.least, P50: h.quantile(0.5), P90: h.quantile(0.9), P99: h.quantile(0.99),
		Max: h.top, Classes: []Class{}}
	if h.count > 0 {
		t.Mean = h.sum / time.Duration(h.count)
	}
	for class, n := range h.class {
		if n > 0 {
			t.Classes = append(t.Classes, Class{lowest(class), n})
		}
	}
	return t
}
