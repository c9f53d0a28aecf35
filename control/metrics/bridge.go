package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"uelink/control/api"
)

// collectBridges sends the state of the bridges and their ports:
//
//	uelink_bridge_…{bridge} and uelink_bridge_port_…{bridge,port}
//
// Addresses are counted and not named: anybody who can send a frame could make time series.
func collectBridges(from DataPlane, to chan<- prometheus.Metric) {
	for _, state := range from.Bridges() {
		b := api.NewBridge(state)
		sendObject("bridge", b, &sender{to, []string{"bridge", b.Name}})
		for _, p := range b.Ports {
			sendObject("bridge_port", p, &sender{to, []string{"bridge", b.Name, "port", p.Port}})
		}
	}
}
