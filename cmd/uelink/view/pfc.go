package view

import (
	"fmt"
	"io"
	"slices"

	"uelink/control/api"
	"uelink/internal/table"
)

// WritePFC prints a line with PFC's state and counters for each priority, and a line for each port whose
// priorities DCBX agrees on.
func WritePFC(w io.Writer, ports []api.Port) {
	if len(ports) == 0 {
		io.WriteString(w, "No edge port has PFC: set pfc.mode of the port in the configuration.\n")
		return
	}
	t := table.Table{Keys: 2, Titles: []string{"Port", ">Priority", "From host", "To host", ">RX PFC", ">TX PFC",
		">Stopped ms", ">Of 10 s", ">Dropped"}}
	for _, p := range ports {
		for _, priority := range p.PFC.Priorities {
			t.Add(p.Name, text(priority.Priority), stopped(p.PFC.RxPaused, priority.Priority),
				stopped(p.PFC.TxPaused, priority.Priority),
				Count(priority.RxPackets), Count(priority.TxPackets), text(priority.RxPauseDuration/1e6),
				fmt.Sprintf("%.0f %%", 100*priority.RxPausedShare), Count(p.Counters.RxDropPFC))
		}
	}
	WriteTable(w, &t)
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
		return "no PFC, because DCBX does not run with the host (uelink dcbx show)"
	case p.DCBX == "not_agreed":
		return "no PFC, because DCBX has not agreed with the host (uelink dcbx show)"
	case len(p.Enabled) == 0:
		return "DCBX has agreed with the host that no priority has PFC"
	}
	return "DCBX has agreed with the host on PFC, priorities " + api.Numbers(p.Enabled).String()
}

func stopped(priorities []int, priority int) string {
	if slices.Contains(priorities, priority) {
		return "stopped"
	}
	return "open"
}
