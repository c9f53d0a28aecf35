package llr

import (
	"uelink/wire"
)

// announcer sends a station's STATION, in little: with every
// LLR_INIT and LLR_INIT_ECHO, on every change, when LLR asks for it, and each second.
// The zero value is an older station, which does not know STATION.
type announcer struct {
	start uint32 // start id; 0 = says nothing
	sent  wire.Station
	at    wire.Time // when it was last said
	due   wire.Time
	keeps uint8 // log2 of the frames kept behind a gap, as the station says

	mark    Bookmark // that the start before has left
	resumes bool     // there is one
}

// items returns the STATION to send with the control ordered sets of LLR.
func (a *announcer) items(l *Link, says []wire.CtlOS, now wire.Time) []wire.CtlOS {
	if a.start == 0 {
		return nil
	}
	got := wire.Station{Nacks: true, Keeps: a.keeps,
		Local: l.Rx.State() != RxOff, Remote: l.Tx.State() != TxOff, Live: l.Rx.Live(),
		Start: a.start, EtherType: wire.EtherTypeData,
	}
	if a.resumes && !got.Live {
		got.Resumes, got.Origin, got.Next = true, a.mark.Origin, a.mark.Next
	}
	due := got != a.sent || now >= a.due
	for _, c := range says {
		due = due || c.Type == wire.LLRInit || c.Type == wire.LLRInitEcho
	}
	if now.Sub(a.at) >= apartLeast && l.StationRequested() {
		due = true
	}
	if !due {
		return nil
	}
	a.sent, a.at, a.due = got, now, now+1e9
	return got.Items(nil)
}

// wake returns when the next STATION is due.
func (a *announcer) wake() wire.Time {
	if a.start == 0 {
		return wire.Never
	}
	return a.due
}
