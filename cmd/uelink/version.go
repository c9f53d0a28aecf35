package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/control/api"
)

// versions is the output of uelink version.
type versions struct {
	Uelink  string      `json:"uelink"`
	Uelinkd *api.Status `json:"uelinkd"` // null when none runs
}

// versionCommand returns the command that shows the versions of tool and daemon.
func versionCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the versions of this tool and of the daemon, if one runs",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *client.Client) error {
				v := versions{Uelink: api.Version()}
				status, err := c.Status(cmd.Context())
				var noDaemon *client.NoDaemonError
				switch {
				case err == nil:
					v.Uelinkd = &status
				case !errors.As(err, &noDaemon):
					return err
				}
				return t.show(cmd, v, func(w io.Writer) { writeVersions(w, v, t.socket) })
			})
		},
	}
}

// writeVersions prints the versions, and the socket where no daemon answers.
func writeVersions(w io.Writer, v versions, socket string) {
	fmt.Fprintln(w, "uelink ", v.Uelink)
	if d := v.Uelinkd; d != nil {
		fmt.Fprintf(w, "uelinkd %s, process %d, since %s, configured by %s\n", d.Version, d.PID,
			d.Started.Local().Format(time.RFC3339), d.Config)
		if d.Confirm > 0 {
			fmt.Fprintf(w, "the start or the reload is undone in %.0f s unless you type: uelink confirm\n",
				d.Confirm)
		}
	} else {
		fmt.Fprintln(w, "no uelinkd answers on", socket)
	}
}
