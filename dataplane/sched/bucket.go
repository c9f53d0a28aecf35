package sched

import (
	"math"
	"math/bits"
	"time"

	"uelink/wire"
)

// nanobits is the nanoseconds of an octet at 1 bit a second.
const nanobits = 8e9

// bucket is a token bucket. The field full stores the content as the time at which the bucket will be full: so no
// refill is needed, and an idle port cannot overflow the bucket.
//
// The bucket is open while not in debt. So in any time a port sends at most the rate times the time, the depth of the
// bucket, and one frame.
type bucket struct {
	rate  uint64        // bits a second, 0 = no limit
	depth time.Duration // time to fill the empty bucket
	full  wire.Time     // when the bucket will be full
	part  uint64        // remainder of full in nanoseconds / rate, so that no part is rounded away
	now   wire.Time     // time of the last call of open
}

// newBucket returns a full token bucket of burst octets that fills at rate bit/s; rate 0 is no limit. A depth beyond
// the longest time is cut to that.
func newBucket(rate uint64, burst uint32) bucket {
	b := bucket{rate: rate, full: math.MinInt64}
	if rate == 0 {
		return b
	}
	b.depth = math.MaxInt64
	if high, low := bits.Mul64(uint64(burst), nanobits); high < rate {
		depth, _ := bits.Div64(high, low, rate)
		b.depth = time.Duration(min(depth, math.MaxInt64))
	}
	return b
}

// open reports whether the rate limit lets a frame leave at now.
func (b *bucket) open(now wire.Time) bool {
	b.now = now
	b.full = max(b.full, now)
	return b.full.Sub(now) <= b.depth
}

// deadline returns when the rate limit lets the next frame leave, wire.Never if it let a frame leave at the last call
// of open.
func (b *bucket) deadline() wire.Time {
	if b.full.Sub(b.now) <= b.depth {
		return wire.Never
	}
	return b.full.Add(-b.depth)
}

// charge takes the tokens for octets sent out of the bucket, which may go into debt.
func (b *bucket) charge(octets uint32) {
	if b.rate == 0 {
		return
	}
	t := uint64(octets)*nanobits + b.part
	b.full = b.full.Add(time.Duration(t / b.rate))
	b.part = t % b.rate
}
