package hippi

import (
	"testing"
	"time"

	"uelink/wire"
)

// The automatic ACK timeout follows a slower partner in one loop, and forgets it in some ten.
func TestACKTimeoutRemembersASlowPartner(t *testing.T) {
	var l loop
	now := wire.Time(1)
	measure := func(d time.Duration) {
		l.begin(0, now)
		now = now.Add(d)
		l.end(now)
	}
	for range 100 {
		measure(50 * time.Microsecond)
	}
	want(t, "timeout on an even wire", l.timeout(), minACKTimeout)
	measure(3 * time.Millisecond)
	if got := l.timeout(); got < 3*time.Millisecond {
		t.Errorf("timeout %v behind a loop of 3 ms", got)
	}
	for range 10 {
		measure(50 * time.Microsecond)
	}
	if got := l.timeout(); got < time.Millisecond || got > 3*time.Millisecond {
		t.Errorf("timeout %v ten loops later", got)
	}
	for range 100 {
		measure(50 * time.Microsecond)
	}
	if got := l.timeout(); got > 2*minACKTimeout {
		t.Errorf("timeout %v in the end", got)
	}
}
