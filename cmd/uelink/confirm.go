package main

import (
	"github.com/spf13/cobra"

	"uelink/client"
)

func confirmCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:   "confirm",
		Short: "Confirm the start or the reload of a daemon with --confirm",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *client.Client) error { return c.Confirm(cmd.Context()) })
		},
	}
}
