package main

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"uelink/cmd/uelink/view"
	"uelink/control/api"
)

// pfcCommand returns the command that shows priority-based flow control with hosts.
func pfcCommand(t *tool) *cobra.Command {
	return watched(&cobra.Command{
		Use:               "pfc [PORT]",
		Short:             "Show priority-based flow control of edge ports with their hosts",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: t.completePorts(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.askPorts(cmd, args, func(ports []api.Port) error {
				ports = slices.DeleteFunc(ports, func(p api.Port) bool { return p.PFC == nil })
				return t.show(cmd, portPFCs(ports), func(w io.Writer) { view.WritePFC(w, ports) })
			})
		},
	})
}

// portPFC is PFC of a port, with the name of the port.
type portPFC struct {
	Port string `json:"port"`
	*api.PFC
}

func portPFCs(ports []api.Port) []portPFC {
	list := []portPFC{}
	for _, p := range ports {
		list = append(list, portPFC{p.Name, p.PFC})
	}
	return list
}
