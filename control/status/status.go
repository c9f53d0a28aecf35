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
	wishes    string   // words of api.Unmet.What: of a wish, its own; of a problem, those of which it is the cause
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
// LLDP agents of the ports, neighbors their neighbours. Of the lines of one severity, those come first that name a
// thing wanted and not in force (unmet), and then the troubles of the daemon itself.
func Of(ports []api.Port, agents []api.LLDPInterface, neighbors []api.LLDPNeighbor, unmet []api.Unmet,
	troubles ...string,
) (lines []Line) {
	lines = unmetLines(ports, unmet)
	for _, trouble := range troubles {
		lines = append(lines, Line{Is: Warning, Port: "-", Interface: "-", Role: daemon, State: Warning.String(),
			Problem: trouble, Type: commandIn(trouble)})
	}
	for _, p := range ports {
		if other := slices.IndexFunc(ports, func(o api.Port) bool { return o.Name == p.XConnect }); tooLong(p, p) ||
			other >= 0 && tooLong(p, ports[other]) {
			p.Fault = ""
		}
		var wishes []*Line
		for i := range lines {
			if lines[i].Port == p.Name {
				wishes = append(wishes, &lines[i])
			}
		}
		found := append(portProblems(p), lldpProblems(p, agents, neighbors).merge(wishes)...)
		if len(found) == 0 && !slices.ContainsFunc(unmet, func(u api.Unmet) bool { return u.Port == p.Name }) {
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

// unmetLines returns a line for each thing that is wanted and not in force, of the daemon itself and of ports.
func unmetLines(ports []api.Port, unmet []api.Unmet) (lines []Line) {
	for _, u := range unmet {
		l := Line{Is: Warning, Port: "-", Interface: "-", Role: daemon, State: Warning.String(), Problem: u.Problem,
			Type: u.Command, At: u.At, wishes: u.What}
		if i := slices.IndexFunc(ports, func(p api.Port) bool { return p.Name == u.Port }); i >= 0 {
			l.Port, l.Interface, l.Role = u.Port, ports[i].Interface, ports[i].Role
		}
		lines = append(lines, l)
	}
	return lines
}
