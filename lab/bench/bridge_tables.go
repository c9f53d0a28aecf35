package main

import (
	"errors"
	"fmt"

	"uelink/lab/bench/kernel"
	"uelink/lab/bench/report"
)

// bridgePortCounts returns how many ports a bridge has in each row of the table of bridges with many ports.
func bridgePortCounts() []int { return []int{2, 16, 64} }

// bridgeAddressCounts returns how many addresses a bridge has learned in each row of the table of many addresses.
func bridgeAddressCounts() []int { return []int{10, 100_000} }

// bridgeWindows is how many short windows a round of these tables has.
const bridgeWindows = 2

// bridgeEffort returns the number and the length of the windows that each row of the tables of many ports and many
// addresses is measured in.
func (s *session) bridgeEffort() effort {
	return effort{windows: bridgeWindows * s.rounds, over: s.over / oneWayWindows}
}

// scaling is a race of forwarders with different numbers of ports or addresses. Each forwarder is compared with the
// forwarder of the same name that has the fewest.
type scaling struct {
	load string // name of the load
	*race
	sizes []int // number of ports or addresses of each lane
}

// bridgesBySize returns a bridge of uelink and a bridge of the kernel for each number of ports in
// bridgePortCounts; sizes are their numbers of ports, in the same order.
func (s *session) bridgesBySize() (list []oneWay, sizes []int) {
	for _, kind := range []struct {
		name  string
		start func(links int) launcher
	}{{uelinkBridge, s.uelinkBridge}, {kernelsBridge, kernelBridge}} {
		for _, n := range bridgePortCounts() {
			list = append(list, oneWay{name: kind.name, links: n / 2, start: kind.start(n / 2)})
			sizes = append(sizes, n)
		}
	}
	return list, sizes
}

// bridgePorts measures the cost of a frame in bridges with many ports, of which two or all are busy, and adds the
// table to the report.
func (s *session) bridgePorts() (err error) {
	list, sizes := s.bridgesBySize()
	lanes, err := s.open(list)
	defer func() { err = errors.Join(err, closeLanes(lanes)) }()
	if err != nil {
		return err
	}
	var all []scaling
	for _, busy := range []struct {
		name string
		load func(links int) loader
	}{
		{"between two ports", func(int) loader { return learnedLoad(1) }},
		{"between all ports", allPortsLoad},
	} {
		s.progress("  frames %s", busy.name)
		for _, l := range lanes {
			l.oneWay.load = busy.load(l.links)
		}
		r, err := s.race(lanes, linksOctets, s.bridgeEffort())
		if err != nil {
			return err
		}
		all = append(all, scaling{busy.name, r, sizes})
	}
	s.scalingTable("bridge_ports", "Bridges with many ports, one core", "ports", all,
		fmt.Sprintf("Frames of %d octets go from every second port to the next port: between two ports, while the "+
			"other ports rest, or between all ports in turns, in bursts of %d. Each port that receives frames has an "+
			"address, and the bridges have learned all addresses.", linksOctets, saturated().burst))
	return nil
}

// allPortsLoad returns a function that makes the bridge learn an address behind the far end of each link and then
// prepares this load: bursts of frames from each edge in turn to the far end of its link.
func allPortsLoad(links int) loader {
	return func(b *bed, f forwarder, octets int) (*running, error) {
		if err := b.announce(f, links, 1); err != nil {
			return nil, fmt.Errorf("announce %d addresses: %w", links, err)
		}
		return b.spread(b.sink, links, kernel.Spread{Burst: saturated().burst, Addresses: 1}, kernel.Frame(octets), 1)
	}
}

// bridgeAddresses measures the cost of a frame in bridges that have learned many addresses, and adds the table to
// the report.
func (s *session) bridgeAddresses() error {
	var list []oneWay
	var sizes []int
	for _, contestant := range []oneWay{
		{name: uelinkBridge, start: s.uelinkBridge(1)},
		{name: kernelsBridge, start: kernelBridge(1)},
		{name: ovsLearning, start: openVSwitchOf(learning, 1)},
	} {
		for _, n := range bridgeAddressCounts() {
			contestant.load = learnedLoad(n)
			list, sizes = append(list, contestant), append(sizes, n)
		}
	}
	races, err := s.races(list, []int{linksOctets}, s.bridgeEffort())
	if err != nil {
		return err
	}
	s.scalingTable("bridge_addresses", "Bridges with many addresses, one core", "addresses",
		[]scaling{{"to all addresses in turns", races[0], sizes}},
		fmt.Sprintf("Frames of %d octets arrive at one port from a single address, and leave by the other port. "+
			"Consecutive frames have different destinations. The bridges have learned all addresses.",
			linksOctets))
	return nil
}

// scalingTable adds a table to the report: a row for each forwarder and size, with the ratio of its CPU time to
// that of the smallest size of the same forwarder. unit names the unit of the sizes (ports, addresses), note describes
// the frames.
func (s *session) scalingTable(name, title, unit string, all []scaling, note string) {
	e := s.bridgeEffort()
	t := report.Table{Name: name, Title: title, Columns: report.Columns("frames", "%s", "forwarder", "%s", unit, "%d",
		"Mpps", "%.2f", "CPU ns per frame", "%.0f", "paired ratio of CPU time to the fewest "+unit, "%.2f", "quartiles", "%s",
		"pairs of windows", "%d")}
	in := s.cores.prevailing()
	for _, g := range all {
		first := 0
		for i, l := range g.lanes {
			if l.name != g.lanes[first].name {
				first = i
			}
			t.Add(append([]any{g.load, l.name, g.sizes[i]}, g.cost(in, i, first)...)...)
		}
	}
	t.Notes = append(raceNotes(e), note,
		"The paired ratio compares with the row of the same forwarder with the fewest "+unit+".", s.cores.note())
	s.report.Add(t)
}

// cost returns cells for forwarder i: rate in Mpps, CPU time for a frame in ns, the ratio of this time to the time of
// the forwarder whose number is first, its quartiles, and the number of windows. Only windows measured at the given
// distance between the CPUs (regime) count; if these are too few, all windows do.
func (g scaling) cost(in regime, i, first int) []any {
	rounds, astray := g.turns.count(in, i, first)
	cpu := g.turns.values(i, rounds, stretch.perFrame)
	to := ratios(cpu, g.turns.values(first, rounds, stretch.perFrame))
	return []any{1e3 / median(cpu), median(cpu), median(to), quartiles(to), windows(rounds, astray)}
}
