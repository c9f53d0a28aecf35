package goodput

import (
	"slices"
	"testing"
	"time"

	"uelink/lab/bench/report"
)

// pauses returns the delays of the last of eight frames before a pause. Where that frame is lost, no later one shows
// it: its probe comes after the usual time of an acknowledgement, not after the replay timer.
func pauses(t *testing.T) report.Table {
	table := report.Table{Title: "Added delay in µs of the last of eight frames before a pause, 10 Gbit/s, loss 1e-2",
		Columns: report.Columns("loop", "%s", "profile", "%s", "p99", "%.0f", "p99.5", "%.0f", "most", "%.0f",
			"replay timer", "%.0f")}
	for _, loop := range []time.Duration{2 * time.Microsecond, 20 * time.Microsecond, 200 * time.Microsecond} {
		for _, profile := range []string{"default", "auto", "selective"} {
			c := at(10, loop, 1e-2)
			c.profile, c.group, c.pause, c.frames = profile, 8, 2500*time.Microsecond, 40_000
			f := figure(t, c)
			d := lastOfGroups(c, f.delays)
			p99 := d[len(d)*99/100]
			if most := 2*loop + 200*time.Microsecond; p99 > most {
				t.Errorf("%v: the last frames have a p99 of %v, must have %v", c, p99, most)
			}
			micros := func(d time.Duration) float64 { return float64(d) / 1e3 }
			table.Add(loop.String(), profile, micros(p99), micros(d[len(d)*995/1000]), micros(d[len(d)-1]), micros(f.timer))
		}
	}
	return table
}

// lastOfGroups returns, sorted, the delays of the last frames before the pauses of a cell.
func lastOfGroups(c cell, all []time.Duration) (delays []time.Duration) {
	for i := c.group - 1; i < len(all); i += c.group {
		delays = append(delays, all[i])
	}
	slices.Sort(delays)
	return delays
}
