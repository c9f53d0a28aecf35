package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/control/api"
)

// lldpCommand returns the command lldp with lldpcli's subcommands, each with and without the word "show" before
// it.
func lldpCommand(t *tool) *cobra.Command {
	views := func() []*cobra.Command {
		return []*cobra.Command{
			lldpView[api.LLDPNeighbor]{
				use: "neighbors", short: "Show the neighbours of the ports",
				get: (*client.Client).LLDPNeighbors, write: view.WriteNeighbors, whyNone: view.WhyNoNeighbors,
			}.command(t),
			lldpView[api.LLDPInterface]{
				use: "interfaces", short: "Show the LLDP data of the ports, and the result of the UE negotiation",
				get: (*client.Client).LLDPInterfaces, write: view.WriteLLDPInterfaces, whyNone: view.WhyNoLLDP,
			}.command(t),
			lldpView[api.LLDPStatistics]{
				use: "statistics", short: "Show counters; summary: their sums over all ports",
				get: (*client.Client).LLDPStatistics, write: view.WriteLLDPStatistics, whyNone: view.WhyNoLLDP,
			}.command(t),
			lldpChassisCommand(t),
		}
	}
	cmd := group("lldp", "Show link layer discovery and UE negotiation", views()...)
	cmd.AddCommand(group("show", "Show the same with lldpcli's command names, such as show neighbors", views()...),
		lldpWatchCommand(t), lldpClearCommand(t))
	return cmd
}

// lldpView is a command that shows the objects of some ports, or of all.
type lldpView[T any] struct {
	use, short string
	get        func(*client.Client, context.Context, string) ([]T, error)
	write      func(io.Writer, []T, view.Detail)
	// whyNone returns the reason why these ports have no object; of all ports if ports is empty.
	whyNone func(ctx context.Context, c *client.Client, ports []string) (string, error)
}

// command returns the command that shows the view of all ports, or of those in the arguments.
func (v lldpView[T]) command(t *tool) *cobra.Command {
	var words viewWords
	cmd := &cobra.Command{
		Use:               v.use + " [PORT] [ports PORT,...] [details|summary]",
		Short:             v.short,
		Args:              func(_ *cobra.Command, args []string) error { return words.read(args) },
		ValidArgsFunction: completeView(t),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *client.Client) error { return v.run(cmd, t, c, words) })
		},
	}
	if cmd.Name() == "neighbors" {
		cmd.Aliases = []string{"neighbours", "neighbor", "neighbour"}
	}
	cmd.Flags().BoolVar(&words.flag, "details", false, "everything")
	return watched(cmd)
}

// run asks the daemon for the objects of the ports that words names, and shows them with as much detail as words asks
// for. For people it prints the reason for an empty list, too.
func (v lldpView[T]) run(cmd *cobra.Command, t *tool, c *client.Client, words viewWords) error {
	list, err := v.readPorts(cmd.Context(), c, words.ports)
	if err != nil {
		return err
	}
	reason := ""
	if len(list) == 0 && t.output != asJSON {
		if reason, err = v.whyNone(cmd.Context(), c, words.ports); err != nil {
			return err
		}
	}
	return t.show(cmd, list, func(w io.Writer) {
		v.write(w, list, words.detail())
		if reason != "" {
			fmt.Fprintln(w, reason)
		}
	})
}

// readPorts asks the daemon for the view's objects (neighbours, say) of the given ports, or of all ports if ports is
// empty.
func (v lldpView[T]) readPorts(ctx context.Context, c *client.Client, ports []string) ([]T, error) {
	if len(ports) == 0 {
		return v.get(c, ctx, "")
	}
	all := []T{}
	for _, port := range ports {
		list, err := v.get(c, ctx, port)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// oneOrAll returns the port in args, or "" for all.
func oneOrAll(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// lldpChassisCommand returns the command that shows the LLDP data of this station.
func lldpChassisCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:   "chassis [details|summary]",
		Short: "Show the LLDP data of this station",
		Args:  readNoPorts,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *client.Client) error {
				chassis, err := c.LLDPChassis(cmd.Context())
				if err != nil {
					return err
				}
				return t.show(cmd, chassis, func(w io.Writer) { view.WriteChassis(w, chassis) })
			})
		},
	}
}

// lldpClearCommand returns the command that sets LLDP counters to 0.
func lldpClearCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:               "clear [PORT]",
		Short:             "Set the LLDP counters of one port, or of all, to 0",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeLLDP(t),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error { return c.ClearLLDPStatistics(cmd.Context(), oneOrAll(args)) })
		},
	}
}

// completeLLDP returns the names of ports with LLDP for shell completion.
func completeLLDP(t *tool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return lldpPorts(t, cmd), cobra.ShellCompDirectiveNoFileComp
	}
}

// lldpPorts returns the names of ports with LLDP; nil without a daemon.
func lldpPorts(t *tool, cmd *cobra.Command) (names []string) {
	c := t.client()
	defer c.Close()
	interfaces, _ := c.LLDPInterfaces(cmd.Context(), "")
	for i, agent := range interfaces {
		if i == 0 || agent.Port != interfaces[i-1].Port { // a port has an agent for each destination
			names = append(names, agent.Port)
		}
	}
	return names
}

// lldpWatchCommand returns the command that shows the events of LLDP as they happen.
func lldpWatchCommand(t *tool) *cobra.Command {
	var words viewWords
	w := eventsWatch{
		open:  (*client.Client).WatchLLDP,
		print: func(p *view.EventPrinter, e api.Event) error { return p.PrintLLDP(e, words.detail() == view.Full) },
	}
	cmd := w.command(t, "watch [details|summary]", "Show the events of LLDP and DCBX as they happen")
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := readNoPorts(cmd, args); err != nil {
			return err
		}
		return words.read(args)
	}
	cmd.Flags().BoolVar(&words.flag, "details", false, "neighbours in full")
	return cmd
}
