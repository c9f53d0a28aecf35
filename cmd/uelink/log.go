package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/control/api"
)

// logLevelCommand returns the command that shows the level of the daemon's log, or sets it.
func logLevelCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:       "level [LEVEL]",
		Short:     "Show or set the log level: " + strings.Join(api.LogLevels(), ", "),
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: api.LogLevels(),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error {
				if len(args) > 0 {
					return unsaved(cmd, c.SetLogLevel(cmd.Context(), args[0]))
				}
				level, err := c.LogLevel(cmd.Context())
				if err != nil {
					return err
				}
				return t.show(cmd, level, func(w io.Writer) { fmt.Fprintln(w, level.Level) })
			})
		},
	}
}
