package bridge

import (
	"time"

	"uelink/wire"
)

// token is one token in the unit of bucket.tokens, billionths of a token. In this unit a rate in tokens a second is the
// same number a nanosecond.
const token = int64(time.Second)

// A full bucket holds the tokens of this part of a second, but at least a few: the handful of frames that a host
// sends at its start (ARP, DHCP, IPv6) gets through a low limit. It never holds more than the tokens of a second.
const (
	burstPart = 50
	burstFew  = 8
)

// bucket limits a rate. The zero bucket has no limit.
type bucket struct {
	rate   int64     // tokens a second; 0 = no limit
	tokens int64     // billionths
	last   wire.Time // when tokens were last added
}

// newBucket returns a full token bucket for a limit of rate frames a second; 0 is no limit.
func newBucket(rate uint32) bucket {
	b := bucket{rate: int64(rate)}
	b.tokens = b.capacity()
	return b
}

// capacity returns the number of tokens of a full bucket, in billionths of a token.
func (b *bucket) capacity() int64 { return max(b.rate/burstPart, min(b.rate, burstFew)) * token }

// take adds the tokens earned since the last call, removes one token, and reports whether there was one; without a
// limit always true.
func (b *bucket) take(now wire.Time) bool {
	if b.rate == 0 {
		return true
	}
	if passed := min(now.Sub(b.last), time.Second); passed > 0 {
		b.tokens = min(b.tokens+int64(passed)*b.rate, b.capacity())
		b.last = now
	}
	if b.tokens < token {
		return false
	}
	b.tokens -= token
	return true
}
