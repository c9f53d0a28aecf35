package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"uelink/control"
)

func logLevelCommand(t *tool) *cobra.Command {
	levels := []string{"debug", "info", "warn", "error"}
	return &cobra.Command{
		Use:       "level [LEVEL]",
		Short:     "Show or set the log level: debug, info, warn or error",
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: levels,
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *control.Client) error {
				if len(args) > 0 {
					return c.SetLogLevel(cmd.Context(), args[0])
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
