package pfc

import (
	"math"
	"testing"

	"uelink/wire"
)

// The other end stops priority 3 for two thirds of each 30 ms, with breaks, so that Stuck never reports it.
func TestShareOfAPriorityStoppedTwoThirdsOfTheTime(t *testing.T) {
	p := newTestPaused(t, PausedSettings{Priorities: 0xFF, Rate: 1e9})
	now := wire.Time(0)
	for ; now < wire.Time(3*Window); now += 30 * ms {
		p.ReceivedFrame(stops(1<<3, 0), now)
		p.ReceivedFrame(stops(0, 1<<3), now+20*ms)
	}
	p.ClearCounters(now)
	shares := p.Shares(now)
	if math.Abs(shares[3]-2./3) > 0.01 || shares[4] != 0 || p.Stuck(now) != 0 {
		t.Errorf("shares %v", shares)
	}
	if later := p.Shares(now.Add(Window / 2)); later[3] <= 0.2 || later[3] >= shares[3] {
		t.Errorf("half a window later %v", later)
	}
	if over := p.Shares(now.Add(2 * Window)); over[3] != 0 {
		t.Errorf("after the window %v", over)
	}
}
