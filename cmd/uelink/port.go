package main

import (
	"io"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/control/api"
)

// askPorts asks the daemon for the port in args, or for all ports, and calls use with the list.
func (t *tool) askPorts(cmd *cobra.Command, args []string, use func([]api.Port) error) error {
	return t.ask(func(c *client.Client) error {
		ports, err := list(args,
			func() ([]api.Port, error) { return c.Ports(cmd.Context()) },
			func(name string) (api.Port, error) { return c.Port(cmd.Context(), name) })
		if err != nil {
			return err
		}
		return use(ports)
	})
}

// portCommand returns the command that shows the ports, with the commands below it that change ports.
func portCommand(t *tool) *cobra.Command {
	var detailed bool
	var want labelsFlag
	cmd := &cobra.Command{
		Use:               "port [PORT]",
		Short:             "Show the ports, or every value of one port",
		Example:           "  uelink port --label owner=uelink-cni",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: t.completePorts(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.askPorts(cmd, args, func(ports []api.Port) error {
				if len(args) == 0 {
					ports = want.having(ports)
				}
				return t.show(cmd, ports, func(w io.Writer) {
					if len(args) == 0 {
						view.WritePorts(w, ports)
					} else {
						view.WritePort(w, ports[0], detailed)
					}
				})
			})
		},
	}
	cmd.Flags().BoolVar(&detailed, "detailed", false, "with PORT: the meaning of each value, too")
	cmd.Flags().Var(&want, "label", "only ports with this label: owner=, container=, ifname= or network=; repeatable")
	cmd.AddCommand(portAddCommand(t), portSetCommand(t), portDeleteCommand(t))
	return watched(cmd)
}
