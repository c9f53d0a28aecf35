package traffic

// maxBurst is how many frames an open loop that fell behind makes up for at
// once; what it owes beyond that is forgiven, or it would overrun an edge ring
// after every pause that the scheduler makes.
const maxBurst = 64

// pace is the open loop: a fixed rate, whatever arrives. The zero value never
// lets anything leave.
type pace struct {
	rate     float64 // frames a second
	start    int64   // ns, when the first frame was due
	forgiven uint64
}

// owed is how many frames are due after the given number have been sent.
func (p *pace) owed(sent uint64, now int64) uint64 {
	due := uint64(float64(now-p.start)*p.rate/1e9) - p.forgiven
	if due <= sent {
		return 0
	}
	return due - sent
}

// room is how many of them may leave at once.
func (p *pace) room(sent uint64, now int64) int {
	owed := p.owed(sent, now)
	if owed > maxBurst {
		p.forgiven += owed - maxBurst
		return maxBurst
	}
	return int(owed)
}

// skip forgives what is due, and returns how much that was.
func (p *pace) skip(sent uint64, now int64) uint64 {
	owed := p.owed(sent, now)
	p.forgiven += owed
	return owed
}

// due is when the frame after the given number of frames is to leave.
func (p *pace) due(sent uint64) int64 {
	return p.start + int64(float64(sent+p.forgiven+1)*1e9/p.rate)
}
