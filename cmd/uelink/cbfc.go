package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"uelink/cbfc"
	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/control/api"
)

// cbfcCommand returns the commands of credit-based flow control.
func cbfcCommand(t *tool) *cobra.Command {
	links := creditLinks()
	vc := links.command(t, "vc [PORT]", "Show the virtual channels with credits, or configured for credits",
		view.WriteChannels)
	vc.AddCommand(
		vcModeCommand(t, "enable", "Make a virtual channel lossless for frames that this end sends, until the next reload",
			true),
		vcModeCommand(t, "disable", "Make a virtual channel best effort until the next reload", false))
	counters := links.command(t, "counters [PORT]", "Show the counters of credits and their messages",
		view.WriteCreditCounters)
	counters.AddCommand(clearCommand(t))
	return group("cbfc", "Show or change credit-based flow control", vc,
		links.command(t, "credits [PORT]", "Show the counts of credits of both directions", view.WriteCredits),
		counters)
}

// creditLinks returns the view of links with CBFC.
func creditLinks() linkView[api.CBFCInterface] {
	return linkView[api.CBFCInterface]{(*client.Client).CBFC, (*client.Client).CBFCOf,
		"No link port has CBFC: set cbfc.mode of the port in the configuration.\n"}
}

// vcModeCommand returns the command that makes a virtual channel lossless, or best effort, until the next reload.
func vcModeCommand(t *tool, use, short string, lossless bool) *cobra.Command {
	return &cobra.Command{
		Use:   use + " PORT INDEX",
		Short: short,
		Args: checked(cobra.ExactArgs(2), func(args []string) error {
			_, err := channelIndex(args[1])
			return err
		}),
		ValidArgsFunction: t.completePorts(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			vc, _ := channelIndex(args[1])
			return t.ask(func(c *client.Client) error {
				return unsaved(cmd, c.SetVC(cmd.Context(), args[0], vc, lossless))
			})
		},
	}
}

// checked returns a cobra argument check that checks the number of arguments by args and then calls check.
func checked(args cobra.PositionalArgs, check func([]string) error) cobra.PositionalArgs {
	return cobra.MatchAll(args, func(_ *cobra.Command, list []string) error { return check(list) })
}

func channelIndex(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 8)
	if err != nil || n >= cbfc.VCs {
		return 0, fmt.Errorf("%q is no virtual channel: a number from 0 to %d is wanted", text, cbfc.VCs-1)
	}
	return int(n), nil
}
