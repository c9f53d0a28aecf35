package hippi

import "uelink/wire"

// activity is the activity monitor (HIPPI-6400 §13.1): is follows the signal when the signal was steady for the
// Activity_Monitor timeout.
type activity struct {
	carrier   bool
	indicated bool      // activity monitor indication
	signal    bool      // the carrier is there, and micropackets come
	since     wire.Time // of the last change of signal
	heard     wire.Time // the last micropacket came, or the carrier
}

// next returns when the activity indication, or the signal it follows, may change next without an input.
func (a *activity) next(p *Profile) wire.Time {
	at := wire.Never
	if a.signal != a.indicated {
		at = a.since.Add(p.Activity)
	}
	if a.signal && p.Silence > 0 {
		at = min(at, a.heard.Add(p.Silence))
	}
	return at
}

// sense records whether there is a signal from the partner, from time at on.
func (a *activity) sense(signal bool, at wire.Time) {
	if a.signal != signal {
		a.signal, a.since = signal, at
	}
}

// SetCarrier records whether the medium (the interface) has its carrier.
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

// hear records that a micropacket of the partner has arrived.
func (l *Link) hear(now wire.Time) {
	a := &l.activity
	if a.heard = now; !a.signal && a.carrier {
		a.sense(true, now)
		l.timers.due = min(l.timers.due, a.next(&l.profile))
	}
}

// monitor updates the activity indication by the signal. When it becomes true, at power-on too, a Link Reset begins
// (12, 12.1). When it becomes false, an event is logged, and the numbering of the partner's frames starts again,
// since a damaged or forged number may have made them all look late.
// Clauses: HIPPI-6400/reset.2, HIPPI-6400/activity.1.
func (l *Link) monitor(now wire.Time) {
	a, p := &l.activity, &l.profile
	if a.signal && p.Silence > 0 && now >= a.heard.Add(p.Silence) {
		a.sense(false, a.heard.Add(p.Silence))
	}
	if a.signal == a.indicated || now < a.since.Add(p.Activity) {
		return
	}
	if a.indicated = a.signal; a.indicated {
		l.beginReset(now)
		return
	}
	l.frames.from = 0
	l.notices |= NoticeActivity
}
