package metrics

import "github.com/prometheus/client_golang/prometheus"

// sender sends metrics that share labels, which are names and values in turn.
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

// state is one metric for each of all states: 1 for the one that it is in.
func (s *sender) state(name, help, is string, all []string) {
	for _, one := range all {
		s.gauge(name, help+" 1 for the current state.", number(one == is), "state", one)
	}
}

func (s *sender) metric(kind prometheus.ValueType, name, help string, value float64, labels ...string) {
	var names, values []string
	for _, list := range [][]string{s.labels, labels} {
		for i := 0; i < len(list); i += 2 {
			names, values = append(names, list[i]), append(values, list[i+1])
		}
	}
	s.to <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, names, nil), kind, value, values...)
}

func number(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
