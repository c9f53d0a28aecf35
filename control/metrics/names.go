package metrics

import (
	"strings"
	"time"

	"uelink/control/api"
)

// unit is the base unit of a metric: the end of its name, and the factor times / divisor from the value of the API.
type unit struct {
	suffix         string
	times, divisor float64
}

// convert converts a value from the API's unit to the base unit of the metric.
func (u unit) convert(value float64) float64 { return value * u.times / u.divisor }

// unitOf returns the base unit of a field's metric, as a name suffix such as _seconds, with the conversion from
// the API's unit.
func unitOf(f api.Field) unit {
	switch apiUnit(f) {
	case "octets":
		return unit{"_bytes", 1, 1}
	case "Mb/s":
		return unit{"_bytes_per_second", 1e6, 8}
	case "frames/s":
		return unit{"_frames_per_second", 1, 1}
	case "ns":
		return unit{"_seconds", 1, 1e9}
	case "µs":
		return unit{"_seconds", 1, 1e6}
	case "s":
		return unit{"_seconds", 1, 1}
	}
	return unit{"", 1, 1}
}

// apiUnit returns the unit of a field's value in the API, such as "ns"; "" for a value without a unit.
func apiUnit(f api.Field) string {
	_, isTime := f.Value.(time.Duration)
	switch {
	case isTime, strings.HasSuffix(f.Key, "_ns"), strings.HasSuffix(f.Section, "_ns"):
		return "ns"
	case strings.HasSuffix(f.Key, "_octets"):
		return "octets"
	}
	return f.Unit
}

// metricName returns the name of a field's metric: uelink_, the object's or the section's name, the key and the
// base unit, and _total for a counter. The name of a section takes the place of the object's name, but for
// section counters. A section within a section, such as llr.loop_time_ns, is a part of the name, too:
// uelink_llr_loop_time_p99_seconds.
func metricName(owner string, f api.Field) string {
	section, inner, _ := strings.Cut(f.Section, ".")
	if section != "" && section != "counters" {
		owner = section
	}
	key := strings.TrimPrefix(f.Key, owner+"_")
	if measured, ok := strings.CutSuffix(inner, "_ns"); ok {
		key = measured + "_" + key
	}
	key = strings.TrimSuffix(strings.TrimSuffix(key, "_ns"), "_octets")
	name := "uelink_" + owner + "_" + key + unitOf(f).suffix
	if _, ok := f.Value.(uint64); ok {
		name += "_total"
	}
	return name
}

// metricHelp returns the help text of a field's metric: the API's help, without the API's unit where the metric
// has another.
func metricHelp(f api.Field) string {
	if in := apiUnit(f); in != "" && in != "octets" {
		return strings.Replace(f.Help, ", "+in, "", 1)
	}
	return f.Help
}
