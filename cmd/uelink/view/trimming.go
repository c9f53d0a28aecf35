package view

import (
	"fmt"
	"io"

	"uelink/control/api"
	"uelink/internal/table"
)

// WriteSwitchTrimming prints the settings and counters of packet trimming, for ports under the titles of SONiC's
// `show interfaces counters trim`.
func WriteSwitchTrimming(w io.Writer, s api.SwitchTrimming) {
	if s.Size == 0 {
		fmt.Fprintln(w, "packet trimming is not configured")
		return
	}
	Details(w, "Packet trimming", s)
	fmt.Fprintln(w)
	if len(s.Ports) == 0 {
		fmt.Fprintln(w, "no queue of any port is set to trim frames")
		return
	}
	t := table.Table{Titles: []string{"Port", ">DSCP", "Queues", ">TRIM", ">TRIM_TX", ">TRIM_DRP"}}
	for _, p := range s.Ports {
		t.Add(p.Port, text(p.DSCPValue), p.Queues.String(),
			Count(p.Counters.TrimPackets), Count(p.Counters.TxTrimPackets), Count(p.Counters.DroppedTrimPackets))
	}
	WriteTable(w, &t)
}

// WriteTrimmed prints the trimming counters of queues under the titles of SONiC's `show queue counters --trim`.
func WriteTrimmed(w io.Writer, queues []PortQueue) {
	t := table.Table{Keys: 2, Titles: []string{"Port", ">TxQ", ">Trim/pkts", ">TrimSent/pkts", ">TrimDrop/pkts"}}
	for _, q := range queues {
		t.Add(q.Port, text(q.Queue.Queue), Count(q.TrimPackets), Count(q.TxTrimPackets), Count(q.DroppedTrimPackets))
	}
	WriteTable(w, &t)
}

// PortQueue is a queue with the name of its port.
type PortQueue struct {
	Port string `json:"port"`
	api.Queue
}
