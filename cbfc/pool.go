package cbfc

// pool is SAI's CBFC_CREDIT_POOL of a sender whose partner grants a total: what of it is reserved
// for a channel, and what all share.
type pool struct {
	on      bool
	size    int // the total
	profile [VCs]Profile
	members uint32 // channels whose reserved part is kept
	shared  int    // of the shared part, what is in use
}

// sharedSize is SHARED_SIZE: what is not reserved.
func (p *pool) sharedSize() int {
	n := p.size
	for vc := range VCs {
		if p.members>>vc&1 != 0 {
			n -= int(p.profile[vc].Reserved)
		}
	}
	return max(n, 0)
}

// beyond is how much of used is more than the channel's reserved part.
func (p *pool) beyond(vc uint8, used int) int { return max(used-int(p.profile[vc].Reserved), 0) }

// admits tells whether a channel that uses so many credits may use n more.
func (p *pool) admits(vc uint8, used, n int) bool {
	if !p.on {
		return true
	}
	was, is := p.beyond(vc, used), p.beyond(vc, used+n)
	of := &p.profile[vc]
	most := int(of.Static)
	return is == was || !of.NoShared && p.shared+is-was <= p.sharedSize() && (most == 0 || is <= most)
}

// use notes that a channel that uses so many credits uses n more.
func (p *pool) use(vc uint8, used, n int) {
	if p.on {
		p.shared += p.beyond(vc, used+n) - p.beyond(vc, used)
	}
}

// free notes that it uses n less.
func (p *pool) free(vc uint8, used, n int) { p.use(vc, used, -n) }

// join has a channel take its part of a total, or none of it: then it has a limit of its own.
func (p *pool) join(vc uint8, total bool, size int) {
	p.members &^= 1 << vc
	if p.on = total; total {
		p.size = size
		p.members |= 1 << vc
	}
}
