package conformance

import (
	"fmt"

	"uelink/cbfc"
	"uelink/dataplane/qos"
	"uelink/lab/simulated"
)

// classSize is the frame size of classification cases, octets with FCS: large enough for IPv6 and a tag.
const classSize = 128

// perCode is how many frames are sent with each PCP and DEI, or DSCP.
const perCode = 20

// classCredits makes a frame of classSize cost four credits.
var classCredits = cbfc.Size{Credit: 32}

// byPriority runs CBFC-05 and records the results: each of the 16 pairs of PCP and DEI selects a VC of its own.
func byPriority(t *trial) {
	vc := func(code int) int { return (5*code + 3) % 16 }
	b := t.classes(16, func(m *qos.Map) {
		m.Trust = qos.TrustDot1p
		for i := range m.Dot1pDEI {
			m.Dot1pDEI[i] = uint8(vc(i))
		}
	})
	elsewhere, lost := uint64(0), uint64(0)
	for code := range 16 {
		s := &simulated.Stream{Tagged: true, PCP: uint8(code >> 1), DEI: code&1 == 1}
		elsewhere += t.classify(b, fmt.Sprintf("PCP %d DEI %d", code>>1, code&1), vc(code), s)
		lost += s.Frames - s.Delivered
	}
	t.nowhereElse(elsewhere, lost)
}

// byDSCPv4 runs CBFC-06 and records the results: the DSCP of IPv4 selects the VC.
func byDSCPv4(t *trial) { t.byDSCP(false) }

// byDSCPv6 runs CBFC-07 and records the results: the DSCP of IPv6 selects the VC.
func byDSCPv6(t *trial) { t.byDSCP(true) }

// byDSCP sends frames with each DSCP, in IPv4 or IPv6, and records whether they use the credits of the VC that the
// map selects. Two code points share each of 32 VCs.
func (t *trial) byDSCP(v6 bool) {
	vc := func(code int) int { return (7*code + 5) % 32 }
	b := t.classes(32, func(m *qos.Map) {
		for i := range m.DSCP {
			m.DSCP[i] = uint8(vc(i))
		}
	})
	elsewhere, lost := uint64(0), uint64(0)
	for code := range 64 {
		s := &simulated.Stream{DSCP: uint8(code), V6: v6}
		elsewhere += t.classify(b, fmt.Sprintf("DSCP %d", code), vc(code), s)
		lost += s.Frames - s.Delivered
	}
	t.nowhereElse(elsewhere, lost)
}

// nowhereElse records that other VCs than the selected used no credits, and that no frame was lost.
func (t *trial) nowhereElse(elsewhere, lost uint64) {
	t.exact("credits that A's frames used on other VCs", 0, elsewhere)
	t.exact("frames lost", 0, lost)
}

// classes makes two simulated ends whose link has vcs lossless VCs. set writes the QoS maps of the edges.
func (t *trial) classes(vcs int, set func(*qos.Map)) *simulated.Bench {
	t.size = classSize
	return t.bench(func(o *simulated.Options) {
		o.MTU, o.Chunk = 1500, 2048
		credited(o, vcs, 1<<vcs-1, 2*perCode*4, classCredits)
		set(&o.Edge.QoS)
	})
}

// classify sends stream s from A to B and records whether its frames used the credits of VC vc at both ends. name
// is the class in the record. elsewhere is how many credits other VCs consumed.
func (t *trial) classify(b *simulated.Bench, name string, vc int, s *simulated.Stream) (elsewhere uint64) {
	s.From, s.To, s.Frames, s.Size, s.Class = b.A, b.B, perCode, t.size, uint8(vc)
	sender, receiver := consumed(b)
	b.Carry(s)
	b.WaitIdle()
	sent, got := consumed(b)
	for i := range sent {
		if i != vc {
			elsewhere += uint64(sent[i]-sender[i]) + uint64(got[i]-receiver[i])
		}
	}
	want := perCode * cost(t.size, classCredits)
	t.exact(fmt.Sprintf("%s: A SENDER_CREDITS_CONSUMED of VC %d", name, vc), want, uint64(sent[vc]-sender[vc]))
	t.exact(fmt.Sprintf("%s: B RECEIVER_CREDITS_CONSUMED of VC %d", name, vc), want, uint64(got[vc]-receiver[vc]))
	return elsewhere
}

// consumed returns how many credits each VC has consumed so far: A's counters as the sender, B's as the receiver.
func consumed(b *simulated.Bench) (sender, receiver [cbfc.VCs]uint32) {
	for vc := range cbfc.VCs {
		sender[vc], receiver[vc] = vcOf(b.A, vc).Sender.Consumed, vcOf(b.B, vc).Receiver.Consumed
	}
	return sender, receiver
}
