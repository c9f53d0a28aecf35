package cbfc

import (
	"math/bits"

	"uelink/wire"
)

// How often CF_Update is said again though nothing was freed since, which repairs one that was
// lost, in nanoseconds: after refreshFirst, and twice as long each time up to refreshLast.
const (
	refreshFirst = 10_000_000
	refreshLast  = 1_000_000_000
)

// Receiver is the credits of what this end receives.
type Receiver struct {
	space    space
	settings Settings
	vc       [VCs]receiverVC
	on       uint32 // channels under credits
	untold   uint32 // of these, those of which CF_Update has not said all
	due      uint32 // and those of which an eighth of the limit is not told
	at       uint64 // octets received, when CF_Update was said last
	refresh  int64  // until CF_Update is said again
	again    int64  // when
	now      int64  // of the last Poll
	left     uint32 // channels of which CF_Update was to be said and found no room
	asked    uint32 // channels with a question of the partner that is not answered yet
	ready    uint32 // of these, those whose answer may have changed since the last Poll
	heard    uint32 // and those whose question has come since it was last looked at
	unknown  uint32 // channels of which the partner is to be told that they have no credits
	outdated uint32 // channels whose sender is to start again: they have got another limit or size, or sent beyond it
	forget   uint32 // channels whose next transaction may be any
	foreign  uint32 // channels that hold frames which the sender does not count as part of a total

	Held int // credits of what lies in the buffer, over all channels
}

// receiverVC is one channel as its receiver sees it.
type receiverVC struct {
	cc, cf   uint32 // R_VC_CC and R_VC_CF
	told     uint32 // R_VC_CF as CF_Update said it last
	limit    int
	eighth   int // of the limit, at least 1
	size     Size
	started  wire.ChannelOp // what the question was answered by: ChannelStarted or ChannelStartedTotal
	counters *Counters

	question  wire.Channel // the last that was taken
	doubted   wire.Channel // the last of a transaction that seems to be over
	sightings int          // how often that has come
}

func (v *receiverVC) held(of space) int { return int((v.cc - v.cf) & of.count) }

// Store notes a frame of so many octets that was accepted. It returns its credits, which are
// to be given to Free when its buffer is free again; 0 where the channel has none.
func (r *Receiver) Store(vc uint8, octets int) (credits int) {
	vc &= VCs - 1
	if r.on>>vc&1 == 0 {
		return 0
	}
	v := &r.vc[vc]
	credits = v.size.Credits(octets)
	v.cc = (v.cc + uint32(credits)) & r.space.count
	r.Held += credits
	if v.held(r.space) > v.limit {
		v.counters.Overruns++
		r.outdated |= 1 << vc
	}
	return credits
}

// Free notes that the buffer of a frame is free again.
func (r *Receiver) Free(vc uint8, credits int) {
	if credits == 0 {
		return
	}
	vc &= VCs - 1
	v, bit := &r.vc[vc], uint32(1)<<vc
	v.cf = (v.cf + uint32(credits)) & r.space.count
	r.Held -= credits
	r.untold |= bit & r.on
	if int((v.cf-v.told)&r.space.count) >= v.eighth {
		r.due |= bit & r.on
	}
	if r.asked != 0 {
		r.ready = r.asked
	}
}

// Owes tells whether something was freed that the partner does not know of.
func (r *Receiver) Owes() bool { return r.untold != 0 }

// Off tells whether no channel is under credits.
func (r *Receiver) Off() bool { return r.on == 0 }

// consumed takes a count of a CC_Update: the low bits of S_VC_CC, as many as the dialect
// carries. It always wins. What is held stays; what is missing was lost, and is freed.
func (r *Receiver) consumed(vc uint8, count uint32, carried int) {
	vc &= VCs - 1
	v := &r.vc[vc]
	if r.on>>vc&1 == 0 {
		v.counters.Unknown++
		r.unknown |= 1 << vc
		return
	}
	held := v.held(r.space)
	missing := nearest(count-v.cc, (uint32(1)<<carried-1)&r.space.count)
	switch {
	case missing < 0:
		v.counters.CCBackwards++
	case missing > 0:
		v.counters.Repaired += uint64(missing)
		v.counters.Repairs++
	}
	v.cc = (v.cc + uint32(missing)) & r.space.count
	v.cf = (v.cc - uint32(held)) & r.space.count
	r.untold |= 1 << vc
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

// poll appends the CF_Updates that are due. octets is how many the link has had time for; idle:
// nothing has come for a while.
func (r *Receiver) poll(now int64, octets uint64, idle bool, out []wire.CtlOS) []wire.CtlOS {
	r.now = now
	if r.on == 0 {
		return out
	}
	say := r.left
	since := octets - r.at
	switch {
	case now >= r.again:
		say = r.on
		r.refresh = min(2*r.refresh, refreshLast)
		r.unknown |= r.outdated
	case idle || since >= uint64(r.settings.CFMaxSpacing):
		say |= r.untold
	case since >= uint64(r.settings.CFMinSpacing):
		say |= r.due
	}
	if say == 0 {
		return out
	}
	if r.untold&say != 0 {
		r.refresh = refreshFirst
	}
	r.at, r.again = octets, now+r.refresh
	return r.updates(say, out)
}

// updates appends CF_Updates of channels, two in each; the last one is there twice where they
// are odd. What finds no room is said at the next Poll.
func (r *Receiver) updates(say uint32, out []wire.CtlOS) []wire.CtlOS {
	for say != 0 && !full(out) {
		first := r.update(bits.TrailingZeros32(say))
		second := first
		if say &= say - 1; say != 0 {
			second = r.update(bits.TrailingZeros32(say))
			say &= say - 1
		}
		out = append(out, wire.CtlOS{Type: wire.CFUpdate, CF: [2]wire.Credit{first, second}})
	}
	r.left = say
	return out
}

func (r *Receiver) update(vc int) wire.Credit {
	v := &r.vc[vc]
	v.told = v.cf
	r.untold &^= 1 << vc
	r.due &^= 1 << vc
	return wire.Credit{VC: uint8(vc), Count: uint16(v.cf & r.space.told)}
}
