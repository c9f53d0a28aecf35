package traffic

import (
	"math/bits"
	"time"
)

// Buckets of the histogram: below 2^subBits ns a bucket for each value; above, 2^(subBits-1) buckets for every power of
// two, so that a bucket is at most 1/64 of its value wide.
const (
	subBits    = 7
	latencyMax = 1<<40 - 1 // ns, some 18 minutes; larger values count as latencyMax
	buckets    = (40-subBits)<<(subBits-1) + 1<<subBits
)

// histogram counts latencies in buckets of fixed relative width.
type histogram struct {
	count   [buckets]uint64
	entries uint64
}

// add counts a latency.
func (h *histogram) add(d time.Duration) {
	h.count[bucket(d)]++
	h.entries++
}

// bucket returns the number of the bucket in which a latency counts.
func bucket(d time.Duration) int {
	v := uint64(max(0, min(d, latencyMax)))
	shift := max(0, bits.Len64(v)-subBits)
	return shift<<(subBits-1) + int(v>>shift)
}

// lowest returns the smallest latency that counts in a bucket of the histogram.
func lowest(bucket int) time.Duration {
	if bucket < 1<<subBits {
		return time.Duration(bucket)
	}
	shift := bucket>>(subBits-1) - 1
	return time.Duration(bucket-shift<<(subBits-1)) << shift
}

// quantile returns the latency that the given share (0 to 1) of the entries does not exceed, to the width of a
// bucket; 0 without entries.
func (h *histogram) quantile(share float64) time.Duration {
	rank := uint64(share * float64(h.entries))
	for b := range h.count {
		if h.count[b] > rank {
			return lowest(b)
		}
		rank -= h.count[b]
	}
	return 0
}

// Latency is quantiles of the latency of frames, in microseconds.
type Latency struct {
	P50  float64 `json:"p50"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
}

// latency returns the quantiles of the counted latencies.
func (h *histogram) latency() Latency {
	us := func(share float64) float64 { return float64(h.quantile(share)) / 1000 }
	return Latency{P50: us(0.5), P99: us(0.99), P999: us(0.999)}
}
