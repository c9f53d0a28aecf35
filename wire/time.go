package wire

import (
	"math"
	"time"
)

// Time is an instant: nanoseconds of a monotonic clock with an origin that the caller chooses.
type Time int64

// Never is later than every instant. As a deadline it means that no timer runs.
const Never Time = math.MaxInt64

// Add returns the instant d after t, before t if d is negative. The result wraps around beyond Never.
func (t Time) Add(d time.Duration) Time { return t + Time(d) }

// Sub returns the time from u to t, negative if u is later.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }
