package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"uelink/control"
)

// collectTrimming sends packet trimming of the switch, uelink_trimming_…, where it is
// configured. Ports and queues have the counters among their own.
func collectTrimming(from DataPlane, to chan<- prometheus.Metric) {
	state, err := from.Trimming()
	if err != nil {
		to <- prometheus.NewInvalidMetric(prometheus.NewDesc("uelink_trimming_size",
			"Octets of a trimmed frame.", nil, nil), err)
		return
	}
	if state.Settings.Size > 0 {
		sendObject("trimming", control.NewSwitchTrimming(state), &sender{to: to})
	}
}
