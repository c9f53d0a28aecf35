package path

import (
	"fmt"

	"uelink/wire"
)

// Presence is whether a link can carry frames: its interface has a carrier, and a partner answers.
type Presence uint8

// The states of Presence.
const (
	Present Presence = iota
	Waiting          // the partner restarts, or is awaited for hold_timeout: frames for it wait
	Lost             // no carrier, or no partner
)

// absence is which end of a link is away, and for how long frames wait.
type absence struct {
	introduces  bool      // the partner is known, but has not sent its STATION yet
	away        bool      // the partner restarts, as announced, and may still come back in time: frames wait
	leaving     leaving   // state of this end's own leaving
	postponedTo wire.Time // latest end of the partner's absence
}

// presence returns whether the link has its carrier and its partner. cause says what is missing, "" if nothing is. A
// link that asks for no partner, because LLR is off, needs the carrier alone.
func (l *Link) presence(now wire.Time) (state Presence, cause string) {
	switch {
	case l.absence.away:
		return Waiting, "its partner restarts"
	case !l.Port.iface.up:
		return Lost, l.Port.noCarrier()
	case !l.awaitsPartner() || !l.Partner.Missing():
		return Present, ""
	case l.Partner.SilentFor(now) < l.Partner.Patience():
		return Waiting, "its partner is silent, for less than hold_timeout"
	}
	return Lost, "its partner is silent"
}

// presence returns whether the link has its carrier and a signal of its partner. cause says what is missing, "" if
// nothing is.
func (h *HIPPI) presence(wire.Time) (state Presence, cause string) {
	switch {
	case !h.Port.iface.up:
		return Lost, h.Port.noCarrier()
	case !h.End.Activity():
		return Lost, "its partner sends no signal"
	}
	return Present, ""
}

// noCarrier says in words why the interface of a port carries nothing.
func (p *Port) noCarrier() string {
	if !p.Attached() {
		return fmt.Sprintf("its interface %s is absent", p.settings.Interface)
	}
	return fmt.Sprintf("its interface %s has no carrier, or is switched off", p.settings.Interface)
}

// Name returns the name of the port.
func (p *Port) Name() string { return p.settings.Name }

// Presence returns whether a link port can carry frames, and in words what is missing.
func (p *Port) Presence(now wire.Time) (state Presence, cause string) { return p.link.presence(now) }
