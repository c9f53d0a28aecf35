package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/internal/table"
)

// severity is how bad the state of a port is.
type severity uint8

const (
	fine    severity = iota
	warning          // frames cross, and something should be looked at
	broken           // frames do not cross
)

// String returns the severity's name in the output: ok, warning or error.
func (s severity) String() string { return [...]string{"ok", "warning", "error"}[s] }

// portStatus is one line of `uelink status`: a problem of a port, or that the port has none.
type portStatus struct {
	is        severity
	Port      string `json:"port"`
	Interface string `json:"interface"`
	Role      string `json:"role"`
	State     string `json:"state"`   // is in words: "ok", "warning" or "error"
	Problem   string `json:"problem"` // its likely cause; without a problem, the state of the link
	Type      string `json:"type"`    // command that mends the problem, or shows more; "" if there is none
}

// errWrong gives the exit code 1; the output has the reason.
var errWrong = errors.New("")

func statusCommand(t *tool) *cobra.Command {
	return watched(&cobra.Command{
		Use:   "status",
		Short: "Show what is wrong with the ports and what to type, the worst first",
		Long: "Shows a line for each port, and one more for each further problem, the worst first.\n" +
			"Exit code 1 says that something is wrong.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *client.Client) error {
				lines, err := statusOf(cmd, c)
				if err != nil {
					return err
				}
				if err := t.show(cmd, lines, func(w io.Writer) { writeStatus(w, lines) }); err != nil {
					return err
				}
				if len(lines) > 0 && lines[0].is > fine {
					return errWrong
				}
				return nil
			})
		},
	})
}

// statusOf asks the daemon for all ports and returns a line of status for each problem of a port, or for the port
// itself if it has none, the worst first.
func statusOf(cmd *cobra.Command, c *client.Client) (lines []portStatus, err error) {
	ports, err := c.Ports(cmd.Context())
	if err != nil {
		return nil, err
	}
	agents, err := c.LLDPInterfaces(cmd.Context(), "")
	if err != nil {
		return nil, err
	}
	for _, p := range ports {
		found := append(portProblems(p), lldpProblems(p.Name, agents)...)
		if len(found) == 0 {
			found = []portStatus{{Problem: allWell(p)}}
		}
		for _, s := range found {
			s.Port, s.Interface, s.Role, s.State = p.Name, p.Interface, p.Role, s.is.String()
			lines = append(lines, s)
		}
	}
	slices.SortStableFunc(lines, func(a, b portStatus) int { return int(b.is) - int(a.is) })
	return lines, nil
}

func writeStatus(w io.Writer, lines []portStatus) {
	if len(lines) == 0 {
		fmt.Fprintln(w, view.NoPorts)
		return
	}
	t := table.Table{Titles: []string{"Port", "Interface", "Role", "State", "Problem"}}
	for _, s := range lines {
		problem := s.Problem
		if s.Type != "" {
			problem += ": " + s.Type
		}
		t.Add(s.Port, s.Interface, s.Role, strings.ToUpper(s.State), problem)
	}
	view.WriteTable(w, &t)
}
