package main

import "fmt"

// circulating is how many frames go round where both ends shall be busy: fewer
// than a veth's ring of 256 holds, so that none is lost before the edge.
const circulating = 128

// bothWays measures both ends of a link, each on a core, with frames both ways.
func (s *session) bothWays() error {
	t := Table{
		Name: "bothways", Title: "Both directions, both ends of a link, a core each",
		Columns: columns("octets", "%d", "forwarders", "%s", "Mpps, both ways", "%.2f", "Gbit/s, both ways", "%.2f", "CPU ns per frame, both ends", "%.0f", "goodput to testpmd", "%.2f", "CPU to testpmd", "%.2f"),
		Notes: []string{
			fmt.Sprintf("Medians of %d rounds, the pairs in turns, the others frozen. %d frames go round: each host, an XDP program, sends every frame back. All frames are there and in order at the end.", s.rounds, circulating),
			"CPU 0 has A and its host, CPU 1 has B and its host: there is no other load, and the forwarders pay for all of it. A frame crosses both.",
		},
	}
	for _, octets := range tableSizes() {
		s.progress("  %d octets", octets)
		pps, cpu := map[string][]float64{}, map[string][]float64{}
		err := s.sideBySide(pairs(), circulating, octets, func(p *pair, w window) {
			pps[p.name] = append(pps[p.name], w.pps())
			cpu[p.name] = append(cpu[p.name], w.perFrame())
		})
		if err != nil {
			return fmt.Errorf("%d octets: %w", octets, err)
		}
		for _, p := range pairs() {
			rate := median(pps[p.name])
			t.add(octets, p.name, rate/1e6, rate*float64(octets)*8/1e9, median(cpu[p.name]),
				median(ratios(pps[p.name], pps["testpmd"])), median(ratios(cpu[p.name], cpu["testpmd"])))
		}
	}
	s.report.Tables = append(s.report.Tables, t)
	return nil
}
