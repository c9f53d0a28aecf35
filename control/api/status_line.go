package api

import (
	"fmt"
	"strings"
	"time"
)

// StatusLine is one line of `uelink status`: a problem of a port or of the daemon itself, or that a port has none.
type StatusLine struct {
	Port      string `json:"port"` // "-": the line is of the daemon itself
	Interface string `json:"interface"`
	Role      string `json:"role"`
	State     string `json:"state"`   // "ok", "warning" or "error"
	Problem   string `json:"problem"` // the problem with its likely cause; without a problem, the state of the link
	Type      string `json:"type"`    // command that mends the problem, or shows more; empty: none
	At        string `json:"at"`      // place where to type the command, in words; empty is this host
	// since when the problem has been there, as the daemon has observed; absent: there is no problem
	Since *time.Time `json:"since,omitempty"`
	Age   int64      `json:"age"` // seconds since then
}

// DaemonRole is the role in the lines of the daemon itself.
const DaemonRole = "daemon"

// OfDaemon reports whether the line is of the daemon itself, and of no port.
func (l *StatusLine) OfDaemon() bool { return l.Role == DaemonRole }

// Command returns, for people, the command to type, followed by the place where to type the command if that place is
// not this host; "" without a command, or if the text of the problem has the command already.
func (l *StatusLine) Command() string {
	if l.Type == "" || CommandIn(l.Problem) != "" {
		return ""
	}
	return l.Where()
}

// Where returns the command to type, followed by the place where to type the command if that place is not this host.
func (l *StatusLine) Where() string {
	if l.At == "" {
		return l.Type
	}
	return l.Type + ", at " + l.At
}

// Began returns since when the problem has been there, for people: the time of the day with the age below a day, else
// the date; "-" if there is no problem, or the time is not known.
func (l *StatusLine) Began() string {
	if l.Since == nil {
		return "-"
	}
	layout := time.TimeOnly
	if l.Age >= int64(24*time.Hour/time.Second) {
		layout = time.DateOnly
	}
	return l.Since.Local().Format(layout) + ", " + inOneUnit(l.Age)
}

// inOneUnit returns an age of so many seconds in one unit, such as "4 min".
func inOneUnit(seconds int64) string {
	switch d := time.Duration(seconds) * time.Second; {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", seconds)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	default:
		return fmt.Sprintf("%d d", d/(24*time.Hour))
	}
}

// CommandIn returns the command that the text of a problem names behind "type: "; "" if it names none.
func CommandIn(text string) string {
	_, command, _ := strings.Cut(text, "type: ")
	command, _, _ = strings.Cut(command, "; ")
	return command
}
