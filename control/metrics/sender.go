package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// sender sends metrics that share labels; labels has names and values in turn.
type sender struct {
	to     chan<- prometheus.Metric
	labels []string
}

func (s *sender) counter(name, help string, value uint64, labels ...string) {
	s.metric(prometheus.CounterValue, name, help, float64(value), labels...)
}

func (s *sender) gauge(name, help string, value float64, labels ...string) {
	s.metric(prometheus.GaugeValue, name, help, value, labels...)
}

// state sends a metric with a series for each of all states: 1 for the current state, 0 for the others.
func (s *sender) state(name, help, current string, all []string) {
	for _, state := range all {
		s.gauge(name, help+" 1 for the current state.", number(state == current), "state", state)
	}
}

// reasons sends a metric with a series for each of all reasons: 1 for the present reasons, 0 for the others.
func (s *sender) reasons(name, help string, all []string, present ...string) {
	for _, reason := range all {
		s.gauge(name, help+" 1 for each present reason.", number(slices.Contains(present, reason)), "reason", reason)
	}
}

// metric sends a metric with the sender's labels and further ones: names and values by turns.
func (s *sender) metric(kind prometheus.ValueType, name, help string, value float64, labels ...string) {
	var names, values []string
	for _, list := range [][]string{s.labels, labels} {
		for i := 0; i < len(list); i += 2 {
			names, values = append(names, list[i]), append(values, list[i+1])
		}
	}
	s.to <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, names, nil), kind, value, values...)
}

func number(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
