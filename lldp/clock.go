package lldp

// maxStep is the most that a clock is believed to have advanced between two
// readings: more than the longest TTL, so that nothing outlives a longer step.
const maxStep = 24 * 3600 * second

// clock makes, of the caller's time, one that never goes back: when the caller's
// steps back, no time has passed, and what was to come in a second still comes in
// a second.
type clock struct {
	started bool
	caller  int64 // the latest reading
	now     int64 // time on this clock, from 0
}

// read takes a reading of the caller's clock.
func (c *clock) read(now int64) {
	if c.started && now > c.caller {
		c.now += int64(min(uint64(now)-uint64(c.caller), maxStep))
	}
	c.started, c.caller = true, now
}

// outside is a time of this clock on the caller's.
func (c *clock) outside(t int64) int64 {
	if t == never {
		return never
	}
	return c.caller + t - c.now
}
