package metrics

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"uelink/control/api"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/ieee"
)

// intro opens docs/API.md.
const intro = `# Values of the API, the tool and the metrics

Every value of a port, a bridge, a virtual channel, a queue and of LLDP: the key in the JSON of the API and in
` + "`uelink … -o json`" + `, the metric, and the meaning. The meanings are the comments at the fields of the source;
` + "`uelink port PORT --detailed`" + ` shows them too. ` + "`go test ./control/metrics -rewrite`" + ` writes this page.

Metrics have base units in their names: seconds, bytes. The API has the units named in the meaning. A value with the
metric "label" is a label of the object's ` + "`…_info`" + ` metric; a value without a metric is a text for people.
`

// docs/API.md has all values of the objects that metrics are made of.
func TestReference(t *testing.T) {
	var b strings.Builder
	b.WriteString(intro)
	for _, o := range []struct {
		title, path, owner string
		object             any
	}{
		{"Port", "/v1/ports", "port", api.Port{}},
		{"Queue of a port", "/v1/ports: queue_stats", "port_queue", api.Queue{}},
		{"Virtual channel", "/v1/ports: cbfc.virtual_channels", "virtual_channel", api.VirtualChannel{}},
		{"Virtual channel of HIPPI-6400-PH", "/v1/hippi: virtual_channels", "hippi_virtual_channel", api.HIPPIChannel{}},
		{"Bridge", "/v1/bridges", "bridge", api.Bridge{}},
		{"Port of a bridge", "/v1/bridges: ports", "bridge_port", api.BridgePort{}},
		{"Trimming", "/v1/switch-trimming", "trimming", api.SwitchTrimming{}},
	} {
		reference(&b, o.title, o.path, o.object, func(f api.Field) string { return metricCell(o.owner, f) })
	}
	reference(&b, "LLDP statistics", "/v1/lldp/statistics", api.LLDPStatistics{}, lldpCell)
	reference(&b, "DCBX counters", "/v1/dcbx: counters", dcbx.Counters{}, func(f api.Field) string {
		return "`uelink_dcbx_" + f.Key + "_total`"
	})
	reference(&b, "DCBX counters of IEEE 802.1Qaz", "/v1/dcbx: ieee.counters", ieee.Counters{},
		func(f api.Field) string {
			return "`uelink_dcbx_ieee_" + f.Key + "_total`"
		})
	golden(t, "../../docs/API.md", b.String())
}

// reference writes the table of an object.
func reference(b *strings.Builder, title, path string, object any, metric func(api.Field) string) {
	fmt.Fprintf(b, "\n## %s\n\n`%s`\n\n| key | metric | meaning |\n|---|---|---|\n", title, path)
	for _, f := range api.Fields(filled(reflect.TypeOf(object)).Interface()) {
		key := strings.TrimPrefix(f.Section+"."+f.Key, ".")
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", key, metric(f), strings.ReplaceAll(f.Help, "|", `\|`))
	}
}

// metricCell returns the metric of a value of an object.
func metricCell(owner string, f api.Field) string {
	if _, isText := f.Value.(string); isText && states(f.Key) == nil {
		switch f.Key {
		case "fault", "notice", "flush_reason", "partner_problem":
			return "`" + metricName(owner, f) + "{reason}`"
		case "stalled":
			return "`" + metricName(owner, f) + "`"
		}
		if forPeople(f.Key) {
			return ""
		}
		return "label"
	}
	return "`" + metricName(owner, f) + "`"
}

// lldpCell returns the metric of a value of LLDP's statistics.
func lldpCell(f api.Field) string {
	switch f.Value.(type) {
	case uint64:
		return "`" + lldpCounterName(f) + "`"
	case map[string]uint64:
		return "`" + lldpCounterName(f) + "{reason}`"
	}
	return "label"
}

// filled returns a value of a type in which no pointer is nil.
func filled(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	for i := range t.NumField() {
		switch f := t.Field(i).Type; {
		case f.Kind() == reflect.Pointer && f.Elem().Kind() == reflect.Struct:
			p := reflect.New(f.Elem())
			if strings.HasPrefix(f.Elem().PkgPath(), "uelink/") {
				p.Elem().Set(filled(f.Elem()))
			}
			v.Field(i).Set(p)
		case f.Kind() == reflect.Struct && strings.HasPrefix(f.PkgPath(), "uelink/"):
			v.Field(i).Set(filled(f))
		}
	}
	return v
}
