package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"uelink/control/api"
)

// collectTrimming sends the metrics of packet trimming of the switch, uelink_trimming_…, if it is configured.
// Ports and queues have trimming counters of their own.
func collectTrimming(from DataPlane, to chan<- prometheus.Metric) {
	if state := from.Trimming(); state.Settings.Size > 0 {
		sendObject("trimming", api.NewSwitchTrimming(state), &sender{to: to})
	}
}
