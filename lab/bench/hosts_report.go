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
			fmt.Sprintf("Medians of %d rounds or more, wires, congestion controls and paths in turns, each round in another "+
				"order, the daemons of the other paths frozen. Host A sends one request after the other by TCP for %v, and "+
				"waits for the answer with calls that block; MTU %d. Quantiles are of the answers of a window: few answers "+
				"have no p99.9 but their longest time. An answer that takes %v ends the window, and counts with that time: "+
				"a burst of lost frames is as long for few frames as for many, and a host's timer doubles with each. ",
				s.rounds, s.over/2, tcpMTU, stallTime) + pairedNote,
			fmt.Sprintf("Ring: four ranks, in turns in host A and in host B, add up a buffer of %d KiB each, in %d steps "+
				"with a piece of %d KiB from each rank to the next.", ringRanks*ringPiece>>10, ringSteps, ringPiece>>10),
			hostsNote,
		},
	}
	bulk = report.Table{
		Name: "hosts-tcp", Title: "TCP between two hosts",
		Columns: columns("connections", report.Columns("Gbit/s", "%.3f", "segments again", "%.0f",
			"CPU s per GB, hosts", "%.2f", "CPU s per GB, all", "%.2f"), "Gbit/s"),
		Notes: []string{
			fmt.Sprintf("Medians as above; host A sends for %v on all connections, and Gbit/s is what host B has "+
				"acknowledged meanwhile. CPU time is that of the hosts' processes and of the daemons, with what the "+
				"kernel did in their time.", s.tcpOver()),
		},
	}
	if c := first("GB per CPU s"); c != nil {
		bulk.Columns = slices.Insert(bulk.Columns, len(bulk.Columns)-1, c...)
	}
	return requests, bulk
}

const hostsNote = "plain wire: the hosts with a cable of XDP programs between them and nothing else; their offloads " +
	"are off, because nobody finishes a checksum behind such a cable. uelink: two daemons between hosts and cable, LLR " +
	"both ways, never giving up, all else by default. CPU 0 has host A and daemon A, CPU 1 host B and daemon B. veth " +
	"does the receiver's work on the sender's CPU."

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

// leastFigure is the least figure that others are compared with: Gbit/s, GB per CPU second, and µs.
const leastFigure = 1e-3

// hostsRow is a row of the tables of hosts.
type hostsRow struct {
	s        *session
	measured turns[[]hosted]
	load     int
	plain    int // number of the contestant with the plain wire; the other paths follow
	path     int // 0: plain wire
}

// values returns a figure of a path in the rounds in which it and another path count.
func (r hostsRow) values(path int, rounds []int, figure func(hosted) float64) []float64 {
	return r.measured.values(r.plain+path, rounds, func(did []hosted) float64 { return figure(did[r.load]) })
}

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

// first returns the cells that compare a figure with the first daemon's, if there are others; none for the plain wire.
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

func (r hostsRow) requests() []any {
	return slices.Concat(
		[]any{r.middle(func(h hosted) float64 { return float64(h.Count) }), r.middle(hosted.p50),
			r.middle(func(h hosted) float64 { return h.P99 }), r.middle(func(h hosted) float64 { return h.P999 })},
		r.compare(0, hosted.p50), r.first(hosted.p50), []any{r.pairs()})
}

func (r hostsRow) bulk() []any {
	return slices.Concat(
		[]any{r.middle(hosted.gbps), r.middle(hosted.retransmits), r.middle(hosted.hostsCPU), r.middle(hosted.allCPU)},
		r.compare(0, hosted.gbps), r.first(hosted.gbps), r.first(hosted.perCPU), []any{r.pairs()})
}
