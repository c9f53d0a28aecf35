package cbfc

import (
	"math/bits"

	"uelink/wire"
)

// Port is CBFC of one link: the credits of both directions.
// Clauses: UE-LINK/cc.10.
type Port struct {
	Tx    Sender
	Rx    Receiver
	Count PortCounters
}

// NewPort returns a port whose channels have no credits yet.
func NewPort(s Settings) *Port { return newPort(s, standard) }

// newPort returns a port whose channels have no credits yet; masks has the numbers of bits of a credit count.
func newPort(s Settings, masks space) *Port {
	p := &Port{Tx: newSender(s, masks), Rx: Receiver{space: masks, settings: s, forget: 1<<VCs - 1}}
	for vc := range p.Rx.vc {
		p.Rx.vc[vc].counters = &p.Tx.vc[vc].counters
	}
	return p
}

// Configure applies settings. Channels no longer configured lossless leave their credits, newly configured channels
// come under credits. New limits, sizes and profiles apply to starts from now on; affected channels start again.
func (p *Port) Configure(s Settings, now wire.Time) {
	old := p.Tx.settings
	p.Tx.now = now
	p.Tx.configure(s)
	p.Rx.configure(s)
	p.Tx.applyChanges(&old, now)
}

// configure applies settings to the sender: credit size, profiles and limits.
func (t *Sender) configure(s Settings) {
	t.settings, t.size = s, s.Size
	t.pool.configure(s.Profile, s.Lossless, int(s.Pool))
	t.updateLimits()
}

// applyChanges starts the wanted channels that are not lossless or whose size, profile or use of the pool differs from
// the former settings old, and stops the channels that are not wanted any more.
func (t *Sender) applyChanges(old *Settings, now wire.Time) {
	for vc := range uint8(VCs) {
		c := &t.vc[vc].channel
		stops := c.phase != Lossless && c.op == wire.ChannelStop
		other := old.Size != t.size || old.Profile[vc] != t.settings.Profile[vc] || old.pooled(vc) != t.settings.pooled(vc)
		switch {
		case t.wanted(vc) && (c.phase == BestEffort || stops || other):
			c.backoff = 0
			t.begin(vc, wire.ChannelStart, now)
		case t.wanted(vc):
		case c.phase == BestEffort:
			t.stayBestEffort(vc)
		case !stops:
			t.begin(vc, wire.ChannelStop, now)
		}
	}
}

// ReceivedControl handles the control ordered sets of a control frame of the partner. It returns the channels, as a
// bitmap, with new credits or a changed phase: a frame that had to wait may leave now.
// Clauses: UE-LINK/cf.12.
func (p *Port) ReceivedControl(list []wire.CtlOS, env *Env, now wire.Time) (changed uint32) {
	plain := p.Tx.plain
	p.updatePartner(env, now)
	changed = p.Tx.plain &^ plain
	for i := range list {
		switch c := &list[i]; c.Type {
		case wire.CFUpdate:
			p.Count.CFUpdateRx++
			changed |= p.Tx.receivedFreed(c.CF[0].VC, uint32(c.CF[0].Count), now)
			if c.CF[1] != c.CF[0] {
				changed |= p.Tx.receivedFreed(c.CF[1].VC, uint32(c.CF[1].Count), now)
			}
		case wire.ChannelCtlOS:
			changed = 1<<VCs - 1
			p.receivedChannel(*c, env, now)
		case wire.LLRAck, wire.LLRNack, wire.LLRInit, wire.LLRInitEcho, wire.StationCtlOS, wire.GapCtlOS:
		}
	}
	return changed
}

// receivedChannel handles a VC control ordered set: START and STOP go to the receiver, answers to them to the
// sender.
func (p *Port) receivedChannel(c wire.CtlOS, env *Env, now wire.Time) {
	ch, ok := c.Channel()
	if !ok {
		return
	}
	switch ch.Op {
	case wire.ChannelStart, wire.ChannelStop:
		p.Rx.receivedQuestion(ch)
	default:
		p.Tx.receivedAnswer(ch, env, now)
	}
}

// Poll runs the timers and appends the control ordered sets to send: up to 16 CF_Updates, and a VC message for each
// open question and answer. Messages beyond the capacity of out stay for the next call: call Poll again while out
// comes back full.
func (p *Port) Poll(now wire.Time, env *Env, out []wire.CtlOS) []wire.CtlOS {
	p.updatePartner(env, now)
	before := len(out)
	out = p.Rx.poll(now, env.Octets, env.Idle, out)
	p.Count.CFUpdateTx += uint64(len(out) - before)
	if p.Tx.plain&p.Tx.settings.Lossless != 0 {
		p.Tx.retry(now)
	}
	if p.Tx.settings.Timeout > 0 {
		p.Tx.checkTimeouts(now)
	}
	out = p.Tx.poll(now, env, out)
	p.Tx.polled = now
	return p.Rx.appendAnswers(out)
}

// updatePartner applies what env says about the partner: whether the partner is present, and its start id.
func (p *Port) updatePartner(env *Env, now wire.Time) {
	p.Tx.now = now
	if env.Known && p.Tx.met && env.Start != p.Tx.start {
		p.Rx.partnerRestarted()
	}
	p.Tx.updatePartner(env, now)
}

// ReceivedCCUpdate handles a CC_Update: the partner's counts of consumed credits. In dialect ue1 a CC_Update
// carries counts of unused channels too, which are ignored.
// Clauses: UE-LINK/overview.10, UE-LINK/cc.9.
func (p *Port) ReceivedCCUpdate(u *wire.CCUpdate, d wire.Dialect) {
	p.Count.CCUpdateRx++
	vcs := u.VCs
	if d == wire.DialectUE1 {
		vcs &= p.Rx.on
	}
	for ; vcs != 0; vcs &= vcs - 1 {
		vc := uint8(bits.TrailingZeros32(vcs))
		p.Rx.receivedCount(vc, u.Count[vc], d.CCBits())
	}
}

// PartnerLost handles the loss of the partner: all channels of the sender become best effort. A partner that comes back
// may still hold frames.
func (p *Port) PartnerLost() {
	p.Tx.present = false
	for vc := range uint8(VCs) {
		if p.Tx.plain>>vc&1 == 0 {
			p.Tx.fallBack(vc)
		}
	}
}

// Deadline returns when to call Poll next, or when CCDue becomes true, or wire.Never. A CC_Update that was due at
// the last Poll and could not leave does not count: another event must come first.
func (p *Port) Deadline() wire.Time {
	d := wire.Never
	if p.Rx.on != 0 {
		d = p.Rx.repeatAt
	}
	if p.Rx.urgent() {
		d = min(d, p.Tx.polled)
	}
	if p.Tx.sendsCounts() && p.Tx.ccAt > p.Tx.polled {
		d = min(d, p.Tx.ccAt)
	}
	return min(d, p.Tx.deadline())
}

// deadline returns when a START, a STOP, a retry or a credit timeout of a channel is due next, or wire.Never if none is
// or no partner is present.
func (t *Sender) deadline() wire.Time {
	d := wire.Never
	watched := t.moving | t.plain&t.settings.Lossless | t.owing()
	if t.settings.Timeout > 0 {
		watched |= t.blocked
	}
	if !t.present {
		return d
	}
	for ; watched != 0; watched &= watched - 1 {
		vc := uint8(bits.TrailingZeros32(watched))
		v := &t.vc[vc]
		switch c := &v.channel; {
		case c.phase == Draining, c.phase == Asking:
			d = min(d, c.next)
		case c.phase == BestEffort && (t.wanted(vc) || t.owing()>>vc&1 != 0):
			d = min(d, c.retryAt)
		case c.phase == Lossless && !v.timedOut:
			d = min(d, v.blockedAt.Add(t.settings.Timeout))
		}
	}
	return d
}

// Moving returns the channels whose gate is shut while they start or stop, as a bitmap.
func (p *Port) Moving() uint32 { return p.Tx.moving }

// Quiet reports whether, in both directions, no credits are in use or held and no channel starts or stops.
func (p *Port) Quiet() bool { return p.Tx.Used == 0 && p.Tx.moving == 0 && p.Rx.Held == 0 }
