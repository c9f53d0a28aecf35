package main

import (
	"io"

	"github.com/spf13/cobra"

	"uelink/control"
	"uelink/dataplane"
)

func portCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:               "port [PORT]",
		Short:             "Show the ports, or all there is to know of one",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: t.completePorts(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *control.Client) error {
				ports, err := list(args,
					func() ([]dataplane.PortState, error) { return c.Ports(cmd.Context()) },
					func(name string) (dataplane.PortState, error) { return c.Port(cmd.Context(), name) })
				if err != nil {
					return err
				}
				return t.show(cmd, ports, func(w io.Writer) {
					if len(args) == 0 {
						writePorts(w, ports)
					} else {
						details(w, "Port "+ports[0].Name, ports[0])
					}
				})
			})
		},
	}
}

func writePorts(w io.Writer, ports []dataplane.PortState) {
	t := table{titles: []string{"Port", "Interface", "Role", "Oper", ">MTU", "XDP", "Bind", "Xconnect", ">RX frames", ">TX frames", ">RX dropped", "Errors"}}
	for _, p := range ports {
		notes := p.ErrorStatus
		if p.StandsStill {
			notes = append([]string{"stands still"}, notes...)
		}
		t.add(p.Name, p.Interface, p.Role, p.OperStatus, text(p.MTU), orDash(p.XDPMode), orDash(p.BindMode), orDash(p.XConnect),
			count(p.Counters.RxFrames), count(p.Counters.TxFrames), count(p.Socket.RxDropped), text(notes))
	}
	t.write(w)
}
