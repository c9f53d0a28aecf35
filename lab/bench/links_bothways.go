package main

import (
	"fmt"

	"uelink/lab/bench/report"
)

// linksRound is daemons of one kind with several numbers of links.
type linksRound struct {
	pairs []*pair
	turns turns[window]
}

// linksBothWays measures the cost of a frame at both ends when each end has many busy links.
func (s *session) linksBothWays() error {
	t := report.Table{
		Name: "links_bothways", Title: "Many links, both directions, both ends, a core each",
		Columns: report.Columns("daemons", "%s", "links", "%d", "Mpps, both ways", "%.2f",
			"CPU ns per frame, both ends", "%.0f",
			"paired ratio to 1 link", "%.2f", "quartiles", "%s", "pairs of windows", "%d",
			"frames that came twice", "%.4f"),
	}
	var measured []linksRound
	for _, of := range []func(links int) *pair{llrPair, offPair} {
		var r linksRound
		for _, n := range linkCounts() {
			r.pairs = append(r.pairs, of(n))
		}
		s.progress("  %s", r.pairs[0].name)
		var err error
		if r.turns, err = s.sideBySide(r.pairs, circulating, linksOctets); err != nil {
			return err
		}
		measured = append(measured, r)
	}
	for _, r := range measured {
		for i := range r.pairs {
			t.Add(r.row(s.cores.prevailing(), i)...)
		}
	}
	t.Notes = []string{
		fmt.Sprintf("Medians of %d rounds or more, those of a kind in turns, each round in another order, the "+
			"others frozen; ratios of CPU times. %d frames of %d octets go round on each link, as above; CPU 0 has "+
			"A and its hosts, CPU 1 has B and its hosts. testpmd, which holds nothing back, loses some of so many "+
			"frames. ", s.rounds, circulating, linksOctets) + pairedNote,
		"An end that has not yet acknowledged what it has, since other links have their turn, may get it again: the " +
			"last column, of all data frames in those rounds.",
		s.cores.note(),
	}
	s.report.Add(t)
	return nil
}

// row returns the row of a pair, with its ratio to the pair with the fewest links.
func (r linksRound) row(in regime, i int) []any {
	rounds, astray := r.turns.count(in, i, 0)
	cpu := r.turns.values(i, rounds, windowPerFrame)
	to := ratios(cpu, r.turns.values(0, rounds, windowPerFrame))
	var again any
	if p := r.pairs[i]; p.isLLR {
		again = float64(p.twice) / float64(p.came)
	}
	return []any{r.pairs[i].name, r.pairs[i].links, median(r.turns.values(i, rounds, windowPPS)) / 1e6, median(cpu),
		median(to), quartiles(to), windows(rounds, astray), again}
}
