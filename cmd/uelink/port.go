package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/control/api"
	"uelink/internal/table"
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

func portCommand(t *tool) *cobra.Command {
	var detailed bool
	cmd := &cobra.Command{
		Use:               "port [PORT]",
		Short:             "Show the ports, or every value of one port",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: t.completePorts(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.askPorts(cmd, args, func(ports []api.Port) error {
				return t.show(cmd, ports, func(w io.Writer) {
					if len(args) == 0 {
						writePorts(w, ports)
					} else {
						writePort(w, ports[0], detailed)
					}
				})
			})
		},
	}
	cmd.Flags().BoolVar(&detailed, "detailed", false, "with PORT: the meaning of each value, too")
	return watched(cmd)
}

// writePort prints every value of a port. detailed adds the meaning of each value.
func writePort(w io.Writer, p api.Port, detailed bool) {
	if isHost(p) {
		heading(w, "Port "+p.Name)
		writeFieldsBut(w, p, "counters", "device", "socket")
		fmt.Fprintf(w, "\nits frames are the kernel's: see ip -s link show %s; its LLDP: see uelink lldp interfaces %s\n",
			p.Interface, p.Name)
		return
	}
	if detailed {
		explain(w, "Port "+p.Name, p)
	} else {
		details(w, "Port "+p.Name, p)
	}
	if len(p.QueueStats) > 0 {
		fmt.Fprint(w, "\n[queue_stats]\n")
		writeObjects(w, p.QueueStats)
		if detailed {
			writeKeys(w, p.QueueStats[0])
		}
	}
	if p.CBFC != nil && len(p.CBFC.VCs) > 0 {
		fmt.Fprint(w, "\n[cbfc.virtual_channels]\n")
		writeChannelFields(w, p.CBFC.VCs, func(v api.VirtualChannel) any { return v })
		if detailed {
			writeKeys(w, p.CBFC.VCs[0])
		}
	}
}

// isHost reports whether the frames of a port stay the kernel's.
func isHost(p api.Port) bool { return p.Role == "host" }

func writePorts(w io.Writer, ports []api.Port) {
	if len(ports) == 0 {
		fmt.Fprintln(w, noPorts)
		return
	}
	t := table.Table{Titles: []string{"Port", "Interface", "Role", "Oper", ">MTU", "XDP", "Bind", "Xconnect", ">RX frames",
		">TX frames", ">RX dropped", ">TX dropped", "Errors"}}
	for _, p := range ports {
		counts := []string{count(p.Counters.RxFrames), count(p.Counters.TxFrames), count(p.RxDropped), count(p.TxDropped)}
		if isHost(p) {
			counts = []string{"-", "-", "-", "-"}
		}
		t.Add(p.Name, p.Interface, p.Role, p.OperStatus, text(p.MTU), orDash(p.XDPMode), orDash(p.BindMode),
			orDash(p.XConnect), counts[0], counts[1], counts[2], counts[3], text(portNotes(p)))
	}
	writeTable(w, &t)
}

// portNotes returns the problems of a port in a few words each.
func portNotes(p api.Port) []string {
	notes := slices.Clone(p.ErrorStatus)
	if p.StandsStill {
		notes = append([]string{"stands still"}, notes...)
	}
	if p.Fault != "" {
		notes = append(notes, p.Fault)
	}
	if isHost(p) && p.ErrorText != "" {
		notes = append(notes, p.ErrorText)
	}
	return notes
}
