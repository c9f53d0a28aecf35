package main

import (
	"fmt"
	"slices"

	"uelink/lab/bench/report"
)

// hostsTables returns the tables of the experiment "hosts" without rows: requests, and connections that are filled.
// With several daemons each of them is compared with the first one, too.
func (s *session) hostsTables() (requests, bulk report.Table) {
	first := func(figure string) []report.Column {
		if len(s.uelinkds) < 2 {
			return nil
		}
		return report.Columns("paired ratio of "+figure+" to "+s.uelinkds[0], "%.2f", "quartiles", "%s")
	}
	columns := func(subject string, figures []report.Column, figure string) []report.Column {
		return slices.Concat(
			report.Columns("loss of the wire", "%g", "in bursts of", "%g", "congestion control", "%s", subject, "%s",
				"path", "%s"),
			figures, report.Columns("paired ratio of "+figure+" to plain wire", "%.2f", "quartiles", "%s"), first(figure),
			report.Columns("pairs of windows", "%d"))
	}
	requests = report.Table{
		Name: "hosts-requests", Title: "Requests between two hosts",
		Columns: columns("octets of answer and request", report.Columns("answers", "%.0f", "p50 µs", "%.0f",
			"p99 µs", "%.0f", "p99.9 µs", "%.0f"), "p50"),
		Notes: []string{
			fmt.Sprintf("Medians of %d rounds or more. Wires, congestion controls and paths come in turns, in a different "+
				"order each round, and the daemons of other paths are frozen. For %v host A sends one request after the "+
				"other by TCP, and waits for the answer with blocking calls; MTU %d. Quantiles are of the answers of a "+
				"window; the p99.9 of few answers is the longest time. An answer that takes %v ends the window, and counts "+
				"with the time waited. Waits can be long: a burst of losses lasts for a number of frames and not for a time, so "+
				"the burst hits retransmissions too, and the host's timer doubles with each. ",
				s.rounds, s.over/2, tcpMTU, stallTime) + pairedNote,
			fmt.Sprintf("Ring: four ranks, alternately in host A and host B, add up a buffer of %d KiB each in %d steps. In "+
				"each step every rank sends a piece of %d KiB to the next rank.", ringRanks*ringPiece>>10, ringSteps, ringPiece>>10),
			hostsNote,
		},
	}
	bulk = report.Table{
		Name: "hosts-tcp", Title: "TCP between two hosts",
		Columns: columns("connections", report.Columns("Gbit/s", "%.3f", "segments again", "%.0f",
			"CPU s per GB, hosts", "%.2f", "CPU s per GB, all", "%.2f"), "Gbit/s"),
		Notes: []string{
			fmt.Sprintf("Medians as above. Host A sends for %v on all connections, and Gbit/s counts the octets "+
				"acknowledged by host B meanwhile. CPU time is the time of the hosts' processes and of the daemons, the "+
				"kernel's work within included.", s.tcpOver()),
		},
	}
	if c := first("GB per CPU s"); c != nil {
		bulk.Columns = slices.Insert(bulk.Columns, len(bulk.Columns)-1, c...)
	}
	return requests, bulk
}

const hostsNote = "plain wire: only a cable of XDP programs between the hosts; the hosts' offloads are off, because " +
	"nobody finishes a checksum behind a cable of XDP programs. uelink: two daemons between hosts and cable, LLR both " +
	"ways, never giving up, all other settings by default. CPU 0 runs host A and daemon A, CPU 1 host B and daemon B. " +
	"veth does the receiver's work on the sender's CPU."

// reportHosts adds the tables to the report: a row for each wire, congestion control, load and path.
func (s *session) reportHosts(paths []*hostsPath, controls []string, measured turns[[]hosted]) {
	requests, bulk := s.hostsTables()
	for i, l := range hostLoads() {
		for k := range len(s.losses) * len(controls) {
			bad, control := s.losses[k/len(controls)], controls[k%len(controls)]
			for p, path := range paths {
				r := hostsRow{s: s, measured: measured, load: i, plain: k * len(paths), path: p}
				row := []any{bad.Loss, bad.Burst, control, l.name, path.name}
				if l.connections > 0 {
					bulk.Add(append(row, r.bulk()...)...)
				} else {
					requests.Add(append(row, r.requests()...)...)
				}
			}
		}
	}
	requests.Notes = append(requests.Notes, s.cores.note())
	s.report.Add(requests)
	s.report.Add(bulk)
}

// leastFigure is the least figure (Gbit/s, GB per CPU second, µs) of a path with which other paths are compared.
const leastFigure = 1e-3

// hostsRow is a row of the tables of hosts.
type hostsRow struct {
	s        *session
	measured turns[[]hosted]
	load     int
	plain    int // number of the contestant with the plain wire; the other paths follow
	path     int // 0: plain wire
}

// values returns a figure of a path in each of the given rounds.
func (r hostsRow) values(path int, rounds []int, figure func(hosted) float64) []float64 {
	return r.measured.values(r.plain+path, rounds, func(did []hosted) float64 { return figure(did[r.load]) })
}

// count returns the rounds that count in a comparison of the row's path with another path, as turns.count does.
func (r hostsRow) count(other int) (rounds []int, astray bool) {
	return r.measured.count(r.s.cores.prevailing(), r.plain+other, r.plain+r.path)
}

// middle returns the median of a figure.
func (r hostsRow) middle(figure func(hosted) float64) float64 {
	rounds, _ := r.count(0)
	return median(r.values(r.path, rounds, figure))
}

// compare returns the cells that compare a figure with another path's: the median of the paired ratios, and quartiles.
func (r hostsRow) compare(other int, figure func(hosted) float64) []any {
	rounds, _ := r.count(other)
	base := r.values(other, rounds, figure)
	if median(base) < leastFigure { // the other path carried next to nothing, and a ratio would mean nothing
		return []any{nil, nil}
	}
	to := ratios(r.values(r.path, rounds, figure), base)
	return []any{median(to), quartiles(to)}
}

// first returns the cells that compare a figure with the first daemon's: none if there is a single daemon, empty cells
// for the plain wire.
func (r hostsRow) first(figure func(hosted) float64) []any {
	switch {
	case len(r.s.uelinkds) < 2:
		return nil
	case r.path == 0:
		return []any{nil, nil}
	}
	return r.compare(1, figure)
}

func (r hostsRow) pairs() any { return windows(r.count(0)) }

// requests returns the figures of a row of the table of requests, from the column "answers" on.
func (r hostsRow) requests() []any {
	return slices.Concat(
		[]any{r.middle(func(h hosted) float64 { return float64(h.Count) }), r.middle(hosted.p50),
			r.middle(func(h hosted) float64 { return h.P99 }), r.middle(func(h hosted) float64 { return h.P999 })},
		r.compare(0, hosted.p50), r.first(hosted.p50), []any{r.pairs()})
}

// bulk returns the figures of a row of the table of TCP, from the column "Gbit/s" on.
func (r hostsRow) bulk() []any {
	return slices.Concat(
		[]any{r.middle(hosted.gbps), r.middle(hosted.retransmits), r.middle(hosted.hostsCPU), r.middle(hosted.allCPU)},
		r.compare(0, hosted.gbps), r.first(hosted.gbps), r.first(hosted.perCPU), []any{r.pairs()})
}
