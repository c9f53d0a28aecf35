// Package metrics gives the state of the ports, of LLDP and of DCBX to Prometheus.
package metrics

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"uelink/control"
	"uelink/dataplane"
	"uelink/llr"
)

// Source is a snapshot of every port, as dataplane.Dataplane.Ports.
type Source func() ([]dataplane.PortState, error)

// collector makes the metrics of a scrape from one snapshot, and those of LLDP
// (collectLLDP) from another. Every value of a port becomes a metric by its kind and its JSON key, so that one that is added
// to the data plane is exported without a word here:
//
//	uint64       counter  uelink_llr_tx_ok_total{port,interface}
//	int, bool    gauge    uelink_llr_outstanding_frames{port,interface}
//	state        gauge    uelink_llr_tx_status{port,interface,state}: 1 for the one that it is in, 0 for the others
//	[]string     gauge    uelink_port_error_status{port,interface,error}: 1 for each that is there
//	other string label    of uelink_port_info, uelink_llr_info{port,interface,…}: 1
type collector struct {
	source Source
	lldp   LLDP
}

// Describe describes nothing: what there is, is only known from a snapshot.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends the metrics of one snapshot.
func (c collector) Collect(to chan<- prometheus.Metric) {
	collectLLDP(c.lldp, to)
	ports, err := c.source()
	if err != nil {
		to <- prometheus.NewInvalidMetric(prometheus.NewDesc("uelink_port_info", "Names and settings of a port.", nil, nil), err)
		return
	}
	for _, p := range ports {
		one := port{sender: sender{to, []string{"port", p.Name, "interface", p.Interface}}, info: map[string]*info{}}
		for _, f := range control.Fields(p) {
			one.send(f)
		}
		one.sendInfo()
	}
}

// port is one port on its way out.
type port struct {
	sender
	info map[string]*info // by section
}

// info is the strings of one section.
type info struct{ names, values []string }

func (p *port) send(f control.Field) {
	name := metricName(f)
	help := "The value " + f.Key + " of uelink's ports."
	switch v := f.Value.(type) {
	case uint64:
		p.counter(name+"_total", "Counter "+f.Key+" of uelink's ports.", v)
	case int:
		p.gauge(name, help, float64(v))
	case int64:
		p.gauge(name, help, float64(v))
	case bool:
		p.gauge(name, help+" 1 is true.", number(v))
	case []string:
		for _, s := range v {
			p.gauge(name, help, 1, "error", s)
		}
	case string:
		p.text(f, name, help, v)
	}
}

// text is a state with all its values, or a label of the section's info.
func (p *port) text(f control.Field, name, help, value string) {
	if all := states(f.Key); all != nil {
		p.state(name, help, value, all)
		return
	}
	switch {
	case f.Section == "" && (f.Key == "name" || f.Key == "interface"):
		return // labels of every metric
	case forPeople(f.Key):
		return
	}
	of := p.info[f.Section]
	if of == nil {
		of = &info{}
		p.info[f.Section] = of
	}
	of.names = append(of.names, f.Key)
	of.values = append(of.values, value)
}

// forPeople is what names a frame: as a label it would make a metric of each frame.
func forPeople(key string) bool {
	return key == "error_text" || key == "flush_frame" || key == "stalled"
}

func (p *port) sendInfo() {
	for section, of := range p.info {
		var labels []string
		for i := range of.names {
			labels = append(labels, of.names[i], of.values[i])
		}
		p.gauge(metricName(control.Field{Section: section, Key: "info"}), "Names and settings, as labels.", 1, labels...)
	}
}

// metricName is uelink_, what the value belongs to, and its key.
func metricName(f control.Field) string {
	owner, _, _ := strings.Cut(f.Section, ".")
	switch owner {
	case "", "counters":
		owner = "port"
	}
	return "uelink_" + owner + "_" + strings.TrimPrefix(f.Key, owner+"_")
}

// states are the values that a state can have; nil for what is not one.
func states(key string) []string {
	switch key {
	case "oper_status":
		return []string{"up", "down", "absent"}
	case "tx_status":
		return []string{llr.TxOff.String(), llr.TxInit.String(), llr.TxAdvance.String(), llr.TxReplay.String(), llr.TxFlush.String()}
	case "rx_status":
		return []string{llr.RxOff.String(), llr.RxSendAcks.String(), llr.RxSendNack.String(), llr.RxNackSent.String()}
	}
	return nil
}
