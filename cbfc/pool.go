package cbfc

import "math/bits"

// pool is SAI's CBFC_CREDIT_POOL of a sender whose partner grants a total: what of it is reserved
// for a channel, and what all share. It goes by itself what its members use: when a channel has
// fallen back to best effort the receiver may still hold frames of it.
type pool struct {
	size    int // the total
	profile [VCs]Profile
	keeps   uint32   // channels whose reserved part is kept: those that are to be lossless
	members uint32   // channels that use credits of it
	use     [VCs]int // credits that each of them uses
	used    int      // that all of them use
	shared  int      // what of the shared part is used
	most    int      // SHARED_SIZE: what is not reserved
}

// beyond is how much of used is more than the channel's reserved part.
func (p *pool) beyond(vc uint8, used int) int { return max(used-int(p.profile[vc].Reserved), 0) }

// has tells whether a channel takes its credits from the pool.
func (p *pool) has(vc uint8) bool { return p.members>>vc&1 != 0 }

// admits tells whether a channel may use n credits more. All that it uses never exceeds the
// total, whatever is reserved.
func (p *pool) admits(vc uint8, n int) bool {
	was, is := p.beyond(vc, p.use[vc]), p.beyond(vc, p.use[vc]+n)
	of := &p.profile[vc]
	th := int(of.Static)
	return p.used+n <= p.size && (is == was || !of.NoShared && p.shared+is-was <= p.most && (th == 0 || is <= th))
}

// take notes that a channel uses n credits more, or fewer if n is negative.
func (p *pool) take(vc uint8, n int) {
	p.shared += p.beyond(vc, p.use[vc]+n) - p.beyond(vc, p.use[vc])
	p.use[vc] += n
	p.used += n
}

// reach is the most that a channel can ever use.
func (p *pool) reach(vc uint8) int {
	of, shared := &p.profile[vc], p.most
	switch {
	case of.NoShared:
		shared = 0
	case of.Static > 0:
		shared = min(shared, int(of.Static))
	}
	return min(int(of.Reserved)+shared, p.size)
}

// join has a channel take its part of a total.
func (p *pool) join(vc uint8, size int) {
	p.size = size
	p.members |= 1 << vc
	p.settle()
}

// leave notes that the receiver holds nothing of a channel, which takes nothing more.
func (p *pool) leave(vc uint8) {
	if p.has(vc) {
		p.take(vc, -p.use[vc])
		p.members &^= 1 << vc
	}
}

// configure takes other profiles. What is used stays.
func (p *pool) configure(profile [VCs]Profile, keeps uint32) {
	p.profile, p.keeps = profile, keeps
	p.settle()
}

// settle counts the parts.
func (p *pool) settle() {
	p.shared, p.most = 0, p.size
	for rest := p.keeps; rest != 0; rest &= rest - 1 {
		p.most -= int(p.profile[bits.TrailingZeros32(rest)].Reserved)
	}
	p.most = max(p.most, 0)
	for vc := range uint8(VCs) {
		p.shared += p.beyond(vc, p.use[vc])
	}
}
