package partner

import (
	"time"

	"uelink/wire"
)

// leave is the state of a restart announced by the partner (STATION, item 4).
type leave struct {
	patience time.Duration // longest wait for the partner; 0: no wait
	until    wire.Time     // end of the wait; 0: no announcement
}

// SetPatience sets the longest time that this end waits for a partner that announces a restart; 0: no wait.
func (p *Partner) SetPatience(d time.Duration) { p.leave.patience = d }

// receivedLeave handles the partner's announcement that it restarts, and will be absent for up to ms milliseconds;
// 0: the partner stays, or is back.
func (p *Partner) receivedLeave(ms uint16, now wire.Time) {
	p.leave.until = 0
	if ms > 0 && p.leave.patience > 0 {
		p.leave.until = now.Add(min(p.leave.patience, time.Duration(ms)*time.Millisecond))
	}
}

// Patience returns the longest time that this end waits for a partner that announces a restart.
func (p *Partner) Patience() time.Duration { return p.leave.patience }

// Away reports whether the partner has announced a restart and still has time to come back. Frames for the partner wait
// meanwhile.
func (p *Partner) Away(now wire.Time) bool { return p.present && now < p.leave.until }

// Leaving reports whether the last STATION of the partner announces a restart.
func (p *Partner) Leaving() bool { return p.reported.Leaves > 0 }

// HoldsFrames reports whether the partner holds frames back because this end has announced a restart.
func (p *Partner) HoldsFrames() bool { return p.SendsStation() && p.reported.Holds }

// HoldsAllFrames reports whether the partner holds back new frames because this end has announced a restart, and has no
// unacknowledged frame left.
func (p *Partner) HoldsAllFrames() bool { return p.HoldsFrames() && p.reported.Held }
