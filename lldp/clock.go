package lldp

import (
	"time"

	"uelink/wire"
)

// maxStep limits the advance between two readings of the caller's clock. It exceeds the longest
// TTL, so that every neighbour expires in a longer step too.
const maxStep = 24 * time.Hour

// clock is a monotonic clock driven by the caller's time. When the caller's time steps back, this
// clock stands still: a deadline one second ahead stays one second ahead.
type clock struct {
	started bool      // read was called
	caller  wire.Time // latest reading of the caller's clock
	now     wire.Time // time of this clock, from 0
}

// read advances the agent's clock by the time that has passed on the caller's clock, at most maxStep.
func (c *clock) read(now wire.Time) {
	if c.started && now > c.caller {
		c.now = c.now.Add(time.Duration(min(uint64(now)-uint64(c.caller), uint64(maxStep))))
	}
	c.started, c.caller = true, now
}

// callerTime converts a time of this clock into the caller's time.
func (c *clock) callerTime(t wire.Time) wire.Time {
	if t == wire.Never {
		return wire.Never
	}
	return c.caller.Add(t.Sub(c.now))
}
