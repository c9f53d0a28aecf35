package main

import (
	"fmt"

	"uelink/lab/bench/report"
)

// circulating is how many frames circulate when both ends have to be busy. A veth's ring holds 256, so no frame is
// lost before the edge.
const circulating = 128

// bothWays runs the experiment "bothways" and adds its table to the report: both ends of a link, each on a core of
// its own, with frames both ways, for each pair of forwarders and each frame size.
func (s *session) bothWays() error {
	measured, err := s.bothWaysOf(tableSizes(), pairs)
	if err != nil {
		return err
	}
	t := s.bothWaysTable()
	for i, octets := range tableSizes() {
		for k := range pairs() {
			t.Add(bothWaysRow(measured[i], s.cores.prevailing(), octets, k)...)
		}
	}
	t.Notes = append(t.Notes, s.ringsNote(), s.cores.note())
	s.report.Add(t)
	return nil
}

// bothWaysOf measures pairs of forwarders, side by side, with frames of each size in octets, and returns the
// results by size. pairs is called for each size, so that each size starts new forwarders.
func (s *session) bothWaysOf(sizes []int, pairs func() []*pair) ([]turns[window], error) {
	measured := make([]turns[window], len(sizes))
	for i, octets := range sizes {
		s.progress("  %d octets", octets)
		var err error
		if measured[i], err = s.sideBySide(pairs(), circulating, octets); err != nil {
			return nil, fmt.Errorf("%d octets: %w", octets, err)
		}
	}
	return measured, nil
}

// bothWaysTable returns the table without rows.
func (s *session) bothWaysTable() report.Table {
	return report.Table{
		Name: "bothways", Title: "Both directions, both ends of a link, a core each",
		Columns: report.Columns("octets", "%d", "forwarders", "%s", "Mpps, both ways", "%.2f", "Gbit/s, both ways", "%.2f",
			"CPU ns per frame, both ends", "%.0f", "paired ratio of goodput to testpmd", "%.2f", "quartiles", "%s",
			"paired ratio of CPU time to testpmd", "%.2f", "quartiles", "%s", "pairs of windows", "%d"),
		Notes: []string{
			fmt.Sprintf("Medians of %d rounds or more. The pairs of forwarders run in turns, in a different order each "+
				"round, and idle pairs are frozen. %d frames go round: each host, an XDP program, sends every frame back. At the "+
				"end all frames are there and in order. ", s.rounds, circulating) + pairedNote,
			"CPU 0 runs A and the host of A, CPU 1 runs B and the host of B. No other load runs, and the forwarders' " +
				"CPU time includes the hosts' work. A frame crosses both forwarders.",
		},
	}
}

// bothWaysRow returns the cells of one row of the table: pair i of forwarders with frames of a size, and the ratios of
// its rate and CPU time to those of the first pair. Only windows measured at the given distance between the CPUs
// (regime) count; if these are too few, all windows do.
func bothWaysRow(t turns[window], in regime, octets, i int) []any {
	rounds, astray := t.count(in, i, 0)
	pps, cpu := t.values(i, rounds, windowPPS), t.values(i, rounds, windowPerFrame)
	toPPS, toCPU := ratios(pps, t.values(0, rounds, windowPPS)), ratios(cpu, t.values(0, rounds, windowPerFrame))
	rate := median(pps)
	return []any{octets, pairs()[i].name, rate / 1e6, rate * float64(octets) * 8 / 1e9, median(cpu),
		median(toPPS), quartiles(toPPS), median(toCPU), quartiles(toCPU), windows(rounds, astray)}
}
