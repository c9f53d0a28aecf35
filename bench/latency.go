package main

import (
	"fmt"
	"time"

	"uelink/bench/kernel"
)

// echoOctets is the length of the frames whose rounds are timed.
const echoOctets = 64

// loaded is how many frames go round where latency under load is measured.
const loaded = 64

func micro(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// latency measures how long a frame takes through both ends, to the far host and
// back.
func (s *session) latency() error {
	t := Table{
		Name: "latency", Title: "Echo through both ends of a link, there and back",
		Columns: columns("frames going round", "%d", "forwarders", "%s", "p50 µs", "%.1f", "p99 µs", "%.1f", "p99.9 µs", "%.1f", "p50 to testpmd", "%.2f"),
		Notes: []string{
			fmt.Sprintf("Medians of %d rounds, the pairs in turns; frames of %d octets, timed by the XDP program of host A. One frame: the link is idle but for it. %d frames: a frame waits for those before it.", s.rounds, echoOctets, loaded),
			"A and its host are on CPU 0, B and its host on CPU 1. testpmd always polls; uelink sleeps after 50 µs without work (`spin`).",
		},
	}
	plot := Plot{Name: "latency", Title: "Echo through both ends of a link", X: "µs, there and back", Y: "share of frames", LogX: true}
	for _, frames := range []int{1, loaded} {
		s.progress("  %d frames", frames)
		quantiles, all := map[string][3][]float64{}, map[string]*kernel.Times{}
		err := s.sideBySide(pairs(), frames, echoOctets, func(p *pair, w window) {
			q := quantiles[p.name]
			for i, share := range []float64{0.5, 0.99, 0.999} {
				q[i] = append(q[i], micro(w.rounds.Quantile(share)))
			}
			quantiles[p.name] = q
			if all[p.name] == nil {
				all[p.name] = &kernel.Times{}
			}
			all[p.name].Add(w.rounds)
		})
		if err != nil {
			return fmt.Errorf("%d frames: %w", frames, err)
		}
		for _, p := range pairs() {
			q := quantiles[p.name]
			t.add(frames, p.name, median(q[0]), median(q[1]), median(q[2]), median(ratios(q[0], quantiles["testpmd"][0])))
			plot.Series = append(plot.Series, distribution(fmt.Sprintf("%s, %d", p.name, frames), all[p.name]))
		}
	}
	s.report.Tables, s.report.Plots = append(s.report.Tables, t), append(s.report.Plots, plot)
	return nil
}

// distribution is the cumulative distribution up to its 99.99th percentile.
func distribution(name string, times *kernel.Times) Series {
	line := Series{Name: name}
	for _, share := range shares() {
		line.Points = append(line.Points, Point{micro(times.Quantile(share)), share})
	}
	return line
}

// shares are those that a distribution is drawn by.
func shares() (list []float64) {
	for i := range 50 {
		list = append(list, float64(i)/50)
	}
	return append(list, 0.985, 0.99, 0.995, 0.999, 0.9999)
}
