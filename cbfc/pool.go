package cbfc

import "math/bits"

// pool is SAI's CBFC_CREDIT_POOL of a sender: the reserved part of each channel, and the part that all share. Its size
// is the total that the partner grants, or this end's bound if that is smaller or if the partner grants limits. The
// pool counts the usage of its members separately, because the receiver may still hold frames of a channel that has
// fallen back to best effort.
type pool struct {
	size    int // credits that all members together may use
	granted int // the partner's total; 0: the partner grants a limit to each channel
	bound   int // the most credits that this end lets the pool have; 0: no bound
	profile [VCs]Profile
	keeps   uint32   // bitmap of the channels configured lossless, whose reserved part is set aside
	members uint32   // bitmap of the channels that use credits of the pool
	use     [VCs]int // credits that each member uses
	used    int      // credits that all members use
	shared  int      // credits in use of those that are not reserved
	most    int      // SHARED_SIZE: credits of the pool that are reserved for no channel
}

// beyond returns how many of the credits that a channel would use, used, exceed the part of the pool reserved for the
// channel.
func (p *pool) beyond(vc uint8, used int) int { return max(used-int(p.profile[vc].Reserved), 0) }

// includes reports whether a channel takes its credits from the pool.
func (p *pool) includes(vc uint8) bool { return p.members>>vc&1 != 0 }

// allows reports whether a channel may use n more credits of the pool. Credits beyond the channel's reserved part come
// from the shared part, as far as its profile lets it use that part. The usage of all channels together never exceeds
// the size of the pool, whatever the reservations.
func (p *pool) allows(vc uint8, n int) bool {
	before, after := p.beyond(vc, p.use[vc]), p.beyond(vc, p.use[vc]+n)
	profile := &p.profile[vc]
	threshold := int(profile.Static)
	return p.used+n <= p.size && (after == before || !profile.NoShared && p.shared+after-before <= p.most &&
		(threshold == 0 || after <= threshold))
}

// charge adds n credits to those that a channel uses of the pool; n may be negative.
func (p *pool) charge(vc uint8, n int) {
	p.shared += p.beyond(vc, p.use[vc]+n) - p.beyond(vc, p.use[vc])
	p.use[vc] += n
	p.used += n
}

// maxUse returns the largest number of credits of the pool that a channel can ever use: its reserved part, and of the
// shared part as much as its profile allows.
func (p *pool) maxUse(vc uint8) int {
	profile, shared := &p.profile[vc], p.most
	switch {
	case profile.NoShared:
		shared = 0
	case profile.Static > 0:
		shared = min(shared, int(profile.Static))
	}
	return min(int(profile.Reserved)+shared, p.size)
}

// add makes a channel a member of the pool. granted is the total of credits that the partner grants to all members
// together; 0 if it grants each channel a limit of its own.
func (p *pool) add(vc uint8, granted int) {
	p.granted = granted
	p.members |= 1 << vc
	p.recount()
}

// remove ends the membership of a channel in the pool and frees its credits: the receiver holds no frame of the
// channel.
func (p *pool) remove(vc uint8) {
	if p.includes(vc) {
		p.charge(vc, -p.use[vc])
		p.members &^= 1 << vc
	}
}

// configure applies new settings to the pool: the profiles of all channels, keeps, a bitmap of the channels with a
// reserved part, and bound, the most credits that this end lets the pool have. Credits in use stay in use.
func (p *pool) configure(profile [VCs]Profile, keeps uint32, bound int) {
	p.profile, p.keeps, p.bound = profile, keeps, bound
	p.recount()
}

// recount recomputes the size of the pool (the smaller of granted and bound), and the size and the usage of the shared
// part.
func (p *pool) recount() {
	p.size = p.granted
	if p.bound > 0 && (p.granted == 0 || p.bound < p.granted) {
		p.size = p.bound
	}
	p.shared, p.most = 0, p.size
	for rest := p.keeps; rest != 0; rest &= rest - 1 {
		p.most -= int(p.profile[bits.TrailingZeros32(rest)].Reserved)
	}
	p.most = max(p.most, 0)
	for vc := range uint8(VCs) {
		p.shared += p.beyond(vc, p.use[vc])
	}
}
