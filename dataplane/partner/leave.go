package partner

import "time"

// leave remembers that the partner has announced a restart (STATION, item 4).
type leave struct {
	patience int64 // longest wait for the partner, ns; 0: no wait
	until    int64 // end of the wait; 0: the partner has announced nothing
}

// SetPatience sets the longest wait for a partner that leaves, in nanoseconds; 0: no wait.
func (p *Partner) SetPatience(ns int64) { p.leave.patience = ns }

// left takes the milliseconds that the partner announces to be away; 0: the partner stays, or is back.
func (p *Partner) left(ms uint16, now int64) {
	p.leave.until = 0
	if ms > 0 && p.leave.patience > 0 {
		p.leave.until = now + min(p.leave.patience, int64(ms)*int64(time.Millisecond))
	}
}

// Patience returns the longest wait for a partner that leaves, in nanoseconds.
func (p *Partner) Patience() int64 { return p.leave.patience }

// Away reports whether the partner has announced a restart and still has time to come back. Frames for the partner wait
// meanwhile.
func (p *Partner) Away(now int64) bool { return p.known && now < p.leave.until }

// Gone reports whether the last STATION of the partner announces a restart.
func (p *Partner) Gone() bool { return p.told.Leaves > 0 }

// Holds reports whether the partner holds frames back because this end leaves.
func (p *Partner) Holds() bool { return p.Speaks() && p.told.Holds }

// Held reports whether, besides, every frame that the partner has sent is acknowledged.
func (p *Partner) Held() bool { return p.Holds() && p.told.Held }
