package bridge

import "time"

// A bucket holds tokens in billionths, so that a rate in tokens a second is one in billionths
// a nanosecond.
const token = int64(time.Second)

// A bucket holds as many tokens as come in this part of a second, or a few, so that the handful
// of frames with which a host begins (ARP, DHCP, IPv6) gets through a low limit. But it holds no
// more than come in a second.
const (
	burstPart = 50
	burstFew  = 8
)

// bucket limits what happens to a rate. The zero bucket has no limit.
type bucket struct {
	rate   int64 // tokens a second; 0 = no limit
	tokens int64 // billionths
	last   int64 // when tokens were last added
}

// newBucket makes a full bucket.
func newBucket(rate uint32) bucket {
	b := bucket{rate: int64(rate)}
	b.tokens = b.capacity()
	return b
}

func (b *bucket) capacity() int64 { return max(b.rate/burstPart, min(b.rate, burstFew)) * token }

// take takes a token, unless there is none.
func (b *bucket) take(now int64) bool {
	if b.rate == 0 {
		return true
	}
	if passed := min(now-b.last, int64(time.Second)); passed > 0 {
		b.tokens = min(b.tokens+passed*b.rate, b.capacity())
		b.last = now
	}
	if b.tokens < token {
		return false
	}
	b.tokens -= token
	return true
}
