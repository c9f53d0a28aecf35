package hippi

import (
	"uelink/wire"
	"uelink/wire/micropacket"
)

// State is a state of figure 20 of HIPPI-6400:
//
//	         administrator, credit overflow,          Initialize heard, administrator
//	         activity, Reset heard                    (any state)
//	                  │                                      │
//	         ┌────────▼───────┐  Initialize(_ACK) heard ┌────▼───────────┐
//	┌───────►│ Reset-1        ├────────────────────────►│ Init-1         │
//	│        │ sends Reset    │                    ┌───►│ sends          │
//	│        └────────┬───────┘                    │    │ Initialize     │
//	│  Reset(_ACK)    │                            │    └────┬───────────┘
//	│  heard ┌────────▼───────┐  Initialize(_ACK)  │         │ Initialize(_ACK) heard:
//	│        │ Reset-2        ├────────────────────┘         │ Hold-off starts
//	│        │ sends          │                         ┌────▼───────────┐
//	│        │ Reset_ACK      │                         │ Init-2         │
//	│        └────────┬───────┘                         │ sends          │
//	│ Dead-man        │ Reset_ACK heard                 │ Initialize_ACK │
//	│ (all four)      │                                 └────┬───────────┘
//	│        ┌────────▼───────┐  Initialize_ACK heard        │
//	└────────│ Normal         │◄─────────────────────────────┘
//	         └────────┬───────┘
//	                  │ retries, credit timeout, VC buffer overflow
//	         ┌────────▼───────┐
//	         │ Shutdown       │  left by Reset-1 or Init-1 alone
//	         └────────────────┘
//
// Clauses: HIPPI-6400/reset.1.
type State uint8

// The states of a link.
const (
	Shutdown State = iota // out of service (13.2); also the state before power-on
	Normal
	Reset1
	Reset2
	Init1
	Init2
)

// String returns the state's name in figure 20, such as "Normal" or "Reset-1".
func (s State) String() string {
	return [...]string{"Shutdown", "Normal", "Reset-1", "Reset-2", "Init-1", "Init-2", "?"}[min(s, Init2+1)]
}

// resetting reports whether a Link Reset or Initialize runs.
func (s State) resetting() bool { return s >= Reset1 }

// initializing reports whether an Initialize runs.
func (s State) initializing() bool { return s >= Init1 }

// says returns the TYPE of the micropackets that this state, a step of a Link Reset or Initialize, sends.
func (s State) says() micropacket.Type {
	return [...]micropacket.Type{Reset1: micropacket.Reset, Reset2: micropacket.ResetACK, Init1: micropacket.Initialize,
		Init2: micropacket.InitializeACK}[s]
}

// beginReset enters state Reset-1, the first step of a Link Reset (HIPPI-6400 §12.1).
// Clauses: HIPPI-6400/reset.4.
func (l *Link) beginReset(now wire.Time) {
	l.Counters.LinkResets++
	l.begin(Reset1, now)
}

// beginInit enters state Init-1, the first step of an Initialize (12.2), and logs an event, so that the administrator
// can pass the Initialize on to other links.
// Clauses: HIPPI-6400/reset.7.
func (l *Link) beginInit(now wire.Time) {
	l.Counters.Initializes++
	l.notices |= NoticeInitialize
	l.begin(Init1, now)
}

// begin starts a Link Reset or Initialize in state s: it resets this end's buffers and numbers, with a new epoch, and
// starts the Dead-man timer.
func (l *Link) begin(s State, now wire.Time) {
	if l.epoch++; l.epoch == 0 {
		l.epoch = 1
	}
	l.empty()
	l.timers.deadMan = now.Add(l.profile.DeadMan)
	l.enter(s, now)
}

// enter changes the state to s; the micropacket that this state sends is due at once.
func (l *Link) enter(s State, now wire.Time) {
	l.state, l.met, l.vc3, l.answer = s, false, vc3{}, 0
	l.timers.turn, l.timers.due = now, now
}

// empty empties the VC buffers and the output buffer, withdraws all credits, and restarts the sequence numbers from
// 00 (12.1, 12.2, 13.2).
// Clauses: HIPPI-6400/reset.6.
func (l *Link) empty() {
	l.Counters.TxLostAtReset += l.src.reset()
	l.Counters.RxLostAtReset += l.dst.reset()
	for vc := range l.arrival {
		l.arrival[vc].reset(l)
		l.confirm[vc].reset()
	}
}

// activityChanged handles a change of the activity monitor indication. When it becomes true, at power-on too, a Link
// Reset begins (12, 12.1). When it becomes false, an event is logged, and the numbering of the partner's frames starts
// again, since a damaged or forged number may have made them all look late.
// Clauses: HIPPI-6400/reset.2, HIPPI-6400/activity.1.
func (l *Link) activityChanged(now wire.Time) {
	if l.activity.indicated {
		l.beginReset(now)
		return
	}
	l.frames.from = 0
	l.notices |= NoticeActivity
}

// shutdown takes the link out of service (13.2): it empties all buffers and enters the state Shutdown, of which the
// administrator is told by NoticeShutdown.
// Clauses: HIPPI-6400/shutdown.1,2.
func (l *Link) shutdown(now wire.Time) {
	l.Counters.Shutdowns++
	l.notices |= NoticeShutdown
	l.empty()
	l.timers.deadMan = wire.Never
	l.enter(Shutdown, now)
}

// control handles a Reset, Reset_ACK, Initialize or Initialize_ACK, as t says, by the state of the link (figure 20). It
// ignores them without activity, and an answer to an earlier sequence. A Link Reset gives way to an Initialize, except
// within the Hold-off time; an Initialize ignores a Reset.
// Clauses: HIPPI-6400/reset.1.
func (l *Link) control(now wire.Time, t micropacket.Type, h Hearing) {
	if !l.activity.indicated {
		return
	}
	initialize := t == micropacket.Initialize || t == micropacket.InitializeACK
	ack := t == micropacket.ResetACK || t == micropacket.InitializeACK
	if ack && !h.Echoed && !(t == micropacket.InitializeACK && (l.state == Reset1 || l.state == Reset2)) {
		return // an answer to an earlier Link Reset or Initialize
	}
	switch l.state {
	case Normal, Shutdown:
		l.controlAtRest(now, t, h)
	case Reset1, Reset2:
		switch {
		case t == micropacket.Initialize && now < l.timers.holdOff:
			return
		case initialize:
			l.hearFrom(h)
			l.beginInit(now)
		default:
			l.hearFrom(h)
			l.controlReset(now, ack)
		}
	case Init1, Init2:
		if !initialize {
			return
		}
		l.hearFrom(h)
		l.controlInit(now, ack)
	}
}

// controlReset handles a Reset, or a Reset_ACK if ack is true, during a Link Reset: it leads to Reset-2, and from there
// a Reset_ACK to Normal.
func (l *Link) controlReset(now wire.Time, ack bool) {
	switch {
	case l.state == Reset1:
		l.enter(Reset2, now)
	case ack:
		l.enterNormal(now)
	}
}

// controlInit handles an Initialize, or an Initialize_ACK if ack is true, during an Initialize. The first one leads to
// Init-2 and starts the Hold-off timer; from there an Initialize_ACK leads to Normal.
// Clauses: HIPPI-6400/reset.7,9.
func (l *Link) controlInit(now wire.Time, ack bool) {
	switch {
	case l.state == Init1:
		if now >= l.timers.holdOff {
			l.timers.holdOff = now.Add(l.profile.HoldOff)
		}
		l.enter(Init2, now)
	case ack:
		l.enterNormal(now)
	}
}

// controlAtRest handles link control in Normal or Shutdown: a Reset or an Initialize begins a sequence. An answer is
// discarded (6.3.1). But until the partner was heard in Normal, it may still wait for our last answer, which was lost:
// we repeat the answer. Without the repetition the partner's Dead-man timer would reset both ends again.
// Clauses: HIPPI-6400/fields.6, HIPPI-6400/shutdown.3.
func (l *Link) controlAtRest(now wire.Time, t micropacket.Type, h Hearing) {
	switch t {
	case micropacket.Reset:
		l.hearFrom(h)
		l.beginReset(now)
	case micropacket.Initialize:
		if now >= l.timers.holdOff {
			l.hearFrom(h)
			l.beginInit(now)
		}
	default:
		if l.state == Normal && !l.met {
			l.answer, l.timers.due = t, now
		}
	}
}

// enterNormal ends a Link Reset or Initialize.
func (l *Link) enterNormal(now wire.Time) {
	l.timers.deadMan = wire.Never
	l.enter(Normal, now)
}
