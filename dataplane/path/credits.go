package path

import (
	"math/bits"

	"uelink/cbfc"
	"uelink/dataplane/frame"
	"uelink/dataplane/qos"
	"uelink/llr"
	"uelink/wire"
)

// CBFC of a link, together with LLR. The sender charges a frame at its first transmission (tx_link.go). The receiver
// counts the frame after LLR's verdict, and returns the credits together with the frame's chunk (source.go).

// creditAccount is the state of a link's credits beside the machine of CBFC.
type creditAccount struct {
	env     cbfc.Env
	unacked [qos.Classes + 1]int      // frames held by LLR, by VC; the last entry: frames to the partner itself
	counts  wire.CCUpdate             // scratch
	note    [wire.MaxCCUpdateLen]byte // scratch: the frame of a CC_Update
}

// arrive records a frame of n octets of channel vc delivered by LLR, before it is forwarded: the frame occupies
// credits.
func (l *Link) arrive(s *source, vc uint8, n int) {
	credits := l.cbfc.Rx.Store(vc, n)
	s.arrives = arrival{class: vc, assured: credits > 0, credits: credits}
}

// settle returns to the partner the credits of a frame that has arrived, unless the frame waits in a queue (retained):
// then the credits go back when the frame's chunk is free. settle returns retained.
func (l *Link) settle(s *source, retained bool) bool {
	if !retained {
		l.cbfc.Rx.Free(s.arrives.class, s.arrives.credits)
	}
	return retained
}

// passing records a frame of n octets that LLR delivered and that left at once or was dropped: its credits go back
// to the partner.
func (l *Link) passing(vc uint8, n int) { l.cbfc.Rx.Free(vc, l.cbfc.Rx.Store(vc, n)) }

// vcOf returns the virtual channel on which the frames of a queue are sent.
func (l *Link) vcOf(queue uint8) uint8 {
	if int(queue) >= l.channels {
		return 0
	}
	return queue
}

// receivedCredits handles the CBFC control ordered sets in the partner's control frame. It notes the channels for which
// the partner asks for credits (START). Queues of channels that have credits again are served again.
func (l *Link) receivedCredits(list []wire.CtlOS, now wire.Time) {
	l.updateEnv(now)
	for i := range list {
		if c, ok := list[i].Channel(); ok && c.Op == wire.ChannelStart {
			l.credit.asked |= 1 << c.VC
		}
	}
	l.Port.egress.shut &^= l.queuesOf(l.cbfc.ReceivedControl(list, &l.account.env, now))
}

// queuesOf returns a bitmap of the queues whose frames are sent on one of the virtual channels in the bitmap vcs.
func (l *Link) queuesOf(vcs uint32) uint32 {
	if vcs&1 != 0 {
		vcs |= ^uint32(0) << l.channels
	}
	return vcs
}

// updateEnv updates the facts that CBFC needs from the link: the state of the partner and of LLR, the longest frame,
// whether the link is idle, the octets that it has had time to carry, and in Unacked the starting and stopping channels
// of which LLR holds frames, or may.
func (l *Link) updateEnv(now wire.Time) {
	e := &l.account.env
	e.Known, e.CBFC, e.Start = l.Partner.SendsStation(), l.Partner.CBFC(), l.Partner.Start()
	state := l.LLR.Tx.State()
	e.LLR, e.Bare = l.remote() && (state == llr.TxAdvance || state == llr.TxReplay), l.Port.settings.NoLLR
	e.Largest = l.addressing.shim.CarriedLen(min(l.Lengths.Carries, l.Lengths.longest))
	e.Idle, e.Octets = now.Sub(l.Heard) >= quiet, l.linkOctets(now)
	e.Unacked = 0
	for rest := l.cbfc.Moving(); rest != 0; rest &= rest - 1 {
		if vc := bits.TrailingZeros32(rest); l.account.unacked[vc] > 0 || l.account.unacked[qos.Classes] > 0 {
			e.Unacked |= 1 << vc
		}
	}
}

// appendCredits appends the due control ordered sets of CBFC to list. A full control frame is sent at once, and the
// rest goes into the next. If a channel has begun or ended a start or stop, all queues that wait for credits are tried
// again.
// Clauses: UE-LINK/cf.11.
func (l *Link) appendCredits(list []wire.CtlOS, now wire.Time) []wire.CtlOS {
	l.updateEnv(now)
	moving := l.cbfc.Moving()
	list = l.cbfc.Poll(now, &l.account.env, list)
	for len(list) == cap(list) && l.Port.txRoom() > controlReserve {
		l.postControl(list, 0)
		list = l.cbfc.Poll(now, &l.account.env, list[:0])
	}
	if l.cbfc.Moving() != moving {
		l.Port.egress.shut = 0
	}
	return list
}

// sendCounts sends the due CC_Update when LLR admits a frame, in several frames if one has not room for all channels.
// Without room it tries again in a later round. Its counts are taken when LLR numbers the frame, so the CC_Update
// follows every counted frame.
// Clauses: UE-LINK/overview.10, UE-LINK/cc.1.
func (l *Link) sendCounts(now wire.Time) {
	if !l.cbfc.Tx.CCDue(now) || !l.Partner.AcceptsPartnerFrames() {
		return
	}
	l.account.counts = wire.CCUpdate{VCs: l.cbfc.Tx.Counted()}
	for rest := l.account.counts.VCs; rest != 0; rest &= rest - 1 {
		vc := uint8(bits.TrailingZeros32(rest))
		l.account.counts.Count[vc] = l.cbfc.Tx.Consumed(vc)
	}
	for l.account.counts.VCs != 0 {
		n, vcs := wire.PutCCUpdate(l.account.note[:], l.Partner.MAC(), l.Port.iface.mac, l.Port.settings.EtherTypeControl,
			l.Port.settings.Dialect, &l.account.counts)
		if !l.sendToPartner(l.account.note[:n], now) {
			return
		}
		l.cbfc.Count.CCUpdateTx++
		l.account.counts.VCs &^= vcs
	}
	l.cbfc.Tx.CCSent(now)
}

// toPartner handles a data frame that is for this end itself, not for a host behind it, and carries n octets: if LLR
// accepts the frame, the CC_Update in it is handled. retained reports whether LLR keeps the frame in its chunk.
// Clauses: UE-LINK/cc.1,8.
func (l *Link) toPartner(s *source, desc *frame.Desc, p wire.Preamble, n int) (retained bool) {
	f := s.area[desc.Addr : desc.Addr+uint64(desc.Len)]
	fcs := l.check(f, p, nil)
	if verdict := l.decide(f, p, fcs, n); verdict != llr.Deliver {
		return verdict == llr.Keep && l.keep(s, desc, p, fcs, n)
	}
	_, at := p.CarriedParts()
	l.receivedNote(f[at:][:n-wire.AddressesLen])
	return false
}

// receivedNote handles a frame of the partner for this end itself, from its EtherType on: a CC_Update.
func (l *Link) receivedNote(rest []byte) {
	if wire.ParseCCUpdate(rest, l.Port.settings.EtherTypeControl, l.Port.settings.Dialect,
		&l.account.counts) != wire.NoFault {
		l.cbfc.Count.CCUpdateBad++
		return
	}
	l.cbfc.ReceivedCCUpdate(&l.account.counts, l.Port.settings.Dialect)
}

// advisedLimit returns the credit limit that a lossless VC needs for the port's rate, given the octets that a loop
// takes; 0 without CBFC.
func (l *Link) advisedLimit(loopOctets int) int {
	if !l.Port.settings.CBFC.On {
		return 0
	}
	return l.Port.settings.CBFC.LimitFor(loopOctets, l.addressing.shim.CarriedLen(min(l.Lengths.Carries,
		l.Lengths.longest)))
}

// linkOctets returns the number of octets that the link has had time to carry. The spacing of CF_Update counts
// link time instead of received octets, because a partner without credits sends nothing.
func (l *Link) linkOctets(now wire.Time) uint64 {
	speed := l.Port.iface.speed
	if speed == 0 {
		speed = speedUnknown
	}
	return uint64(now/1000) * uint64(speed) / 8
}

// speedUnknown is the speed assumed for a port that reports none, Mb/s.
const speedUnknown = 10_000

// stopWaiting ends the wait for credits of those queues that the settings stop: even with credits no frame of a stopped
// queue would leave.
func (l *Link) stopWaiting(now wire.Time) {
	for rest := l.Port.settings.Stops.Stopped & l.Port.egress.filled; rest != 0; rest &= rest - 1 {
		l.cbfc.Tx.Unblock(l.vcOf(uint8(bits.TrailingZeros32(rest))), now)
	}
}
