package main

import (
	"io"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/view"
)

// switchTrimmingCommand returns the command that shows packet trimming.
func switchTrimmingCommand(t *tool) *cobra.Command {
	return watched(&cobra.Command{
		Use:   "switch-trimming",
		Short: "Show the settings and the counters of packet trimming",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *client.Client) error {
				trimming, err := c.SwitchTrimming(cmd.Context())
				if err != nil {
					return err
				}
				return t.show(cmd, trimming, func(w io.Writer) { view.WriteSwitchTrimming(w, trimming) })
			})
		},
	})
}
