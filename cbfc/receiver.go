package cbfc

import (
	"math/bits"
	"time"

	"uelink/wire"
)

// Intervals of CF_Updates without new credits, which replace lost CF_Updates: refreshFirst, doubled each time up to
// refreshLast.
const (
	refreshFirst = 10 * time.Millisecond
	refreshLast  = time.Second
)

// Receiver is the credits of the frames that this end receives.
type Receiver struct {
	space      space
	settings   Settings
	vc         [VCs]receiverVC
	on         uint32        // bitmap of the channels under credits
	unreported uint32        // channels of the bitmap on with freed credits that no CF_Update has reported
	due        uint32        // channels of the bitmap on that have freed an eighth of their limit, not reported yet
	at         uint64        // value of Env.Octets at the last CF_Update
	refresh    time.Duration // time until CF_Updates are repeated without new credits
	repeatAt   wire.Time     // when CF_Updates are repeated without new credits
	now        wire.Time     // time of the last Poll
	left       uint32        // channels whose due CF_Update found no room in the last control frame
	asked      uint32        // channels with an unanswered question (START or STOP) of the partner
	ready      uint32        // channels of the bitmap asked whose answer may have changed since the last Poll
	fresh      uint32        // channels of the bitmap asked whose question was received since the last Poll
	unknown    uint32        // channels for which UNKNOWN must be sent
	outdated   uint32        // channels whose sender must start again: new limit or size, or limit exceeded
	forget     uint32        // channels whose next question may have any transaction number
	foreign    uint32        // channels with held frames that the sender does not count towards a total

	Held int // credits of the frames in the buffer, over all channels
}

// receiverVC is one channel of the receiver.
type receiverVC struct {
	cc, cf   uint32         // R_VC_CC and R_VC_CF: counts of consumed and of freed credits
	reported uint32         // the count R_VC_CF that the last CF_Update reported
	limit    int            // credits granted at the start
	eighth   int            // an eighth of the limit, at least 1
	size     Size           // size of credits at the start
	started  wire.ChannelOp // the answer to the START: ChannelStarted or ChannelStartedTotal
	counters *Counters

	question  wire.Channel // the last accepted question, START or STOP
	doubted   wire.Channel // the last question of a seemingly finished transaction
	sightings int          // how often the question doubted was received
}

// heldCredits returns the credits of the channel's frames that are in the receive buffer.
func (v *receiverVC) heldCredits(masks space) int { return int((v.cc - v.cf) & masks.count) }

// Store records that the receive buffer holds an accepted frame of a channel, and returns the credits that the frame
// costs; 0 on a channel without credits. octets is the frame's length. The caller passes the returned credits to Free
// when the frame's buffer is free again. A channel that holds more than its limit must start again (Overruns).
// Clauses: UE-LINK/overview.8.
func (r *Receiver) Store(vc uint8, octets int) (credits int) {
	vc &= VCs - 1
	if r.on>>vc&1 == 0 {
		return 0
	}
	v := &r.vc[vc]
	credits = v.size.Credits(octets)
	v.cc = (v.cc + uint32(credits)) & r.space.count
	r.Held += credits
	if v.heldCredits(r.space) > v.limit {
		v.counters.Overruns++
		r.outdated |= 1 << vc
	}
	return credits
}

// Free returns credits, the value from Store, of a frame whose buffer is free again; a CF_Update reports them to
// the partner later.
func (r *Receiver) Free(vc uint8, credits int) {
	if credits == 0 {
		return
	}
	vc &= VCs - 1
	v, bit := &r.vc[vc], uint32(1)<<vc
	v.cf = (v.cf + uint32(credits)) & r.space.count
	r.Held -= credits
	r.unreported |= bit & r.on
	if int((v.cf-v.reported)&r.space.count) >= v.eighth {
		r.due |= bit & r.on
	}
	if r.asked != 0 {
		r.ready = r.asked // a START or STOP that waits for free credits may have its answer now
	}
}

// OwesUpdate reports whether freed credits are not yet reported by CF_Update.
func (r *Receiver) OwesUpdate() bool { return r.unreported != 0 }

// Off reports whether no channel is under credits in the receiving direction.
func (r *Receiver) Off() bool { return r.on == 0 }

// receivedCount handles the count of one channel in a CC_Update: the low bits of S_VC_CC, the partner's count of
// consumed credits, as many bits as the dialect carries. This end takes over the partner's count. A difference
// between the counts means lost frames, whose credits are freed; credits of frames in the buffer stay held.
// Clauses: UE-LINK/cc.9.
func (r *Receiver) receivedCount(vc uint8, count uint32, carried int) {
	vc &= VCs - 1
	v := &r.vc[vc]
	if r.on>>vc&1 == 0 {
		v.counters.Unknown++
		r.unknown |= 1 << vc
		return
	}
	stored := v.heldCredits(r.space)
	missing := nearest(count-v.cc, (uint32(1)<<carried-1)&r.space.count)
	switch {
	case missing < 0:
		v.counters.CCBackwards++
	case missing > 0:
		v.counters.Repaired += uint64(missing)
		v.counters.Repairs++
	}
	v.cc = (v.cc + uint32(missing)) & r.space.count
	v.cf = (v.cc - uint32(stored)) & r.space.count
	r.unreported |= 1 << vc
	r.due |= 1 << vc
}

// nearest returns the shortest step, forward or back, between two counts, by the low bits of their difference. A late
// CC_Update takes R_CC back, and the next one takes it forward by the same step, also beyond the limit. So the bits
// that no message carries stay right.
func nearest(difference, mask uint32) int {
	if n := difference & mask; n <= mask/2 {
		return int(n)
	}
	return -int(-difference & mask)
}

// poll appends the CF_Updates that are due: for channels with an eighth of the limit freed after CFMinSpacing octets,
// for all freed credits after CFMaxSpacing octets or if idle, and for all channels when CF_Update is repeated. octets
// counts the octets that the link has had time to carry; idle means that nothing was received for a while.
// Clauses: UE-LINK/overview.9, UE-LINK/cf.11.
func (r *Receiver) poll(now wire.Time, octets uint64, idle bool, out []wire.CtlOS) []wire.CtlOS {
	r.now = now
	if r.on == 0 {
		return out
	}
	say := r.left
	since := octets - r.at
	switch {
	case now >= r.repeatAt:
		say = r.on
		r.refresh = min(2*r.refresh, refreshLast)
		r.unknown |= r.outdated
	case idle || since >= uint64(r.settings.CFMaxSpacing):
		say |= r.unreported
	case since >= uint64(r.settings.CFMinSpacing):
		say |= r.due
	}
	if say == 0 {
		return out
	}
	if r.unreported&say != 0 {
		r.refresh = refreshFirst
	}
	r.at, r.repeatAt = octets, now.Add(r.refresh)
	return r.appendUpdates(say, out)
}

// appendUpdates appends CF_Updates for the channels of the bitmap say: two channels in each, an odd last channel
// twice. Channels for which out has no capacity wait for the next Poll.
// Clauses: UE-LINK/cf.1.
func (r *Receiver) appendUpdates(say uint32, out []wire.CtlOS) []wire.CtlOS {
	for say != 0 && !full(out) {
		first := r.nextCredit(bits.TrailingZeros32(say))
		second := first
		if say &= say - 1; say != 0 {
			second = r.nextCredit(bits.TrailingZeros32(say))
			say &= say - 1
		}
		out = append(out, wire.CtlOS{Type: wire.CFUpdate, CF: [2]wire.Credit{first, second}})
	}
	r.left = say
	return out
}

// nextCredit returns the pair of channel number and count of freed credits that a CF_Update carries, and records
// the count as reported.
// Clauses: UE-LINK/cf.13.
func (r *Receiver) nextCredit(vc int) wire.Credit {
	v := &r.vc[vc]
	v.reported = v.cf
	r.unreported &^= 1 << vc
	r.due &^= 1 << vc
	return wire.Credit{VC: uint8(vc), Count: uint16(v.cf & r.space.update)}
}
