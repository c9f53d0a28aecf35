package main

import (
	"fmt"
	"time"

	"uelink/lab/bench/kernel"
	"uelink/lab/bench/report"
)

// echoOctets is the length of frames whose round trips are timed.
const echoOctets = 64

// loaded is how many frames circulate when the experiment "latency" measures under load.
const loaded = 64

func micro(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// latency runs the experiment "latency" and adds its table and plot to the report: the round trip time of a frame
// through both ends of a link, to the far host and back, for each pair of forwarders.
func (s *session) latency() error {
	t := s.latencyTable()
	plot := report.Plot{Name: "latency", Title: "Round trip of a frame through both ends of a link", X: "round trip, µs",
		Y: "share of frames", LogX: true}
	under := []int{1, loaded} // frames
	measured := make([]turns[window], len(under))
	for i, frames := range under {
		s.progress("  %d frames", frames)
		var err error
		if measured[i], err = s.sideBySide(pairs(), frames, echoOctets); err != nil {
			return fmt.Errorf("%d frames: %w", frames, err)
		}
	}
	for i, frames := range under {
		for k, p := range pairs() {
			rounds, astray := measured[i].count(s.cores.prevailing(), k, 0)
			t.Add(append([]any{frames, p.name}, latencyFigures(measured[i], rounds, astray, k)...)...)
			plot.Series = append(plot.Series, distribution(fmt.Sprintf("%s, %d", p.name, frames),
				allRounds(measured[i], rounds, k)))
		}
	}
	t.Notes = append(t.Notes, s.ringsNote(), s.cores.note())
	s.report.Add(t, plot)
	return nil
}

// latencyTable returns the table without rows.
func (s *session) latencyTable() report.Table {
	return report.Table{
		Name: "latency", Title: "Round trip of a frame through both ends of a link",
		Columns: report.Columns("frames going round", "%d", "forwarders", "%s", "p50 µs", "%.1f", "p99 µs", "%.1f",
			"p99.9 µs", "%.1f", "paired ratio of p50 to testpmd", "%.2f", "quartiles", "%s", "pairs of windows", "%d"),
		Notes: []string{
			fmt.Sprintf("Medians of %d rounds or more. The pairs of forwarders run in turns, in a different order each "+
				"round. Frames "+
				"have %d octets, and the XDP program of host A measures the times. One frame: the link is otherwise "+
				"idle. %d frames: a frame waits for the frames ahead. ", s.rounds, echoOctets, loaded) + pairedNote,
			"CPU 0 runs A and the host of A, CPU 1 runs B and the host of B. testpmd always polls; uelink sleeps after 50 µs " +
				"without work (`spin`).",
		},
	}
}

// latencyFigures returns cells for pair i of forwarders: the medians, over the given rounds, of p50, p99 and p99.9 of
// the round trip times in µs, the ratio of p50 to that of the first pair, and the number of rounds. astray says that
// the rounds were measured in several regimes (distances between the CPUs): the cell of their number gets a mark.
func latencyFigures(t turns[window], rounds []int, astray bool, i int) (figures []any) {
	for _, share := range []float64{0.5, 0.99, 0.999} {
		figures = append(figures, median(t.values(i, rounds, roundTime(share))))
	}
	to := ratios(t.values(i, rounds, roundTime(0.5)), t.values(0, rounds, roundTime(0.5)))
	return append(figures, median(to), quartiles(to), windows(rounds, astray))
}

// roundTime returns a function that returns, for a window, the round trip time in µs that a share (0 to 1) of its
// frames did not exceed.
func roundTime(share float64) func(window) float64 {
	return func(w window) float64 { return micro(w.rounds.Quantile(share)) }
}

// allRounds returns the distribution of the round trip times of pair i, all given rounds together.
func allRounds(t turns[window], rounds []int, i int) *kernel.Times {
	all := &kernel.Times{}
	for _, round := range rounds {
		all.Add(t[i][round].did.rounds)
	}
	return all
}

// distribution returns the line of a plot, with that name: the cumulative distribution of round trip times in µs,
// up to the 99.99th percentile.
func distribution(name string, times *kernel.Times) report.Series {
	line := report.Series{Name: name}
	for _, share := range shares() {
		line.Points = append(line.Points, report.Point{micro(times.Quantile(share)), share})
	}
	return line
}

// shares returns the shares of frames, 0 to 0.9999, for which a cumulative distribution has a point in the plot.
func shares() (list []float64) {
	for i := range 50 {
		list = append(list, float64(i)/50)
	}
	return append(list, 0.985, 0.99, 0.995, 0.999, 0.9999)
}
