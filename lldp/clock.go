package lldp

// maxStep limits the advance between two readings of the caller's clock. It exceeds the longest
// TTL, so that every neighbour expires in a longer step too.
const maxStep = 24 * 3600 * second

// clock is a monotonic clock driven by the caller's time. When the caller's time steps back, this
// clock stands still: a deadline one second ahead stays one second ahead.
type clock struct {
	started bool
	caller  int64 // the latest reading
	now     int64 // of this clock, from 0
}

// read advances the clock by a reading of the caller's time.
func (c *clock) read(now int64) {
	if c.started && now > c.caller {
		c.now += int64(min(uint64(now)-uint64(c.caller), maxStep))
	}
	c.started, c.caller = true, now
}

// callerTime converts a time of this clock into the caller's time.
func (c *clock) callerTime(t int64) int64 {
	if t == never {
		return never
	}
	return c.caller + t - c.now
}
