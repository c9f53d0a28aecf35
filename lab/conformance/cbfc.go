package conformance

import (
	"fmt"
	"slices"

	"uelink/cbfc"
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/lab/simulated"
	"uelink/wire"
)

// cbfcCases returns the cases CBFC-01 to CBFC-12 of the test standard.
func cbfcCases() []Case {
	return []Case{
		{ID: "CBFC-01", Title: "The sender counts credits by the standard's formula", memory: senderCounts},
		{ID: "CBFC-02", Title: "The receiver counts credits by the standard's formula", memory: receiverCounts},
		{ID: "CBFC-03", Title: "CC_Update returns the credits of bad frames", memory: repairedCounts},
		{ID: "CBFC-04", Title: "A receiver that drains at 100, 50 and 0 %", memory: drainRates},
		{ID: "CBFC-05", Title: "Virtual channels by PCP and DEI", memory: byPriority},
		{ID: "CBFC-06", Title: "Virtual channels by DSCP of IPv4", memory: byDSCPv4},
		{ID: "CBFC-07", Title: "Virtual channels by DSCP of IPv6", memory: byDSCPv6},
		{ID: "CBFC-08", Title: "Credits per VC: a stalled VC does not affect another VC", memory: perVC},
		{ID: "CBFC-09", Title: "Credits per port: one VC may use up the credits of another VC", memory: perPort},
		{ID: "CBFC-10", Title: "Incast without loss", memory: incast},
		{ID: "CBFC-11", Title: "Incast of lossless and best-effort channels", memory: mixedIncast},
		{ID: "CBFC-12", Title: "Full rate over 500 m of cable", memory: fullRateOfCredits},
	}
}

// Flow control between the edges of CBFC cases and their hosts, in chunks. An edge pauses its host when xOff chunks
// wait. headroom is room for the frames that the host sends until it stops. The edge resumes the host when xOn chunks
// are left. xOn chunks of the smallest frames last longer than the least time between two PFC frames that resume the
// host.
const (
	xOff     = 1408
	xOn      = 1280
	headroom = 384
)

// ccTimer is CBFC_CC_MESSAGE_TIMER, ns.
const ccTimer = 10_000_000

// credited changes the options of two simulated ends so that their link has vcs virtual channels under CBFC with
// this credit size. The VCs in the bitmap lossless have this credit limit each. DSCP n << 3 is traffic class n: VC
// n of the link, priority n of the hosts.
func credited(o *simulated.Options, vcs int, lossless uint32, limit int, size cbfc.Size) {
	l := &o.Link
	l.VCs = vcs
	for i := range l.QoS.Queue {
		l.QoS.Queue[i] = uint8(i)
		o.Edge.QoS.Queue[i] = uint8(i % qos.EdgeQueues)
	}
	l.CBFC = cbfc.Settings{
		On: true, Size: size, Lossless: lossless, CCTimer: ccTimer, CFMinSpacing: 6400, CFMaxSpacing: 262144,
	}
	setLimit(l, limit)
	o.Edge.QoS.Trust = qos.TrustDSCP
	for i := range o.Edge.QoS.DSCP {
		o.Edge.QoS.DSCP[i] = uint8(i >> 3)
	}
	o.Edge.PFC = model.PFCSettings{
		Priorities: uint8(lossless), XOff: xOff, XOn: xOn, Headroom: headroom, Rate: lineRate,
	}
}

// setLimit sets the credit limit of every lossless VC in a link's settings.
func setLimit(l *model.PortSettings, limit int) {
	for vc := range l.CBFC.Limit {
		if l.CBFC.Lossless>>vc&1 == 1 {
			l.CBFC.Limit[vc] = uint16(limit)
		}
	}
}

// chunkCredits makes each frame cost one credit for every 2,048 octets or part of them.
var chunkCredits = cbfc.Size{Credit: 2048}

// onVC returns a stream of frames of the trial's size from an end to B. frames is their number; their DSCP selects VC
// vc. The stream is not sent yet.
func (t *trial) onVC(b *simulated.Bench, from *simulated.End, vc uint8, frames uint64) *simulated.Stream {
	return &simulated.Stream{ID: vc, From: from, To: b.B, Frames: frames, Size: t.size, DSCP: vc << 3, Class: vc}
}

// lineInterval returns the nanoseconds from one frame of the trial's size to the next, at a share (0 to 1) of an
// edge's line rate. As in a shaper, octets count without FCS.
func (t *trial) lineInterval(share float64) float64 {
	return float64((t.size-wire.FCSLen)*8) / (lineRate * share) * 1e9
}

// edgeRate returns how many frames of the trial's size leave an edge of bps bits a second each second, in
// millions.
func (t *trial) edgeRate(bps float64) float64 { return bps / float64((t.size-wire.FCSLen)*8) / 1e6 }

// cost returns the credits of a frame of size octets with FCS, by the standard's formula: PktLength + PktOvhd in
// credits, rounded up.
func cost(size int, unit cbfc.Size) uint64 {
	octets := size + unit.Overhead
	credits := octets / unit.Credit
	if octets%unit.Credit != 0 {
		credits++
	}
	return uint64(credits)
}

// counted returns by how much a credit counter of 20 bits, which wraps to 0, has risen between two readings.
func counted(before, after uint32) uint64 { return uint64(after-before) & (1<<20 - 1) }

// vcOf returns the credit state of a VC of an end's first link; the zero value if the VC has no credits.
func vcOf(e *simulated.End, vc int) cbfc.VCState { return vcOfLink(e.Link(), vc) }

// vcOfLink returns the state of a virtual channel; the zero state without CBFC.
func vcOfLink(p model.PortState, vc int) cbfc.VCState {
	if p.CBFC == nil {
		return cbfc.VCState{}
	}
	for i := range p.CBFC.VCs {
		if p.CBFC.VCs[i].VC == vc {
			return p.CBFC.VCs[i]
		}
	}
	return cbfc.VCState{}
}

// used returns S_P_CU, the credits that all VCs of an end's first link together have in use as the sender.
func used(e *simulated.End) uint64 {
	if c := e.Link().CBFC; c != nil {
		return uint64(c.Used)
	}
	return 0
}

// atRest waits until no frames and credits are in transit, and records whether A then uses no credits, as
// expected.
func (t *trial) atRest(b *simulated.Bench) {
	b.WaitIdle()
	t.exact("at rest: A CBFC_SENDER_CREDITS_USED", 0, used(b.A))
}

// creditConfiguration returns the CBFC settings of the simulated ends as text, under SAI's names, for a Result's field
// Config.
func creditConfiguration(o *simulated.Options) string {
	c := &o.Link.CBFC
	text := fmt.Sprintf(" VCs=%d lossless=%#x CBFC_SENDER_CREDIT_SIZE=%d CBFC_SENDER_PACKET_OVERHEAD=%d "+
		"CBFC_CC_MESSAGE_TIMER=%v", o.Link.VCs, c.Lossless, c.Size.Credit, c.Size.Overhead, c.CCTimer)
	if c.Total > 0 {
		text += fmt.Sprintf(" CBFC_RECEIVER_NATIVE_TOTAL_CREDITS=%d RESERVED_CREDIT_SIZE=%d", c.Total, c.Profile[2].Reserved)
	} else {
		text += fmt.Sprintf(" CBFC_RECEIVER_NATIVE_CREDIT_LIMIT=%d", slices.Max(c.Limit[:]))
	}
	if o.Drain > 0 {
		text += fmt.Sprintf(" drain=%gGb/s", float64(o.Drain)/1e9)
	}
	return text
}
