package hippi

import "uelink/wire"

// activity is the activity monitor (HIPPI-6400 §13.1): indicated follows the signal when the signal was steady for the
// Activity_Monitor timeout.
type activity struct {
	carrier   bool      // the interface has its carrier
	indicated bool      // activity monitor indication
	signal    bool      // the carrier is there, and micropackets come
	since     wire.Time // time of the last change of signal
	heard     wire.Time // when the last micropacket arrived, or the carrier came
}

// next returns when the activity indication, or the signal it follows, may change next without an input: when the
// signal was steady for p.Activity, or the partner silent for p.Silence. It is wire.Never if neither can happen.
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

// hear records that a micropacket of the partner has arrived, and reports whether the signal begins with it.
func (a *activity) hear(now wire.Time) (begins bool) {
	if a.heard = now; a.signal || !a.carrier {
		return false
	}
	a.sense(true, now)
	return true
}

// update ends the signal after a silence of p.Silence, makes the indication follow a signal that was steady for
// p.Activity, and reports whether the indication has changed.
// Clauses: HIPPI-6400/activity.1.
func (a *activity) update(now wire.Time, p *Profile) (changed bool) {
	if a.signal && p.Silence > 0 && now >= a.heard.Add(p.Silence) {
		a.sense(false, a.heard.Add(p.Silence))
	}
	if a.signal == a.indicated || now < a.since.Add(p.Activity) {
		return false
	}
	a.indicated = a.signal
	return true
}
