package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/control/api"
	"uelink/internal/table"
)

func switchTrimmingCommand(t *tool) *cobra.Command {
	return watched(&cobra.Command{
		Use:   "switch-trimming",
		Short: "Show the settings and the counters of packet trimming",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *client.Client) error {
				trimming, err := c.SwitchTrimming(cmd.Context())
				if err != nil {
					return err
				}
				return t.show(cmd, trimming, func(w io.Writer) { writeSwitchTrimming(w, trimming) })
			})
		},
	})
}

// writeSwitchTrimming prints the settings and counters of packet trimming, for ports under the titles of SONiC's
// `show interfaces counters trim`.
func writeSwitchTrimming(w io.Writer, s api.SwitchTrimming) {
	if s.Size == 0 {
		fmt.Fprintln(w, "packet trimming is not configured")
		return
	}
	details(w, "Packet trimming", s)
	fmt.Fprintln(w)
	if len(s.Ports) == 0 {
		fmt.Fprintln(w, "no queue of a port asks for it")
		return
	}
	t := table.Table{Titles: []string{"Port", ">DSCP", "Queues", ">TRIM", ">TRIM_TX", ">TRIM_DRP"}}
	for _, p := range s.Ports {
		t.Add(p.Port, text(p.DSCPValue), p.Queues.String(),
			count(p.Counters.TrimPackets), count(p.Counters.TxTrimPackets), count(p.Counters.DroppedTrimPackets))
	}
	writeTable(w, &t)
}

// writeTrimmed prints the trimming counters of queues under the titles of SONiC's `show queue counters --trim`.
func writeTrimmed(w io.Writer, queues []portQueue) {
	t := table.Table{Keys: 2, Titles: []string{"Port", ">TxQ", ">Trim/pkts", ">TrimSent/pkts", ">TrimDrop/pkts"}}
	for _, q := range queues {
		t.Add(q.Port, text(q.Queue.Queue), count(q.TrimPackets), count(q.TxTrimPackets), count(q.DroppedTrimPackets))
	}
	writeTable(w, &t)
}
