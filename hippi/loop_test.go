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

// A loop behind many retransmissions, as of a partner that was stopped once, lengthens the timeout for a few loops
// only; a partner that is as slow again and again is soon waited for.
func TestStoppedPartnerIsNoSlowPartner(t *testing.T) {
	l := loop{mean: 50 * time.Microsecond, least: 40 * time.Microsecond}
	measure := func(d time.Duration) {
		l.begin(0, 1)
		for range maxBackoff {
			l.retransmitted(wire.Time(time.Second))
		}
		l.end(wire.Time(time.Second + d))
		l.backoff = 0
	}
	measure(10 * time.Millisecond)
	if got := l.timeout(); got > 10*minACKTimeout {
		t.Errorf("timeout %v behind one loop of 10 ms", got)
	}
	for range 2 {
		measure(10 * time.Millisecond)
	}
	if got := l.timeout(); got < 10*time.Millisecond {
		t.Errorf("timeout %v behind three loops of 10 ms", got)
	}
}

// All retries of a link with a short loop take more than a second: so long the partner may be without its CPU.
func TestRetriesTakeMoreThanASecond(t *testing.T) {
	l := loop{mean: 20 * time.Microsecond}
	want(t, "timeout", l.timeout(), minACKTimeout)
	var all time.Duration
	for range Software().Retries {
		all += l.timeout()
		l.retransmitted(wire.Time(all))
	}
	if all < time.Second || all > 3*time.Second {
		t.Errorf("%d retries take %v", Software().Retries, all)
	}
	l = loop{mean: 40 * time.Millisecond}
	for range maxBackoff {
		l.retransmitted(1)
	}
	want(t, "timeout of a slow partner", l.timeout(), maxACKTimeout)
}

// A mean that is too long, of a partner that was slow for a while, does not make losses look like a slow partner: the
// timeout goes back to that of the wire, though every fourth micropacket is lost.
func TestLossesAreNoSlowPartner(t *testing.T) {
	var l loop
	now := wire.Time(1)
	const wireLoop = 200 * time.Microsecond
	measure := func(lost bool, d time.Duration) {
		l.begin(0, now)
		if lost {
			now = now.Add(l.timeout())
			l.retransmitted(now)
		}
		now = now.Add(d)
		l.end(now)
		l.backoff = 0
	}
	for range 20 {
		measure(false, wireLoop)
	}
	for range 5 {
		measure(false, 20*time.Millisecond)
	}
	if got := l.timeout(); got < 20*time.Millisecond {
		t.Fatalf("timeout %v of a slow partner", got)
	}
	for i := range 400 {
		measure(i%4 == 0, wireLoop)
	}
	if got := l.timeout(); got > 5*wireLoop {
		t.Errorf("timeout %v, of a loop of %v", got, wireLoop)
	}
}
