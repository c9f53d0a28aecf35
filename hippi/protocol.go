package hippi

import (
	"uelink/wire"
	"uelink/wire/micropacket"
)

// stored is the outcome of the Message protocol for a micropacket.
type stored uint8

// The outcomes of the Message protocol.
const (
	storedIt  stored = iota // the micropacket is in the VC buffer
	discarded               // the micropacket belongs to a Message without a start; its credit goes back
	overflow                // the VC buffer was full: the partner has sent without credit
)

// store applies the Message protocol (HIPPI-6400 §9.2) to an accepted micropacket of TYPE Header, Data, Admin or an
// undefined one from B on, and puts it into its VC buffer. A Header or Admin micropacket inside a Message in progress
// ends that Message; any other micropacket outside of a Message is discarded.
// Clauses: HIPPI-6400/destination.5,6.
func (l *Link) store(m *micropacket.Micropacket, now wire.Time) stored {
	vc := m.Control.VC()
	b := &l.dst.vc[vc]
	if b.full() {
		return overflow
	}
	switch t := m.Control.Type(); {
	case t == micropacket.Admin:
		l.endOpen(vc)
		if !m.Control.Tail() {
			m.Control = m.Control.WithError().WithTail()
			l.Events.AdminTailError[vc].add()
		}
	case t == micropacket.Header:
		l.endOpen(vc)
	case !b.open:
		l.skip(vc, m.Control.Tail())
		return discarded
	default:
		b.store(m, false)
		l.opened(b, m.Control.Tail(), now)
		return storedIt
	}
	b.store(m, b.open)
	b.skipping = false
	l.opened(b, m.Control.Tail(), now)
	return storedIt
}

// opened records whether a Message is still in progress after a micropacket (tail: it was the last one), and if so
// starts the Stall timeout.
func (l *Link) opened(b *vcBuffer, tail bool, now wire.Time) {
	b.open = !tail
	if b.stall = wire.Never; b.open {
		b.stall = now.Add(l.StallTimeout())
		l.timers.due = min(l.timers.due, b.stall)
	}
}

// endOpen logs that the Message in progress on a virtual channel lacks its end (9.2.3). The next Message is stored
// behind a fabricated end.
// Clauses: HIPPI-6400/destination.8.
func (l *Link) endOpen(vc uint8) {
	if l.dst.vc[vc].open {
		l.Events.MissingEndOfMessageError[vc].add()
	}
}

// skip discards a micropacket of a Message whose Header is missing (9.2.2), so that its place is free again. The
// error is logged once for each Message.
// Clauses: HIPPI-6400/destination.7.
func (l *Link) skip(vc uint8, tail bool) {
	b := &l.dst.vc[vc]
	if !b.skipping {
		l.Events.MissingStartOfMessageError[vc].add()
	}
	b.skipping = !tail
	b.owed++
}

// stalled ends a Message whose data stays away for the Stall timeout (9.2.4). It does nothing while micropackets wait
// in the VC buffer: the timeout counts from the last micropacket, or from when the buffer became empty, whichever is
// later.
// Clauses: HIPPI-6400/destination.9.
func (l *Link) stalled(vc uint8, now wire.Time) {
	b := &l.dst.vc[vc]
	if now < b.stall {
		return
	}
	b.stall = wire.Never
	if !b.empty() {
		return // emptied starts the timeout again
	}
	b.open, b.cut = false, true
	l.Events.StallTimeoutError[vc].add()
	l.deliver(vc, now)
}

// emptied starts the Stall timeout of a Message in progress when its VC buffer has become empty.
func (l *Link) emptied(b *vcBuffer, now wire.Time) {
	if b.open && b.empty() {
		b.stall = now.Add(l.StallTimeout())
		l.timers.due = min(l.timers.due, b.stall)
	}
}
