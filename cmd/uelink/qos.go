package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/control/api"
)

// queueCommand returns the commands of queues.
func queueCommand(t *tool) *cobra.Command {
	var trim bool
	counters := &cobra.Command{
		Use:               "counters [PORT]",
		Short:             "Show the queues that have counted something, or hold frames",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: t.completePorts(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.askPorts(cmd, args, func(ports []api.Port) error {
				queues := queuesOf(ports)
				write := view.WriteObjects[view.PortQueue]
				if trim {
					write = view.WriteTrimmed
				}
				return t.show(cmd, queues, func(w io.Writer) { write(w, queues) })
			})
		},
	}
	counters.Flags().BoolVar(&trim, "trim", false, "only the counters of trimming")
	return group("queue", "Show the egress queues of ports", watched(counters))
}

// queuesOf returns the queues of ports, each with the name of its port.
func queuesOf(ports []api.Port) []view.PortQueue {
	queues := []view.PortQueue{}
	for _, p := range ports {
		for _, q := range p.QueueStats {
			queues = append(queues, view.PortQueue{Port: p.Name, Queue: q})
		}
	}
	return queues
}

// qosCommand returns the command that shows maps and schedulers.
func qosCommand(t *tool) *cobra.Command {
	return watched(&cobra.Command{
		Use:               "qos [PORT]",
		Short:             "Show the maps and schedulers of the ports as they are in effect",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: t.completePorts(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error {
				ports, err := c.QoS(cmd.Context(), strings.Join(args, ""))
				if err != nil {
					return err
				}
				return t.show(cmd, ports, func(w io.Writer) { view.WriteQoS(w, ports) })
			})
		},
	})
}
