package partner

import "time"

// leave is what the partner has said of its going away.
type leave struct {
	patience int64 // for how long, in nanoseconds, it is waited for at most
	until    int64 // it is waited for until then; 0: it has not said that it leaves
}

// SetPatience says for how long, in nanoseconds, a partner that leaves is waited for at most; 0: not at all.
func (p *Partner) SetPatience(ns int64) { p.leave.patience = ns }

// left takes for how many milliseconds the partner leaves at most, by its word; 0: it does not, or is back.
func (p *Partner) left(ms uint16, now int64) {
	p.leave.until = 0
	if ms > 0 && p.leave.patience > 0 {
		p.leave.until = now + min(p.leave.patience, int64(ms)*int64(time.Millisecond))
	}
}

// Patience is for how long, in nanoseconds, a partner that leaves is waited for at most.
func (p *Partner) Patience() int64 { return p.leave.patience }

// Away tells whether the partner has said that it leaves, and has time to come back: frames for it are to wait.
func (p *Partner) Away(now int64) bool { return p.known && now < p.leave.until }

// Gone tells whether the last that the partner has said is that it leaves.
func (p *Partner) Gone() bool { return p.told.Leaves > 0 }

// Holds tells whether the partner, which was told that this end leaves, sends it no more data.
func (p *Partner) Holds() bool { return p.Speaks() && p.told.Holds }

// Held tells whether, besides, none of the partner's frames is unacknowledged.
func (p *Partner) Held() bool { return p.Holds() && p.told.Held }
