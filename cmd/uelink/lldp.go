package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"uelink/control"
)

// lldpCommand has lldpcli's words, with and without its "show".
func lldpCommand(t *tool) *cobra.Command {
	views := func() []*cobra.Command {
		return []*cobra.Command{
			lldpView(t, "neighbors [PORT]", "Show who is at the other end of the ports", (*control.Client).LLDPNeighbors, writeNeighbors),
			lldpView(t, "interfaces [PORT]", "Show what the ports say, and the result of the UE negotiation", (*control.Client).LLDPInterfaces, writeLLDPInterfaces),
			lldpView(t, "statistics [PORT]", "Show counters", (*control.Client).LLDPStatistics, writeLLDPStatistics),
			lldpChassisCommand(t),
		}
	}
	cmd := group("lldp", "Link layer discovery and UE negotiation", views()...)
	cmd.AddCommand(group("show", "The same in lldpcli's words", views()...), lldpWatchCommand(t), lldpClearCommand(t))
	return cmd
}

// lldpView is a command that shows the objects of one port or of all.
func lldpView[T any](t *tool, use, short string, get func(*control.Client, context.Context, string) ([]T, error), write func(io.Writer, []T, bool)) *cobra.Command {
	var details bool
	cmd := &cobra.Command{
		Use:               use,
		Short:             short,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: t.completeLLDP,
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *control.Client) error {
				list, err := get(c, cmd.Context(), oneOrAll(args))
				if err != nil {
					return err
				}
				return t.show(cmd, list, func(w io.Writer) { write(w, list, details) })
			})
		},
	}
	if cmd.Name() == "neighbors" {
		cmd.Aliases = []string{"neighbours", "neighbor", "neighbour"}
	}
	cmd.Flags().BoolVar(&details, "details", false, "everything")
	return cmd
}

// oneOrAll is the port that args name, or "" for all.
func oneOrAll(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func lldpChassisCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:   "chassis",
		Short: "Show what the station says of itself",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *control.Client) error {
				chassis, err := c.LLDPChassis(cmd.Context())
				if err != nil {
					return err
				}
				return t.show(cmd, chassis, func(w io.Writer) { writeChassis(w, chassis) })
			})
		},
	}
}

func lldpClearCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:               "clear [PORT]",
		Short:             "Set the LLDP counters of one port, or of all, to 0",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: t.completeLLDP,
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *control.Client) error { return c.ClearLLDPStatistics(cmd.Context(), oneOrAll(args)) })
		},
	}
}

// completeLLDP offers the names of ports that have LLDP.
func (t *tool) completeLLDP(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	c := t.client()
	defer c.Close()
	interfaces, _ := c.LLDPInterfaces(cmd.Context(), "")
	for i, one := range interfaces {
		if i == 0 || one.Port != interfaces[i-1].Port { // one for each destination
			names = append(names, one.Port)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func lldpWatchCommand(t *tool) *cobra.Command {
	var details bool
	cmd := eventsCommand(t, "watch", "Show what LLDP and DCBX notice as it happens", (*control.Client).WatchLLDP,
		func(w io.Writer, e control.Event) error { return printLLDPEvent(w, e, details) })
	cmd.Flags().BoolVar(&details, "details", false, "neighbours in full")
	return cmd
}
