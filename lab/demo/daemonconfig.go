package demo

import (
	"fmt"
	"strings"
)

// daemonConfig is the configuration of one daemon: one edge, one link. Whatever the wire does, the link never gives
// up and never sends a frame without a number: the demo shows LLR at work.
const daemonConfig = `log: {level: warn, format: json}
control: {socket: %q, mode: "0600"}
llr_profiles:
  demo: {max_replay_count: 255, init_action: block, flush_action: block}
ports:
  - {name: link0, interface: link0, role: link, fcs: true, mtu: check, %s%s%s}
  - {name: edge0, interface: edge0, role: edge%s}
xconnects: [{edge: edge0, link: link0}]
`

// configText returns the text of a station's configuration file. socket is the path of the daemon's API.
func configText(name, socket string, o Options) string {
	link, edge := o.channels()
	return fmt.Sprintf(daemonConfig, socket, o.protocolKeys(), link, o.captureKey(name), edge)
}

// hippi is the value of the key protocol of a link that speaks HIPPI-6400-PH.
const hippi = "hippi6400"

// hippiChannels is the number of virtual channels of HIPPI-6400-PH that frames may use.
const hippiChannels = 3

// protocolKeys returns the YAML keys that set the link port's protocol in the configuration of a demo daemon:
// HIPPI-6400-PH, or LLR with its dialect and profile.
func (o *Options) protocolKeys() string {
	if o.Protocol == hippi {
		return "protocol: " + hippi
	}
	return "dialect: " + o.Dialect + ", llr: {mode: static, local: true, remote: true, profile: demo}"
}

// channelLimit is how many frames of a lossless channel may be at its receiver: few, so that a stalled channel soon
// blocks the sender.
const channelLimit = 128

// channels returns the keys in the daemon's configuration that make lossless virtual channels, for the link port
// and for the edge port; "" without channels. A channel carries the priority of the same number. The edge sends
// and obeys PFC for all these priorities.
func (o *Options) channels() (link, edge string) {
	if o.VCs == 0 {
		return "", ""
	}
	var vcs, priorities []string
	for vc := range o.VCs {
		vcs = append(vcs, fmt.Sprintf("{index: %d, lossless: true, limit: %d}", vc, channelLimit))
		priorities = append(priorities, fmt.Sprint(vc))
	}
	link = ", cbfc: {mode: static, vcs: [" + strings.Join(vcs, ", ") + "]}"
	if o.Protocol == hippi { // whose channels always have credits: the link only needs a map from priorities
		link = ", qos: {tc_to_vc_map: default}"
	}
	return link,
		", qos: {trust: dot1p}, pfc: {mode: static, priorities: [" + strings.Join(priorities, ", ") +
			"], xoff: 64, xon: 32, headroom: 1024, rate: 1Gbps}"
}
