package view

import (
	"fmt"
	"io"
	"slices"

	"uelink/control/api"
	"uelink/internal/table"
)

// WritePort prints every value of a port, with tables of its queues and virtual channels. detailed adds the meaning of
// each value. Of a port of role host it prints only what the daemon knows: the kernel has its counters.
func WritePort(w io.Writer, p api.Port, detailed bool) {
	if IsHost(p) {
		Heading(w, "Port "+p.Name)
		writeFieldsBut(w, p, "counters", "device", "socket")
		fmt.Fprintf(w, "\nthe kernel handles the frames of this port: see ip -s link show %s; for LLDP, see uelink lldp "+
			"interfaces %s\n", p.Interface, p.Name)
		return
	}
	if detailed {
		explain(w, "Port "+p.Name, p)
	} else {
		Details(w, "Port "+p.Name, p)
	}
	if len(p.QueueStats) > 0 {
		fmt.Fprint(w, "\n[queue_stats]\n")
		WriteObjects(w, p.QueueStats)
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

// IsHost reports whether the frames of a port stay the kernel's.
func IsHost(p api.Port) bool { return p.Role == "host" }

// WritePorts prints a table of ports.
func WritePorts(w io.Writer, ports []api.Port) {
	if len(ports) == 0 {
		fmt.Fprintln(w, NoPorts)
		return
	}
	t := table.Table{Titles: []string{"Port", "Interface", "Role", "Oper", ">MTU", "XDP", "Bind", "Xconnect",
		">RX frames",
		">TX frames", ">RX dropped", ">TX dropped", "Errors"}}
	for _, p := range ports {
		counts := []string{
			Count(p.Counters.RxFrames), Count(p.Counters.TxFrames), Count(p.RxDropped), Count(p.TxDropped),
		}
		if IsHost(p) {
			counts = []string{"-", "-", "-", "-"}
		}
		t.Add(p.Name, p.Interface, p.Role, p.OperStatus, text(p.MTU), OrDash(p.XDPMode), OrDash(p.BindMode),
			OrDash(p.XConnect), counts[0], counts[1], counts[2], counts[3], text(portNotes(p)))
	}
	WriteTable(w, &t)
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
	if IsHost(p) && p.ErrorText != "" {
		notes = append(notes, p.ErrorText)
	}
	return notes
}
