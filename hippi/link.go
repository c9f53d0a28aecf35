package hippi

import (
	"time"

	"uelink/wire"
	"uelink/wire/micropacket"
)

// Link is one end of a link: its Source, its Destination, and what both share. The methods of the service interface
// (HIPPI-6400 §5) are in transfer.go, arrival.go and management.go.
// Clauses: HIPPI-6400/overview.1.
type Link struct {
	Events   Events // logged events; clause 9 logs only in the state Normal
	Counters Counters

	profile Profile
	src     Source
	dst     Destination
	arrival [VCs]arrival // Messages on their way to the next layer
	confirm [VCs]confirm // requests of the next layer to send

	state     State
	met       bool             // in Normal: a micropacket has shown that the partner is in Normal, too
	answer    micropacket.Type // Reset_ACK or Initialize_ACK to send once more, 0 = none
	timers    timers
	activity  activity
	notices   Notices // monitored events that the next StatusIndicate returns
	indicated bool    // the last StatusIndicate had no StatusResponse yet

	scratch micropacket.Micropacket // the micropacket that a burst handles
	epoch   uint16                  // of this end
	vc3
	partner uint16 // epoch of the partner, as last received during a Link Reset or Initialize, 0 = none
	frames  frames
}

// timers has the deadlines of a link.
type timers struct {
	turn    wire.Time // when the next micropacket of link control is due; in Normal, until met is set, the next Null
	deadMan wire.Time // when the Dead-man timer expires, Never = not running
	holdOff wire.Time // until when the Hold-off timer runs
	keepAt  wire.Time // when the next Null is due
	due     wire.Time // no timer of the link expires before this time
}

// NewLink returns one end of a link, before power-on and without carrier. epoch is a random number that differs at
// each start of the process.
func NewLink(p Profile, epoch uint16) *Link { return newLinkOf(Sequences, p, epoch) }

// newLinkOf returns one end of a link with only the given number of sequence numbers, so that tests can visit all
// states.
func newLinkOf(sequences uint8, p Profile, epoch uint16) *Link {
	l := &Link{profile: p, epoch: epoch, timers: timers{deadMan: wire.Never, keepAt: wire.Never}}
	l.src.space, l.dst.space = space(sequences), space(sequences)
	l.src.common = sequences - 1 - (sequences-1)/reservedShare
	l.src.buffer, l.src.owner = make([]micropacket.Micropacket, sequences), make([]uint8, sequences)
	l.makeBuffers()
	l.src.reset()
	l.dst.reset()
	l.state = Shutdown
	l.timers.due = wire.Never
	return l
}

// makeBuffers allocates the VC buffers with the lengths in the profile.
func (l *Link) makeBuffers() {
	for vc := range l.dst.vc {
		l.dst.vc[vc].slots = make([]slot, max(1, l.profile.Buffers[vc]))
	}
}

// State returns the state of the link: Normal, Shutdown, or a step of a Link Reset or Initialize (figure 20).
func (l *Link) State() State { return l.state }

// Activity reports whether the partner's signal has been there for long enough: the activity monitor indication
// (13.1).
func (l *Link) Activity() bool { return l.activity.indicated }

// Ready reports whether Messages can be sent: the state is Normal, the partner was heard in Normal, too, and the signal
// is there.
func (l *Link) Ready() bool { return l.state == Normal && l.met && l.activity.indicated }

// VC3 reports whether new Messages may go on VC3: both ends allow it.
// Clauses: HIPPI-6400/fields.3.
func (l *Link) VC3() bool { return l.profile.VC3 && l.takesVC3 }

// Source returns the sending half of the link, for reading its counts.
func (l *Link) Source() *Source { return &l.src }

// Destination returns the receiving half of the link, for reading its counts.
func (l *Link) Destination() *Destination { return &l.dst }

// ACKTimeout returns the ACK indication timeout in force: the time without an acknowledgement after which
// micropackets are retransmitted.
func (l *Link) ACKTimeout() time.Duration {
	if l.profile.ACKTimeout > 0 {
		return l.profile.ACKTimeout
	}
	return l.src.loop.timeout()
}

// StallTimeout returns the Stall timeout in force, after which a Message without further data is given up. If
// automatic, it is as long as all retransmissions of a micropacket take.
func (l *Link) StallTimeout() time.Duration {
	if l.profile.Stall > 0 {
		return l.profile.Stall
	}
	longest := l.profile.ACKTimeout
	if longest == 0 {
		longest = maxACKTimeout
	}
	return max(MinStall, time.Duration(l.profile.Retries+1)*longest)
}

// Deadline returns when Expire or Transmit must be called at the latest if nothing arrives. It does not cover
// micropackets that can be sent at once: call Transmit until it returns false.
func (l *Link) Deadline() wire.Time { return l.timers.due }

// Expire handles all timers that have expired by now, and computes the next Deadline. Transmit calls it, too. Pass what
// has arrived to Receive before.
// Clauses: HIPPI-6400/line.6, HIPPI-6400/reset.8.
func (l *Link) Expire(now wire.Time) {
	if now < l.timers.due {
		return
	}
	if late := now.Sub(l.timers.due); late > patientTimeout {
		l.excuse(late, now)
	}
	if l.activity.update(now, &l.profile) {
		l.activityChanged(now)
	}
	switch {
	case !l.activity.indicated:
	case l.state == Normal:
		l.expireNormal(now)
	case l.state != Shutdown && now >= l.timers.deadMan:
		l.Events.ResetInitializeError.add()
		l.beginReset(now)
	}
	l.timers.due = l.earliest()
}

// SetCarrier records whether the medium (the interface) has its carrier. The signal of the activity monitor follows the
// carrier at once.
func (l *Link) SetCarrier(up bool, now wire.Time) {
	a := &l.activity
	if a.carrier == up {
		return
	}
	a.carrier = up
	if up {
		a.heard, l.timers.keepAt = now, now
	}
	a.sense(up, now)
	l.timers.due = now
	l.Expire(now)
}

// excuse lengthens the waits for the partner (silence, Credit timeout, Stall timeout) by the time late, in which this
// end did not run (SIGSTOP, a paused VM, a machine without CPU): the partner on the same machine did not run either.
// Otherwise a Link Reset or a shutdown would lose the Messages under way. Timers that lose nothing, such as the ACK
// timeout, go on.
func (l *Link) excuse(late time.Duration, now wire.Time) {
	l.activity.heard = min(now, l.activity.heard.Add(late))
	for vc := range VCs {
		for _, at := range []*wire.Time{&l.src.starved[vc], &l.dst.vc[vc].stall} {
			if *at != wire.Never {
				*at = at.Add(late)
			}
		}
	}
}

// expireNormal handles the expired timers that run in state Normal: the ACK timeout retransmits, a Credit timeout shuts
// the link down, a Stall timeout ends a Message.
// Clauses: HIPPI-6400/source.1,4.
func (l *Link) expireNormal(now wire.Time) {
	if now >= l.src.timer {
		l.Events.RSEQMissingError.add()
		l.retransmit(now)
	}
	for vc := range uint8(VCs) {
		if l.state == Normal && now >= l.src.starved[vc] {
			l.Events.CreditTimeoutError[vc].add()
			l.shutdown(now)
		}
	}
	for vc := range uint8(VCs) {
		if l.state == Normal {
			l.stalled(vc, now)
		}
	}
}

// earliest returns the time when the next timer that runs in the present state expires, or when the next micropacket is
// due: of link control (turn), or a Null (keepAt).
func (l *Link) earliest() wire.Time {
	at, keep, turn := l.activity.next(&l.profile), wire.Never, wire.Never
	if l.activity.carrier {
		keep, turn = l.timers.keepAt, l.timers.turn
	}
	switch {
	case !l.activity.indicated || l.state == Shutdown:
		return min(at, keep)
	case l.state != Normal:
		return min(at, turn, l.timers.deadMan)
	case l.met:
		turn = keep
	}
	at = min(at, turn, l.src.timer, l.src.starved[0], l.src.starved[1], l.src.starved[2], l.src.starved[3])
	return min(at, l.dst.vc[0].stall, l.dst.vc[1].stall, l.dst.vc[2].stall, l.dst.vc[3].stall)
}

// retransmit begins to retransmit the unacknowledged micropackets, or shuts the link down if all retries are used up
// (8.4).
// Clauses: HIPPI-6400/source.8.
func (l *Link) retransmit(now wire.Time) {
	begun, ok := l.src.retransmit(l.profile.Retries, now)
	if begun {
		l.Events.RetryCount.add()
	}
	if !ok {
		l.Events.RetryFailureError.add()
		l.shutdown(now)
	}
}

// Close gives up all Messages that are not sent or received completely, and counts them as lost at a reset. The link
// stays shut down until a Link Reset or an Initialize.
func (l *Link) Close() {
	l.empty()
	l.timers.deadMan = wire.Never
	l.state = Shutdown
}
