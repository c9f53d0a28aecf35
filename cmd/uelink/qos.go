package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/control/api"
	"uelink/internal/table"
)

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
				write := writeObjects[portQueue]
				if trim {
					write = writeTrimmed
				}
				return t.show(cmd, queues, func(w io.Writer) { write(w, queues) })
			})
		},
	}
	counters.Flags().BoolVar(&trim, "trim", false, "only the counters of trimming")
	return group("queue", "Egress queues of a port", watched(counters))
}

// portQueue is a queue with the name of its port.
type portQueue struct {
	Port string `json:"port"`
	api.Queue
}

func queuesOf(ports []api.Port) []portQueue {
	queues := []portQueue{}
	for _, p := range ports {
		for _, q := range p.QueueStats {
			queues = append(queues, portQueue{p.Name, q})
		}
	}
	return queues
}

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
				return t.show(cmd, ports, func(w io.Writer) { writeQoS(w, ports) })
			})
		},
	})
}

func writeQoS(w io.Writer, ports []api.QoS) {
	t := table.Table{Titles: []string{"Port", "Trust", "Map", "Values"}}
	for _, p := range ports {
		t.Add(p.Port, p.Trust, "", rateText(p))
		if p.UET != nil {
			t.Add("", "", "UET_TO_TC", uetText(p.UET))
		}
		for _, m := range []struct {
			name   string
			values []int
			key    func(int) string
		}{
			{"DOT1P_DEI_TO_TC", p.Dot1pDEI, priorityName}, {"DSCP_TO_TC", p.DSCP, strconv.Itoa},
			{"TC_TO_VC", p.VC, strconv.Itoa}, {"TC_TO_QUEUE", p.Queue, strconv.Itoa},
		} {
			if m.values != nil {
				t.Add("", "", m.name, runs(len(m.values), m.key, func(i int) string { return strconv.Itoa(m.values[i]) }))
			}
		}
		t.Add("", "", "SCHEDULER", runs(len(p.Schedulers), strconv.Itoa, func(i int) string {
			return fmt.Sprintf("group %d weight %d", p.Schedulers[i].Group, p.Schedulers[i].Weight)
		}))
	}
	writeTable(w, &t)
}

// uetText returns in words the traffic classes of UET packets, and the UDP port, IP protocol and DSCPs that
// identify such packets.
func uetText(u *api.UET) string {
	var classes []string
	for _, c := range u.TC {
		classes = append(classes, fmt.Sprintf("%s: %d", c.Kind, c.TC))
	}
	if len(classes) == 0 {
		classes = []string{"none"}
	}
	text := fmt.Sprintf("%s (UDP port %d, IP protocol %d", strings.Join(classes, ", "), u.UDPPort, u.IPProtocol)
	if len(u.Trimmed) > 0 {
		text += ", trimmed DSCP " + strings.Trim(fmt.Sprint(u.Trimmed), "[]")
	}
	return text + ")"
}

// priorityName returns the PCP and DEI of priority i, as in the configuration: "PCP/DEI".
func priorityName(i int) string { return fmt.Sprintf("%d/%d", i>>1, i&1) }

func rateText(p api.QoS) string {
	if p.Rate == 0 {
		return "no limit on the rate"
	}
	return fmt.Sprintf("rate %s bit/s, burst %s octets", count(p.Rate), count(uint64(p.Burst)))
}

// runs returns the values of the keys 0 to n-1 as text, with consecutive keys of the same value together: "0-7: 0,
// 8: 1".
func runs(n int, key, value func(int) string) string {
	var list []string
	for first := 0; first < n; {
		last := first
		for last+1 < n && value(last+1) == value(first) {
			last++
		}
		keys := key(first)
		if last > first {
			keys += "-" + key(last)
		}
		list = append(list, keys+": "+value(first))
		first = last + 1
	}
	return strings.Join(list, ", ")
}
