package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"uelink/client"
)

// reloadCommand returns the command that makes the daemon read its configuration file again.
func reloadCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:   "reload",
		Short: "Have the daemon read its configuration file again, and tell the outcome",
		Long: `Makes the running daemon read its configuration file again, and prints what became of the file. A file
that is wrong, or that this host cannot follow, is refused as a whole: the former configuration goes on,
the reasons are printed, and the exit code is 1. "uelink config diff" shows before what would change.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *client.Client) error { return t.reload(cmd, c) })
		},
	}
}

// reload makes the daemon read its configuration file again. It prints that the file is in force, the keys that wait
// for the next start, and the time for a confirmation; or returns an error with the reasons of a refusal.
func (t *tool) reload(cmd *cobra.Command, c *client.Client) error {
	done, err := c.Reload(cmd.Context())
	if err != nil {
		return err
	}
	status, err := c.Status(cmd.Context())
	if err != nil {
		return err
	}
	if len(done.Errors) > 0 {
		if err := t.show(cmd, done, func(io.Writer) {}); err != nil {
			return err
		}
		return errors.New(status.Config + " is refused, and the former configuration goes on:\n" +
			strings.Join(done.Errors, "\n"))
	}
	return t.show(cmd, done, func(w io.Writer) {
		fmt.Fprintln(w, status.Config, "is in force")
		if len(done.NextStart) > 0 {
			fmt.Fprintln(w, "These keys wait for the next start of the daemon:", strings.Join(done.NextStart, ", "))
		}
		if status.Confirm > 0 {
			fmt.Fprintf(w, "The reload is undone in %.0f s unless you type: uelink confirm\n", status.Confirm)
		}
	})
}
