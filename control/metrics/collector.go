// Package metrics gives the state of the ports, of LLDP and of DCBX to Prometheus.
package metrics

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"uelink/cbfc"
	"uelink/control"
	"uelink/dataplane"
	"uelink/llr"
)

// DataPlane is the part of dataplane.Dataplane that metrics are made of.
type DataPlane interface {
	Ports() []dataplane.PortState
	Bridges() []dataplane.BridgeState
	Trimming() dataplane.TrimmingState
}

// collector makes the metrics of a scrape from one snapshot of the ports, one of the
// bridges (collectBridges), of trimming (collectTrimming) and of LLDP (collectLLDP). Every value of a port or bridge
// becomes a metric by its kind and its JSON key, so that one that is added to the data
// plane is exported without a word here. A queue of a port is uelink_port_queue_…{port,queue},
// a virtual channel with credits uelink_virtual_channel_…{port,vc}.
//
//	uint64       counter  uelink_llr_tx_ok_total{port,interface}; in seconds, if its key ends in _ns
//	number, bool gauge    uelink_llr_outstanding_frames{port,interface}
//	time         gauge    uelink_llr_max_replay_timer_seconds{port,interface}
//	state        gauge    uelink_llr_tx_status{port,interface,state}: 1 for the one that it is in, 0 for the others
//	[]string     gauge    uelink_port_error_status{port,interface,error}: 1 for each that is there
//	Numbers      gauge    uelink_port_rx_queues{port,interface,number}: 1 for each that is there
//	other string label    of uelink_port_info, uelink_llr_info{port,interface,…}: 1
type collector struct {
	source DataPlane
	lldp   LLDP
}

// Describe describes nothing: what there is, is only known from a snapshot.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends the metrics of one snapshot.
func (c collector) Collect(to chan<- prometheus.Metric) {
	collectLLDP(c.lldp, to)
	collectBridges(c.source, to)
	collectTrimming(c.source, to)
	for _, state := range c.source.Ports() {
		p := control.NewPort(state)
		sendObject("port", p, &sender{to, []string{"port", p.Name, "interface", p.Interface}})
		if p.CBFC != nil {
			for _, v := range p.CBFC.VCs {
				sendObject("virtual_channel", v, &sender{to, []string{"port", p.Name, "vc", strconv.Itoa(v.VC)}})
			}
		}
		for _, q := range p.QueueStats {
			sendObject("port_queue", q, &sender{to, []string{"port", p.Name, "queue", strconv.Itoa(q.Queue)}})
		}
	}
}

// object is one object on its way out.
type object struct {
	*sender
	owner string // what it is, as in the names of its metrics
	info  map[string]*info
}

// info is the strings of one section.
type info struct{ names, values []string }

// sendObject sends every value of an object.
func sendObject(owner string, of any, to *sender) {
	o := object{sender: to, owner: owner, info: map[string]*info{}}
	for _, f := range control.Fields(of) {
		o.send(f)
	}
	o.sendInfo()
}

func (o *object) send(f control.Field) {
	if o.isLabel(f) {
		return
	}
	name := metricName(o.owner, f)
	help := f.Help
	if strings.HasSuffix(f.Section, "_ns") {
		n, _ := asFloat(f.Value)
		o.gauge(name, "Times from a frame to its acknowledgement.", n/1e9, "of", f.Key)
		return
	}
	switch v := f.Value.(type) {
	case time.Duration:
		o.gauge(name, help, v.Seconds())
	case uint64:
		if seconds, isTime := strings.CutSuffix(name, "_ns"); isTime {
			o.metric(prometheus.CounterValue, seconds+"_seconds_total", help, float64(v)/1e9)
			return
		}
		o.counter(name+"_total", help, v)
	case bool:
		o.gauge(name, help, number(v))
	case []string:
		for _, s := range v {
			o.gauge(name, help, 1, "error", s)
		}
	case control.Numbers:
		for _, n := range v {
			o.gauge(name, help, 1, "number", strconv.Itoa(n))
		}
	case string:
		o.text(f, name, help, v)
	default:
		if n, ok := asFloat(v); ok {
			o.gauge(name, help, n)
		}
	}
}

// asFloat is a number of any kind; ok is false for what is none.
func asFloat(v any) (n float64, ok bool) {
	switch value := reflect.ValueOf(v); {
	case value.CanInt():
		return float64(value.Int()), true
	case value.CanUint():
		return float64(value.Uint()), true
	case value.CanFloat():
		return value.Float(), true
	}
	return 0, false
}

// text is a state with all its values, or a label of the section's info.
func (o *object) text(f control.Field, name, help, value string) {
	if all := states(f.Key); all != nil {
		o.state(name, help, value, all)
		return
	}
	if forPeople(f.Key) {
		return
	}
	of := o.info[f.Section]
	if of == nil {
		of = &info{}
		o.info[f.Section] = of
	}
	of.names = append(of.names, f.Key)
	of.values = append(of.values, value)
}

// isLabel tells whether a value is a label of every metric of the object.
func (o *object) isLabel(f control.Field) bool {
	if f.Section != "" {
		return false
	}
	for i := 0; i < len(o.labels); i += 2 {
		if f.Key == o.labels[i] {
			return true
		}
	}
	return f.Key == "name" // under the name of what it names
}

// forPeople is what names a frame, or has times in words: as a label it would make a metric of each.
func forPeople(key string) bool {
	return key == "error_text" || key == "flush_frame" || key == "stalled" || key == "note" || key == "failure"
}

func (o *object) sendInfo() {
	for section, of := range o.info {
		var labels []string
		for i := range of.names {
			labels = append(labels, of.names[i], of.values[i])
		}
		name := metricName(o.owner, control.Field{Section: section, Key: "info"})
		o.gauge(name, "Names and settings, as labels.", 1, labels...)
	}
}

// metricName is uelink_, what the value belongs to, and its key: the section of an
// object has a name of its own, but counters are the object's. Times are in seconds. A section of
// times in another is one metric, and its keys are a label: uelink_llr_loop_time_seconds{of="p99"}.
func metricName(owner string, f control.Field) string {
	section, inner, _ := strings.Cut(f.Section, ".")
	if section != "" && section != "counters" {
		owner = section
	}
	if measured, is := strings.CutSuffix(inner, "_ns"); is {
		return "uelink_" + owner + "_" + measured + "_seconds"
	}
	if _, is := f.Value.(time.Duration); is {
		f.Key += "_seconds"
	}
	return "uelink_" + owner + "_" + strings.TrimPrefix(f.Key, owner+"_")
}

// words are the states of a kind in their words.
func words[S ~string](states ...S) (list []string) {
	for _, s := range states {
		list = append(list, string(s))
	}
	return list
}

// states are the values that a state can have; nil for what is not one.
func states(key string) []string {
	switch key {
	case "phase":
		return []string{cbfc.BestEffort.String(), cbfc.Draining.String(), cbfc.Asking.String(), cbfc.Lossless.String()}
	case "threshold_mode":
		return []string{control.ThresholdNone, control.ThresholdStatic}
	case "state":
		return words(dataplane.BridgePortForwarding, dataplane.BridgePortBlocked, dataplane.BridgePortDown)
	case "oper_status":
		return words(dataplane.OperUp, dataplane.OperDown, dataplane.OperAbsent)
	case "tx_status":
		return []string{llr.TxOff.String(), llr.TxInit.String(), llr.TxAdvance.String(), llr.TxReplay.String(),
			llr.TxFlush.String()}
	case "rx_status":
		return []string{llr.RxOff.String(), llr.RxSendAcks.String(), llr.RxSendNack.String(), llr.RxNackSent.String()}
	}
	return nil
}
