package cable

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"uelink/internal/table"
)

// table prints all counters of a report, and the rates since the report of the last table, to stderr. On a terminal the
// table replaces the last one.
func (p *printer) table(r Report) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%.0fs\n", r.Seconds)
	if err := r.WriteTable(&out); err != nil {
		return
	}
	rates := table.Table{Keys: 2, Titles: []string{"from", "to", ">frames/s", ">Mbit/s", "path"}}
	for i, d := range r.Directions {
		frames, octets := d.Forwarded, d.Octets
		if i < len(p.shown.Directions) {
			frames -= min(frames, p.shown.Directions[i].Forwarded)
			octets -= min(octets, p.shown.Directions[i].Octets)
		}
		seconds := max(r.Seconds-p.shown.Seconds, 1e-3)
		rates.Add(d.From, d.To, fmt.Sprintf("%.0f", float64(frames)/seconds),
			fmt.Sprintf("%.2f", float64(octets)*8e-6/seconds), d.Path)
	}
	if err := rates.Write(&out); err != nil {
		return
	}
	if p.terminal && p.lines > 0 {
		fmt.Fprintf(p.err, "\033[%dA\033[J", p.lines)
	}
	p.shown, p.lines = r, bytes.Count(out.Bytes(), []byte("\n"))
	p.err.Write(out.Bytes())
}

// writeMetrics writes the counters to a file in Prometheus's text format, for node_exporter's textfile collector. The
// file is replaced, so that no reader sees a part.
func writeMetrics(path string, r Report) error {
	var out strings.Builder
	metric := func(name, help string, value func(d Direction, add func(fate string, n uint64))) {
		fmt.Fprintf(&out, "# HELP %s %s\n# TYPE %[1]s counter\n", name, help)
		for _, d := range r.Directions {
			value(d, func(fate string, n uint64) {
				if fate != "" {
					fate = fmt.Sprintf(",fate=%q", fate)
				}
				fmt.Fprintf(&out, "%s{from=%q,to=%q%s} %d\n", name, d.From, d.To, fate, n)
			})
		}
	}
	metric("uelink_cable_frames_total", "Frames by what became of them.", func(d Direction, add func(string, uint64)) {
		for _, f := range d.fates() {
			add(f.name, f.count)
		}
	})
	metric("uelink_cable_octets_total", "Octets of forwarded frames.", func(d Direction, add func(string, uint64)) {
		add("", d.Octets)
	})
	if len(r.Rules) > 0 {
		fmt.Fprintf(&out, "# HELP uelink_cable_rule_hits_total Messages that the rule has hit.\n"+
			"# TYPE uelink_cable_rule_hits_total counter\n")
		for _, s := range r.Rules {
			fmt.Fprintf(&out, "uelink_cable_rule_hits_total{rule=%q} %d\n", s.ID, s.Hits)
		}
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".uelink-cable-")
	if err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	defer os.Remove(file.Name()) // after a success the file has been renamed, and Remove finds none
	_, err = file.WriteString(out.String())
	for _, step := range []func() error{func() error { return file.Chmod(0o644) }, file.Close,
		func() error { return os.Rename(file.Name(), path) }} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	return nil
}
