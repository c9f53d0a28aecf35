package netif

import (
	"fmt"
	"strings"

	"uelink/dataplane/attach"
	"uelink/dataplane/ethtool"
)

// Steer returns the ethtool command that makes the NIC deliver frames of a port to RX queues with a socket, empty
// if the NIC cannot. own lists the EtherTypes of the port's own frames: such a frame has no IP header, so no NIC
// spreads it by the table of `ethtool -X`, and a rule for each type steers it to queue to. Without own EtherTypes,
// the table spreads IP over the queues; all other frames come by queue 0 on most NICs, so the table is used only if
// queue 0 has a socket.
func Steer(ifname string, can ethtool.Steering, queues attach.Queues, to int, own ...uint16) string {
	switch {
	case len(own) > 0 && can.Rules:
		var rules []string
		for _, t := range own {
			rules = append(rules, fmt.Sprintf("ethtool -N %s flow-type ether proto %#04x action %d", ifname, t, to))
		}
		return strings.Join(rules, " && ")
	case len(own) == 0 && can.Table && queues.Contains(0):
		return "ethtool -X " + ifname + " weight " + weights(queues)
	}
	return ""
}

// weights returns the weights for `ethtool -X`: a 1 for each queue in the set and a 0 for each other queue, up to
// the last queue in the set.
func weights(q attach.Queues) string {
	var words []string
	for _, n := range q.List() {
		for len(words) < n {
			words = append(words, "0")
		}
		words = append(words, "1")
	}
	return strings.Join(words, " ")
}
