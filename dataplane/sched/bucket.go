package sched

import (
	"math"
	"math/bits"
)

// nanobits is how many nanoseconds an octet takes at 1 bit a second.
const nanobits = 8e9

// bucket is a token bucket. What it holds is kept as the time at which it will be full:
// it need not be refilled, and an idle port overflows nothing.
//
// It is open while it holds something, or is just empty. So over any time a port sends
// rate times the time, the depth of the bucket, and at most one frame.
type bucket struct {
	rate  uint64 // bits a second, 0 = no limit
	depth int64  // nanoseconds that it takes to fill
	full  int64  // when it is full
	part  uint64 // and so many nanoseconds / rate later: nothing is rounded away
	now   int64  // of the last call of open
}

// newBucket returns a full bucket of burst octets.
func newBucket(rate uint64, burst uint32) bucket {
	b := bucket{rate: rate, full: math.MinInt64}
	if rate == 0 {
		return b
	}
	b.depth = math.MaxInt64
	if high, low := bits.Mul64(uint64(burst), nanobits); high < rate {
		depth, _ := bits.Div64(high, low, rate)
		b.depth = int64(min(depth, math.MaxInt64))
	}
	return b
}

func (b *bucket) open(now int64) bool {
	b.now = now
	b.full = max(b.full, now)
	return b.full-now <= b.depth
}

func (b *bucket) deadline() int64 {
	if b.full-b.now <= b.depth {
		return math.MaxInt64
	}
	return b.full - b.depth
}

func (b *bucket) charge(octets uint32) {
	if b.rate == 0 {
		return
	}
	t := uint64(octets)*nanobits + b.part
	b.full += int64(t / b.rate)
	b.part = t % b.rate
}
