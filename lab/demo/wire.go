package demo

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"uelink/dataplane/fault"
	"uelink/internal/netns"
	"uelink/lab/cable"
)

// badWire is the cable between the stations.
type badWire struct{ cable child }

// startWire starts the process `uelink cable`, with faults f, between the interfaces a and b of a namespace. tool
// is the path of uelink. It does not wait until frames flow.
func startWire(ns *netns.NS, tool string, f fault.Config) (*badWire, error) {
	c, err := startChild(ns, "uelink cable", tool, cableArguments(f)...)
	if err != nil {
		return nil, err
	}
	return &badWire{cable: c}, nil
}

// cableArguments returns the arguments of `uelink cable` for a wire with these faults.
func cableArguments(f fault.Config) []string {
	share := func(p float64) string { return strconv.FormatFloat(p, 'g', -1, 64) }
	mode := cable.ModeKernel // in the kernel the wire has its faults even before the stations have XDP programs
	if f.Duplicate > 0 || f.Reorder > 0 {
		mode = cable.ModeUser
	}
	return []string{
		"cable", "--mode", mode, "-o", "json", "--stats-interval", "0",
		"--loss", share(f.Loss), "--burst", share(f.Burst), "--corrupt", share(f.Corrupt),
		"--duplicate", share(f.Duplicate), "--reorder", share(f.Reorder),
		"--seed", strconv.FormatUint(f.Seed, 10), "a", "b",
	}
}

// ready reports whether the cable has printed that it is plugged in and carries frames.
func (w *badWire) ready() bool {
	return strings.Contains(w.cable.Stderr.String(), `"event":"ready"`)
}

// unplug ends the process of the cable and returns its counters of the frames from A and of those from B.
func (w *badWire) unplug() ([2]fault.Counters, error) {
	if err := w.cable.stop(stopPatience); err != nil {
		return [2]fault.Counters{}, err
	}
	return parseReport([]byte(w.cable.Stdout.String()))
}

// parseReport parses the JSON that a cable prints at its end: its counters of the frames from interface a and of
// those from b.
func parseReport(text []byte) (counters [2]fault.Counters, err error) {
	var r cable.Report
	if err := json.Unmarshal(text, &r); err != nil {
		return counters, fmt.Errorf("read the report of uelink cable: %w", err)
	}
	for _, d := range r.Directions {
		switch d.From {
		case "a":
			counters[0] = d.Counters
		case "b":
			counters[1] = d.Counters
		default:
			return counters, fmt.Errorf("the report of uelink cable has an unknown interface %q", d.From)
		}
	}
	return counters, nil
}
