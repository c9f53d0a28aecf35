package netif

import (
	"fmt"
	"strings"

	"uelink/dataplane/ethtool"
)

// Steer is the line that has frames of a port come by RX queues with a socket, empty where there is none. own is
// the EtherTypes of the port's own frames: such a frame has no IP header, so no NIC spreads it by the table of
// `ethtool -X`, and a rule for each type steers it to one queue. Where there are none, that table spreads IP over
// the queues; all else comes by queue 0 on most NICs, so that does it only where queue 0 has a socket.
func Steer(ifname string, can ethtool.Steering, queues Queues, to int, own ...uint16) string {
	switch {
	case len(own) > 0 && can.Rules:
		var rules []string
		for _, t := range own {
			rules = append(rules, fmt.Sprintf("ethtool -N %s flow-type ether proto %#04x action %d", ifname, t, to))
		}
		return strings.Join(rules, " && ")
	case len(own) == 0 && can.Table && queues.Has(0):
		return "ethtool -X " + ifname + " weight " + queues.weights()
	}
	return ""
}

// weights is 1 for each queue up to the last that is in the set, and 0 for one that is not.
func (q Queues) weights() string {
	var words []string
	for _, n := range q.List() {
		for len(words) < n {
			words = append(words, "0")
		}
		words = append(words, "1")
	}
	return strings.Join(words, " ")
}
