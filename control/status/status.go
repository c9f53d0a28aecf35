// Package status judges the ports of a daemon: what is wrong with a port, how bad that is, and what to type.
package status

import (
	"slices"

	"uelink/control/api"
)

// Severity is how bad the state of a port is.
type Severity uint8

// The severities, from the best to the worst.
const (
	Fine    Severity = iota
	Warning          // frames cross, and something should be looked at
	Broken           // frames do not cross
)

// String returns the severity's name in the output: ok, warning or error.
func (s Severity) String() string { return [...]string{"ok", "warning", "error"}[s] }

// Line is one line of `uelink status`: a problem of a port, or that the port has none.
type Line struct {
	Is        Severity `json:"-"`
	Port      string   `json:"port"`
	Interface string   `json:"interface"`
	Role      string   `json:"role"`
	State     string   `json:"state"`   // Is in words: "ok", "warning" or "error"
	Problem   string   `json:"problem"` // its likely cause; without a problem, the state of the link
	Type      string   `json:"type"`    // command that mends the problem, or shows more; "" if there is none
	At        string   `json:"at"`      // place where to type the command, in words; "" is this host
}

// daemon is the role in the lines of the daemon itself.
const daemon = "daemon"

// OfDaemon reports whether the line is of the daemon itself, and of no port.
func (l *Line) OfDaemon() bool { return l.Role == daemon }

// atHost is the place of a command that is to be typed at the host of an edge, besides this host. What the other end
// of a link has to type, its own status shows.
const atHost = "its host"

// Command returns the command to type, and the place where to type it if that is not here, for people; "" without a
// command, and if the problem names it already.
func (l *Line) Command() string {
	if l.Type == "" || commandIn(l.Problem) != "" {
		return ""
	}
	return l.where()
}

// where returns the command to type, and the place if that is not here.
func (l *Line) where() string {
	if l.At == "" {
		return l.Type
	}
	return l.Type + ", at " + l.At
}

// Of returns a line for each problem of a port, or for the port itself if it has none, the worst first. agents are the
// LLDP agents of the ports; troubles, those of the daemon itself, come before the ports' problems of the same severity.
func Of(ports []api.Port, agents []api.LLDPInterface, troubles ...string) (lines []Line) {
	for _, trouble := range troubles {
		lines = append(lines, Line{Is: Warning, Port: "-", Interface: "-", Role: daemon, State: Warning.String(),
			Problem: trouble, Type: commandIn(trouble)})
	}
	for _, p := range ports {
		found := append(portProblems(p), lldpProblems(p.Name, agents)...)
		if len(found) == 0 {
			found = []Line{{Problem: allWell(p)}}
		}
		for _, s := range found {
			s.Port, s.Interface, s.Role, s.State = p.Name, p.Interface, p.Role, s.Is.String()
			lines = append(lines, s)
		}
	}
	slices.SortStableFunc(lines, func(a, b Line) int { return int(b.Is) - int(a.Is) })
	return lines
}
