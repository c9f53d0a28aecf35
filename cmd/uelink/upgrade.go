package main

import (
	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/control/api"
)

const upgradeLong = `Have the running daemon start another uelinkd and hand everything over to it: sockets,
frames that wait, sessions with partners and neighbours, counters. No frame is lost, and partners
notice nothing. If the other program cannot take over, the daemon goes on, and the reason is told.

Without --binary the program at the daemon's own path is started: install the new version there
first. --binary and --config are for root and for the user of the daemon. The program, and every
folder above it, must belong to root or to that user, and nobody else may write to them.`

func upgradeCommand(t *tool) *cobra.Command {
	var u api.Upgrade
	cmd := &cobra.Command{
		Use:   "upgrade",
		Short: "Start another version of the daemon without losing a frame",
		Long:  upgradeLong,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *client.Client) error { return c.Upgrade(cmd.Context(), u) })
		},
	}
	cmd.Flags().StringVar(&u.Binary, "binary", "", "program to start instead of the one at the daemon's own path")
	cmd.Flags().StringVar(&u.Config, "config", "", "configuration of the new daemon, instead of the daemon's own")
	return cmd
}
