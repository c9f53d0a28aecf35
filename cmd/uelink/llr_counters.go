package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/control/api"
)

// llrCountersCommand returns the command that shows LLR counters, with the command below it that clears them.
func llrCountersCommand(t *tool) *cobra.Command {
	var detailed bool
	cmd := &cobra.Command{
		Use:               "counters [PORT]",
		Short:             "Show LLR counters of link ports",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: t.completePorts(true),
		RunE:              func(cmd *cobra.Command, args []string) error { return t.showCounters(cmd, args, detailed) },
	}
	cmd.Flags().BoolVar(&detailed, "detailed", false, "every counter on a line of its own")
	cmd.AddCommand(clearCommand(t), watched(&cobra.Command{
		Use:               "detailed [PORT]",
		Short:             "Show every LLR counter on a line of its own, the number last",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: t.completePorts(true),
		RunE:              func(cmd *cobra.Command, args []string) error { return t.showCounters(cmd, args, true) },
	}))
	return watched(cmd)
}

// showCounters shows the LLR counters of the link port in args, or of all link ports.
func (t *tool) showCounters(cmd *cobra.Command, args []string, detailed bool) error {
	return t.ask(func(c *client.Client) error {
		counters, err := list(args,
			func() ([]api.LLRCounters, error) { return c.LLRCounters(cmd.Context()) },
			func(port string) (api.LLRCounters, error) { return c.LLRCountersOf(cmd.Context(), port) })
		if err != nil {
			return err
		}
		return t.show(cmd, counters, func(w io.Writer) {
			switch {
			case len(counters) == 0:
				fmt.Fprintln(w, view.NoLinkPorts)
			case detailed:
				view.WriteDetailedCounters(w, counters)
			default:
				view.WriteCounters(w, counters)
			}
		})
	})
}

// clearCommand returns the command `clear [PORT]`, which sets all counters of a port, or of all ports, to 0.
func clearCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:               "clear [PORT]",
		Short:             "Set the counters of one port, or of all, to 0",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: t.completePorts(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			port := "" // all
			if len(args) > 0 {
				port = args[0]
			}
			return t.ask(func(c *client.Client) error { return c.ClearCounters(cmd.Context(), port) })
		},
	}
}
