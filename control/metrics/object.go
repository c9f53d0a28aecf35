package metrics

import (
	"reflect"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"uelink/control/api"
)

// object sends the metrics of one object of the API.
type object struct {
	*sender
	owner string // the object's part of metric names, such as "port"
	info  map[string]*info
}

// info holds the strings of one section: the labels of its _info metric.
type info struct{ names, values []string }

// sendObject sends every value of an API object as metrics; owner is the part of the names that stands for the
// object.
func sendObject(owner string, source any, to *sender) {
	o := object{sender: to, owner: owner, info: map[string]*info{}}
	for _, f := range api.Fields(source) {
		o.send(f)
	}
	o.sendInfo()
}

// send sends the metric of a field by the type of its value: a counter, a gauge, or a series for each element of a
// list. A text that is no state is kept as a label for sendInfo. Fields that are labels or texts for people are left
// out.
func (o *object) send(f api.Field) {
	if o.isLabel(f) || forPeople(f.Key) {
		return
	}
	name, in, help := metricName(o.owner, f), unitOf(f), metricHelp(f)
	switch v := f.Value.(type) {
	case uint64:
		o.metric(prometheus.CounterValue, name, help, in.convert(float64(v)))
	case bool:
		o.gauge(name, help, number(v))
	case []string:
		for _, s := range v {
			o.gauge(name, help, 1, "error", s)
		}
	case api.Numbers:
		for _, n := range v {
			o.gauge(name, help, 1, "number", strconv.Itoa(n))
		}
	case string:
		o.text(f, name, help, v)
	default:
		if n, ok := asFloat(v); ok {
			o.gauge(name, help, in.convert(n))
		}
	}
}

// asFloat returns a number of any numeric type as a float64; ok is false for a value that is no number.
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

// text handles a field that is a string: a state is sent as a series for each of its possible values; any other
// string is kept as a label of the section's info metric.
func (o *object) text(f api.Field, name, help, value string) {
	if all := states(f.Key); all != nil {
		o.state(name, help, value, all)
		return
	}
	entry := o.info[f.Section]
	if entry == nil {
		entry = &info{}
		o.info[f.Section] = entry
	}
	entry.names = append(entry.names, f.Key)
	entry.values = append(entry.values, value)
}

// isLabel reports whether a field is already a label of every metric of the object, and so has no metric.
func (o *object) isLabel(f api.Field) bool {
	if f.Section != "" {
		return false
	}
	for i := 0; i < len(o.labels); i += 2 {
		if f.Key == o.labels[i] {
			return true
		}
	}
	return f.Key == "name" // the name is a label already: label port or bridge
}

// sendInfo sends, for each section, one metric of value 1 that has the section's strings as labels.
func (o *object) sendInfo() {
	for section, entry := range o.info {
		var labels []string
		for i := range entry.names {
			labels = append(labels, entry.names[i], entry.values[i])
		}
		name := metricName(o.owner, api.Field{Section: section, Key: "info"})
		o.gauge(name, "Names and settings, as labels.", 1, labels...)
	}
}
