// Package metrics exports the state of the ports, of LLDP and of DCBX to Prometheus.
package metrics

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"uelink/control/api"
	"uelink/dataplane/model"
)

// DataPlane is the part of dataplane.Dataplane that metrics are made of.
type DataPlane interface {
	Ports() []model.PortState
	Bridges() []model.BridgeState
	Trimming() model.TrimmingState
}

// collector makes the metrics of a scrape from one snapshot of the ports, of the bridges (collectBridges), of trimming
// (collectTrimming) and of LLDP (collectLLDP). Every value of a port or bridge becomes a metric by its kind and its
// JSON key, so a value that is added to the data plane is exported without a change here. A queue of a port is
// uelink_port_queue_…{port,queue}, a virtual channel with credits uelink_virtual_channel_…{port,vc}.
//
//	uint64       counter  uelink_llr_tx_ok_total{port,interface}
//	number, bool gauge    uelink_llr_outstanding_frames{port,interface}
//	state        gauge    uelink_llr_tx_status{port,interface,state}: 1 for the current state, 0 for the others
//	reason       gauge    uelink_port_fault{port,interface,reason}: 1 for each present reason, 0 for the others
//	[]string     gauge    uelink_port_error_status{port,interface,error}: 1 for each present error
//	Numbers      gauge    uelink_port_rx_queues{port,interface,number}: 1 for each present number
//	other string label    of uelink_port_info, uelink_llr_info{port,interface,…}: 1
//
// Values are in base units, which are in the name: _seconds, _bytes, _bytes_per_second (metricName). Texts for people
// are not exported (forPeople): a label may only have a value out of a bounded set, or one that is configured.
// Clauses: SAI-LLR/counter.13.
type collector struct {
	source DataPlane
	lldp   LLDP
	unmet  func() []api.Unmet
}

// Describe sends no descriptions: the metrics are known only from a snapshot.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends the metrics of the ports, bridges, trimming and LLDP, as they are now.
func (c collector) Collect(to chan<- prometheus.Metric) {
	collectLLDP(c.lldp, to)
	collectBridges(c.source, to)
	collectTrimming(c.source, to)
	ports := c.source.Ports()
	for _, state := range ports {
		collectPort(state, to)
	}
	collectUnmet(c.unmet(), ports, to)
}

// collectUnmet sends, for the daemon itself and for each port, one metric for each feature that the daemon or the
// port may want: 1 if the feature is wanted and not in force.
func collectUnmet(unmet []api.Unmet, ports []model.PortState, to chan<- prometheus.Metric) {
	send := func(port string, words []string) {
		for _, word := range words {
			missing := slices.ContainsFunc(unmet, func(u api.Unmet) bool { return u.Port == port && u.What == word })
			s := &sender{to, []string{"port", cmp.Or(port, "-"), "what", word}}
			s.gauge("uelink_wanted_not_in_force", "1: the feature that label what names is wanted and "+
				"not in force; label port is - for the daemon itself.",
				number(missing))
		}
	}
	send("", api.WantedOfDaemon())
	for _, p := range ports {
		send(p.Name, api.WantedOfPort())
	}
}

// collectPort sends the metrics of a port, its queues and its virtual channels.
func collectPort(state model.PortState, to chan<- prometheus.Metric) {
	p := api.NewPort(state)
	s := &sender{to, []string{"port", p.Name, "interface", p.Interface}}
	sendObject("port", p, s)
	s.faults(state)
	if state.LLR != nil {
		s.llrReasons(state)
	}
	if state.HIPPI != nil {
		s.hippiReasons(state)
		for _, v := range state.HIPPI.Channels {
			sendObject("hippi_virtual_channel", v, &sender{to, []string{"port", p.Name, "vc", strconv.Itoa(v.VC)}})
		}
	}
	if p.CBFC != nil {
		for _, v := range p.CBFC.VCs {
			sendObject("virtual_channel", v, &sender{to, []string{"port", p.Name, "vc", strconv.Itoa(v.VC)}})
		}
	}
	for _, q := range p.QueueStats {
		sendObject("port_queue", q, &sender{to, []string{"port", p.Name, "queue", strconv.Itoa(q.Queue)}})
	}
}
