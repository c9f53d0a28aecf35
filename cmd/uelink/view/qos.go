package view

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"uelink/control/api"
	"uelink/internal/table"
)

// WriteQoS prints a table of the QoS maps of ports.
func WriteQoS(w io.Writer, ports []api.QoS) {
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
				t.Add("", "", m.name,
					Runs(len(m.values), m.key, func(i int) string { return strconv.Itoa(m.values[i]) }))
			}
		}
		t.Add("", "", "SCHEDULER", Runs(len(p.Schedulers), strconv.Itoa, func(i int) string {
			return fmt.Sprintf("group %d weight %d", p.Schedulers[i].Group, p.Schedulers[i].Weight)
		}))
	}
	WriteTable(w, &t)
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
	return fmt.Sprintf("rate %s bit/s, burst %s octets", Count(p.Rate), Count(uint64(p.Burst)))
}

// Runs returns the values of the keys 0 to n-1 as text, with consecutive keys of the same value together: "0-7: 0,
// 8: 1".
func Runs(n int, key, value func(int) string) string {
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
