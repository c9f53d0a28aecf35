// Package status judges the ports of a daemon: the problems of a port, their severity, and the commands against them.
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

// Line is a line of `uelink status`, made by the daemon.
type Line struct {
	api.StatusLine
	Is     Severity `json:"-"`
	wishes string   // of a wish: its word (api.Unmet.What); of a problem: the words of the wishes that are unmet because of it
	kinds  []string // words that identify the problem while its text changes; nil: the text identifies the problem
}

// newLine returns the line of a problem, without the port.
func newLine(severity Severity, problem, command, at string) Line {
	return Line{Is: severity, StatusLine: api.StatusLine{
		Port: "-", Interface: "-", Role: api.DaemonRole, State: severity.String(), Problem: problem, Type: command, At: at,
	}}
}

// atHost is the place of a command for the host of an edge, as opposed to this host. Commands for the other end of a
// link are in the status of the other end.
const atHost = "its host"

// Judge returns a line for each problem of a port, or for the port itself without a problem, the worst first. agents
// are the LLDP agents of the ports, neighbors their neighbours. Of the lines of one severity, lines that name a setting
// wanted and not in force (unmet) come first, then the troubles of the daemon itself. A problem shown by LLDP that is
// the cause of such a setting is part of the setting's line.
func Judge(ports []api.Port, agents []api.LLDPInterface, neighbors []api.LLDPNeighbor, unmet []api.Unmet,
	troubles ...string,
) (lines []Line) {
	lines = unmetLines(ports, unmet)
	for _, trouble := range troubles {
		lines = append(lines, newLine(Warning, trouble, api.CommandIn(trouble), ""))
	}
	for _, p := range ports {
		if other := slices.IndexFunc(ports, func(o api.Port) bool { return o.Name == p.XConnect }); tooLong(p, p) ||
			other >= 0 && tooLong(p, ports[other]) {
			p.Fault = "" // the length problem has a line of its own
		}
		var wishes []*Line
		for i := range lines {
			if lines[i].Port == p.Name {
				wishes = append(wishes, &lines[i])
			}
		}
		found := append(portProblems(p), lldpProblems(p, agents, neighbors).merge(wishes)...)
		if len(found) == 0 && !slices.ContainsFunc(unmet, func(u api.Unmet) bool { return u.Port == p.Name }) {
			found = []Line{newLine(Fine, allWell(p), "", "")}
		}
		for _, s := range found {
			s.Port, s.Interface, s.Role = p.Name, p.Interface, p.Role
			lines = append(lines, s)
		}
	}
	slices.SortStableFunc(lines, func(a, b Line) int { return int(b.Is) - int(a.Is) })
	return lines
}

// unmetLines returns a line for each thing that is wanted and not in force, of the daemon itself and of ports.
func unmetLines(ports []api.Port, unmet []api.Unmet) (lines []Line) {
	for _, u := range unmet {
		l := newLine(Warning, u.Problem, u.Command, u.At)
		l.wishes, l.kinds = u.What, []string{u.What}
		if i := slices.IndexFunc(ports, func(p api.Port) bool { return p.Name == u.Port }); i >= 0 {
			l.Port, l.Interface, l.Role = u.Port, ports[i].Interface, ports[i].Role
		}
		lines = append(lines, l)
	}
	return lines
}
