package main

import "fmt"

// linksBothWays measures what a frame costs both ends when each has many links, all
// of them busy.
func (s *session) linksBothWays() error {
	t := Table{
		Name: "links_bothways", Title: "Many links, both directions, both ends, a core each",
		Columns: columns("daemons", "%s", "links", "%d", "Mpps, both ways", "%.2f", "CPU ns per frame, both ends", "%.0f", "ratio to 1 link", "%.2f", "quartiles", "%s", "frames that came twice", "%.4f"),
		Notes: []string{
			fmt.Sprintf("Medians of %d rounds, those of a kind in turns, the others frozen; the ratio is the median of the ratios of the CPU times of rounds next to each other, to 1 link. %d frames of %d octets go round on each link, as above; CPU 0 has A and its hosts, CPU 1 has B and its hosts. testpmd, which holds nothing back, loses some of so many frames.", s.rounds, circulating, linksOctets),
			"An end that has not yet acknowledged what it has, since other links have their turn, may get it again: the last column, of all data frames in those rounds.",
		},
	}
	for _, of := range []func(links int) *pair{llrPair, offPair} {
		if err := s.linksRound(&t, of); err != nil {
			return err
		}
	}
	s.report.Tables = append(s.report.Tables, t)
	return nil
}

// linksRound measures daemons of a kind.
func (s *session) linksRound(t *Table, of func(links int) *pair) error {
	var list []*pair
	for _, n := range linkCounts() {
		list = append(list, of(n))
	}
	s.progress("  %s", list[0].name)
	pps, cpu := map[*pair][]float64{}, map[*pair][]float64{}
	err := s.sideBySide(list, circulating, linksOctets, func(p *pair, w window) {
		pps[p], cpu[p] = append(pps[p], w.pps()), append(cpu[p], w.perFrame())
	})
	if err != nil {
		return err
	}
	for _, p := range list {
		var again any
		if p.isLLR {
			again = float64(p.twice) / float64(p.came)
		}
		r := ratios(cpu[p], cpu[list[0]])
		t.add(p.name, p.links, median(pps[p])/1e6, median(cpu[p]), median(r), quartiles(r), again)
	}
	return nil
}
