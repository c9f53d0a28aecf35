package cbfc

import (
	"math"
	"math/bits"

	"uelink/wire"
)

// Port is CBFC of one link: the credits of both directions.
type Port struct {
	Tx    Sender
	Rx    Receiver
	Count PortCounters
}

// NewPort returns a port whose channels have no credits yet.
func NewPort(s Settings) *Port { return newPort(s, standard) }

func newPort(s Settings, of space) *Port {
	p := &Port{Tx: newSender(s, of), Rx: Receiver{space: of, settings: s, forget: 1<<VCs - 1}}
	for vc := range p.Rx.vc {
		p.Rx.vc[vc].counters = &p.Tx.vc[vc].counters
	}
	return p
}

// Configure takes other settings. Channels that are no longer to be lossless leave
// their credits, others come under them. Other limits, sizes and profiles hold for what
// starts from now on, and what has them starts anew.
func (p *Port) Configure(s Settings, now int64) {
	was := p.Tx.settings
	p.Tx.now = now
	p.Tx.configure(s)
	p.Rx.configure(s)
	p.Tx.resettle(&was, now)
}

// configure takes settings of a sender.
func (t *Sender) configure(s Settings) {
	t.settings, t.size = s, s.Size
	t.pool.configure(s.Profile, s.Lossless)
	t.relimit()
}

// resettle begins what other settings ask for.
func (t *Sender) resettle(was *Settings, now int64) {
	for vc := range uint8(VCs) {
		c := &t.vc[vc].channel
		stops := c.phase != Lossless && c.op == wire.ChannelStop
		other := was.Size != t.size || was.Profile[vc] != t.settings.Profile[vc]
		switch {
		case t.wants(vc) && (c.phase == BestEffort || stops || other):
			c.backoff = 0
			t.begin(vc, wire.ChannelStart, now)
		case t.wants(vc):
		case c.phase == BestEffort:
			t.rest(vc)
		case !stops:
			t.begin(vc, wire.ChannelStop, now)
		}
	}
}

// Control takes what came in a control frame of the partner. It returns the channels, as a bitmap, of which
// credits came back, or which changed: a frame that had to wait may leave now.
func (p *Port) Control(list []wire.CtlOS, env *Env, now int64) (changed uint32) {
	plain := p.Tx.plain
	p.meet(env, now)
	changed = p.Tx.plain &^ plain
	for i := range list {
		switch c := &list[i]; c.Type {
		case wire.CFUpdate:
			p.Count.CFUpdateRx++
			changed |= p.Tx.freed(c.CF[0].VC, uint32(c.CF[0].Count), now)
			if c.CF[1] != c.CF[0] {
				changed |= p.Tx.freed(c.CF[1].VC, uint32(c.CF[1].Count), now)
			}
		case wire.ChannelCtlOS:
			changed = 1<<VCs - 1
			p.channel(*c, env, now)
		}
	}
	return changed
}

func (p *Port) channel(c wire.CtlOS, env *Env, now int64) {
	ch, ok := c.Channel()
	if !ok {
		return
	}
	switch ch.Op {
	case wire.ChannelStart, wire.ChannelStop:
		p.Rx.ask(ch)
	default:
		p.Tx.answer(ch, env, now)
	}
}

// Poll does what is due and appends what there is to say in a control frame: up to 16 CF_Updates, and a
// VC message for each question that is asked or answered. What exceeds the capacity of out is said
// the next time: call Poll again for as long as out comes back full.
func (p *Port) Poll(now int64, env *Env, out []wire.CtlOS) []wire.CtlOS {
	p.meet(env, now)
	said := len(out)
	out = p.Rx.poll(now, env.Octets, env.Idle, out)
	p.Count.CFUpdateTx += uint64(len(out) - said)
	if p.Tx.plain&p.Tx.settings.Lossless != 0 {
		p.Tx.retry(now)
	}
	if p.Tx.settings.Timeout > 0 {
		p.Tx.overdue(now)
	}
	out = p.Tx.poll(now, env, out)
	p.Tx.polled = now
	return p.Rx.answers(out)
}

// meet takes who the partner is.
func (p *Port) meet(env *Env, now int64) {
	p.Tx.now = now
	if env.Known && p.Tx.met && env.Start != p.Tx.start {
		p.Rx.newPartner()
	}
	p.Tx.meet(env, now)
}

// Consumed takes a CC_Update. That of ue1 has counts of channels that are not in use.
func (p *Port) Consumed(u *wire.CCUpdate, d wire.Dialect) {
	p.Count.CCUpdateRx++
	vcs := u.VCs
	if d == wire.DialectUE1 {
		vcs &= p.Rx.on
	}
	for ; vcs != 0; vcs &= vcs - 1 {
		vc := uint8(bits.TrailingZeros32(vcs))
		p.Rx.consumed(vc, u.Count[vc], d.CCBits())
	}
}

// Lost says that there is no partner any more: its channels need no credits. If it comes back it may
// still hold frames.
func (p *Port) Lost() {
	p.Tx.known = false
	for vc := range uint8(VCs) {
		if p.Tx.plain>>vc&1 == 0 {
			p.Tx.fallBack(vc)
		}
	}
}

// Deadline is when Poll has something to do by itself, or CCDue, or math.MaxInt64. A CC_Update that was
// due at the last Poll and could not leave is no reason to call: something will have to happen first.
func (p *Port) Deadline() int64 {
	d := int64(math.MaxInt64)
	if p.Rx.on != 0 {
		d = p.Rx.again
	}
	if p.Rx.presses() {
		d = min(d, p.Tx.polled)
	}
	if p.Tx.counts() && p.Tx.ccAt > p.Tx.polled {
		d = min(d, p.Tx.ccAt)
	}
	return min(d, p.Tx.deadline())
}

// deadline is when a transaction goes on.
func (t *Sender) deadline() int64 {
	d := int64(math.MaxInt64)
	watched := t.moving | t.plain&t.settings.Lossless | t.owing()
	if t.settings.Timeout > 0 {
		watched |= t.blocked
	}
	if !t.known {
		return d
	}
	for ; watched != 0; watched &= watched - 1 {
		vc := uint8(bits.TrailingZeros32(watched))
		v := &t.vc[vc]
		switch c := &v.channel; {
		case c.phase == Draining, c.phase == Asking:
			d = min(d, c.next)
		case c.phase == BestEffort && (t.wants(vc) || t.owing()>>vc&1 != 0):
			d = min(d, c.retryAt)
		case c.phase == Lossless && !v.told:
			d = min(d, v.blockedAt+t.settings.Timeout)
		}
	}
	return d
}

// Moving is the channels whose gate is shut while they start or stop, as a bitmap.
func (p *Port) Moving() uint32 { return p.Tx.moving }

// Quiet tells whether nothing is in use and nothing is on its way in either direction.
func (p *Port) Quiet() bool { return p.Tx.Used == 0 && p.Tx.moving == 0 && p.Rx.Held == 0 }
