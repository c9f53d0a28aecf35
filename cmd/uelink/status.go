package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/control/api"
	"uelink/control/status"
	"uelink/internal/table"
)

// errWrong gives the exit code 1; the output has the reason.
var errWrong = errors.New("")

// statusCommand returns the command that judges the ports. It fails if something is wrong.
func statusCommand(t *tool) *cobra.Command {
	return watched(&cobra.Command{
		Use:   "status",
		Short: "Show what is wrong with the ports and what to type, the worst first",
		Long: "Shows a line for each port, and one more for each further problem, the worst first, and since when it\n" +
			"has been there. Lines of role daemon are of the daemon itself.\n" +
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
				if len(lines) > 0 && lines[0].State != status.Fine.String() {
					return errWrong
				}
				return nil
			})
		},
	})
}

// statusOf returns the lines of status: a line for each problem of a port, or for the port itself without a problem,
// the worst first. An older daemon sends no lines: then the lines are made here, without times.
func statusOf(cmd *cobra.Command, c *client.Client) ([]api.StatusLine, error) {
	own, err := c.Status(cmd.Context())
	if err != nil || own.Lines != nil {
		return own.Lines, err
	}
	ports, err := c.Ports(cmd.Context())
	if err != nil {
		return nil, err
	}
	agents, err := c.LLDPInterfaces(cmd.Context(), "")
	if err != nil {
		return nil, err
	}
	neighbors, err := c.LLDPNeighbors(cmd.Context(), "")
	if err != nil {
		return nil, err
	}
	return status.Lines(status.Judge(ports, agents, neighbors, own.Unmet, own.Troubles...)), nil
}

// writeStatus prints the lines of a status as a table, each problem with the command against it.
func writeStatus(w io.Writer, lines []api.StatusLine) {
	if len(lines) == 0 {
		fmt.Fprintln(w, view.NoPorts)
		return
	}
	t := table.Table{Titles: []string{"Port", "Interface", "Role", "State", "Since", "Problem"}}
	for _, s := range lines {
		problem := s.Problem
		if command := s.Command(); command != "" {
			problem += ": " + command
		}
		t.Add(s.Port, s.Interface, s.Role, strings.ToUpper(s.State), s.Began(), problem)
	}
	view.WriteTable(w, &t)
}
