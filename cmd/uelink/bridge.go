package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/control/api"
)

func bridgeCommand(t *tool) *cobra.Command {
	return showing(bridgeShowCommand(t, "bridge [BRIDGE]", "Show the bridges, or one with its ports"),
		bridgeShowCommand(t, "show [BRIDGE]", "Show the bridges, or one with its ports"))
}

// showing returns cmd, a command that shows state without a subcommand, after adding show (which does the same) and the
// other subcommands. If cmd refuses an argument that resembles the name of a subcommand, the error names that
// subcommand.
func showing(cmd, show *cobra.Command, subcommands ...*cobra.Command) *cobra.Command {
	show.Aliases = []string{"list"}
	cmd.AddCommand(show)
	cmd.AddCommand(subcommands...)
	cmd.SuggestionsMinimumDistance = 2
	own := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := own(cmd, args)
		if err == nil {
			return nil
		}
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			return fmt.Errorf("unknown command %q for %q: did you mean %q?", args[0], cmd.CommandPath(), near[0])
		}
		return err
	}
	return cmd
}

// bridgeShowCommand returns a command under the name use that shows the bridges, or the one in the arguments.
func bridgeShowCommand(t *tool, use, short string) *cobra.Command {
	return watched(&cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.MaximumNArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return t.names(cmd, "BRIDGE"), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error {
				bridges, err := list(args,
					func() ([]api.Bridge, error) { return c.Bridges(cmd.Context()) },
					func(name string) (api.Bridge, error) { return c.Bridge(cmd.Context(), name) })
				if err != nil {
					return err
				}
				return t.show(cmd, bridges, func(w io.Writer) {
					if len(args) == 0 {
						view.WriteBridges(w, bridges)
					} else {
						view.WriteBridge(w, bridges[0])
					}
				})
			})
		},
	})
}
