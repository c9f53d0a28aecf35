package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"uelink/control/api"
	"uelink/internal/table"
)

func pfcCommand(t *tool) *cobra.Command {
	return watched(&cobra.Command{
		Use:               "pfc [PORT]",
		Short:             "Show priority-based flow control of edge ports with their hosts",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: t.completePorts(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.askPorts(cmd, args, func(ports []api.Port) error {
				ports = slices.DeleteFunc(ports, func(p api.Port) bool { return p.PFC == nil })
				return t.show(cmd, portPFCs(ports), func(w io.Writer) { writePFC(w, ports) })
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

// writePFC prints a line with PFC's state and counters for each priority, and a line for each port whose
// priorities DCBX agrees on.
func writePFC(w io.Writer, ports []api.Port) {
	if len(ports) == 0 {
		io.WriteString(w, "No edge port has PFC: set pfc.mode of the port in the configuration.\n")
		return
	}
	t := table.Table{Keys: 2, Titles: []string{"Port", ">Priority", "From host", "To host", ">RX PFC", ">TX PFC",
		">Stopped ms", ">Dropped"}}
	for _, p := range ports {
		for _, one := range p.PFC.Priorities {
			t.Add(p.Name, text(one.Priority), stopped(p.PFC.RxPaused, one.Priority), stopped(p.PFC.TxPaused, one.Priority),
				count(one.RxPackets), count(one.TxPackets), text(one.RxPauseDuration/1e6), count(p.Counters.RxDropPFC))
		}
	}
	writeTable(w, &t)
	for _, p := range ports {
		if p.PFC.Dynamic {
			fmt.Fprintf(w, "%s: %s\n", p.Name, agreement(p.PFC))
		}
	}
}

// agreement returns in words which priorities have PFC by the agreement of DCBX with the host, or why none has.
func agreement(p *api.PFC) string {
	switch {
	case p.DCBX == "not_running":
		return "no PFC, for DCBX does not run with the host (dcbx show)"
	case p.DCBX == "not_agreed":
		return "no PFC, for DCBX has not agreed with the host (dcbx show)"
	case len(p.Enabled) == 0:
		return "DCBX has agreed with the host that no priority has PFC"
	}
	return "DCBX has agreed with the host on PFC, priorities " + api.Numbers(p.Enabled).String()
}

func stopped(priorities []int, one int) string {
	if slices.Contains(priorities, one) {
		return "stopped"
	}
	return "open"
}
