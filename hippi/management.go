package hippi

import (
	"errors"

	"uelink/wire"
)

// Errors of 64_CONTROL.Confirm.
var (
	ErrNoActivity = errors.New("hippi: the activity monitor sees no signal: connect the partner first")
	ErrInProgress = errors.New("hippi: a Link Reset or Initialize is in progress: wait for its end")
	ErrBuffers    = errors.New("hippi: the VC buffers of a running link cannot change their size: keep the " +
		"sizes, or make a new link")
)

// Command is a command of 64_CONTROL.Request (HIPPI-6400 §5.5.1).
type Command uint8

// The commands without parameters; SetProfile sets the values.
const (
	CommandReset       Command = iota // Link Reset (12.1)
	CommandInitialize                 // Initialize (12.2)
	CommandClearEvents                // the logged events become 0
)

// ControlRequest runs a command of the administrator: Link Reset, Initialize, or clearing the logged events (the
// standard's 64_CONTROL.Request and Confirm). Errors: ErrNoActivity; ErrInProgress for a Link Reset while a sequence
// runs, and for an Initialize while another runs.
// Clauses: HIPPI-6400/service.8, HIPPI-6400/reset.4.
func (l *Link) ControlRequest(c Command, now wire.Time) error {
	switch {
	case c == CommandClearEvents:
		l.Events = Events{}
		return nil
	case !l.activity.indicated:
		return ErrNoActivity
	case c == CommandReset && l.state.resetting() || l.state.initializing():
		return ErrInProgress
	case c == CommandReset:
		l.beginReset(now)
	default:
		l.beginInit(now)
		l.notices &^= NoticeInitialize // the administrator knows
	}
	return nil
}

// SetProfile replaces timeouts, S_ULA_Allowed and the native S_ULA (the standard's 64_CONTROL.Request). Running
// timers keep their time. The error is ErrBuffers if the VC buffers would change.
// Clauses: HIPPI-6400/service.8.
func (l *Link) SetProfile(p Profile, now wire.Time) error {
	if p.Buffers != l.profile.Buffers {
		return ErrBuffers
	}
	l.profile = p
	l.timers.due = min(l.timers.due, now)
	return nil
}

// LinkStatus is the parameters of 64_STATUS.Confirm (5.6.2).
type LinkStatus struct {
	Profile  Profile // S_ULA_Allowed, native S_ULA, timeout values
	Events   Events
	Activity bool // activity monitor indication (13.1)
	State    State
	Notices  Notices // events since the last StatusResponse
}

// StatusRequest returns the status of the link (the standard's 64_STATUS.Request and Confirm).
// Clauses: HIPPI-6400/service.9.
func (l *Link) StatusRequest() LinkStatus {
	return LinkStatus{
		Profile: l.profile, Events: l.Events, Activity: l.activity.indicated, State: l.state, Notices: l.notices,
	}
}

// Notices are the monitored events of 64_STATUS.Indicate (5.6.3), and the indication of an Initialize (12.2).
type Notices uint8

// The monitored events of a link.
const (
	NoticeActivity   Notices = 1 << iota // the activity monitor indication went false
	NoticeShutdown                       // the link went into Shutdown
	NoticeInitialize                     // an Initialize of the partner has begun, and may be passed on
)

// StatusIndicate returns the monitored events since the last StatusResponse (the standard's 64_STATUS.Indicate). ok
// is false if there are none, or the last events returned had no StatusResponse yet.
// Clauses: HIPPI-6400/service.10.
func (l *Link) StatusIndicate() (events Notices, ok bool) {
	if l.indicated || l.notices == 0 {
		return 0, false
	}
	events, l.notices, l.indicated = l.notices, 0, true
	return events, true
}

// StatusResponse tells that the caller has handled the events of StatusIndicate (the standard's 64_STATUS.Response).
func (l *Link) StatusResponse() { l.indicated = false }
