package main

import (
	"errors"
	"fmt"
	"time"

	"uelink/lab/bench/report"
)

// linksOctets is the length of frames on many links.
const linksOctets = 64

// linkCounts returns how many links a forwarder has in the rows of the table of many links.
func linkCounts() []int { return []int{1, 8, 32} }

// Names of the forwarders in the table of many links. A daemon's links have LLR, or LLR is off, which shows the cost of
// many ports alone. testpmd has no LLR either: it only forwards.
const (
	linksTx      = "uelink link Tx"
	linksOff     = "uelink, LLR off"
	linksTestpmd = "testpmd"
)

// defaultSpin is how long a daemon polls after its last work. A saturated daemon never sleeps.
const defaultSpin = "50us"

// saturated returns the load of frames at the generator's highest rate, in bursts of 64.
func saturated() offer { return offer{burst: 64} }

// linkOffers returns the loads with a rate: 200,000 frames a second over all links together, one by one and in
// bursts of 64.
func linkOffers() []offer { return []offer{{pps: 200_000, burst: 1}, {pps: 200_000, burst: 64}} }

// linkWindows is how many short windows a round has instead of a long one, so that the forwarders are compared while
// the machine changes little.
const linkWindows = 2

// linksOver returns the length of one window of the table of many links.
func (s *session) linksOver() time.Duration { return s.over / oneWayWindows }

// links runs the experiment "links" and adds its table to the report: the cost of a frame when one core forwards
// between many links and edges.
func (s *session) links() error {
	daemons, err := s.measureDaemons()
	if err != nil {
		return err
	}
	testpmd, err := s.measureTestpmds()
	if err != nil {
		return err
	}
	t := s.linksTable()
	for _, o := range append(daemons, testpmd...) {
		for i := range o.lanes {
			t.Add(o.row(s.cores.prevailing(), i)...)
		}
	}
	t.Notes = append(t.Notes, s.ringsNote(), s.cores.note())
	s.report.Add(t)
	return nil
}

// measureDaemons measures daemons with 1, 8 and 32 links, with and without LLR: with the default spin (the time of
// polling after the last work), also under the highest load, and with spin 0.
func (s *session) measureDaemons() (all []*offered, err error) {
	for _, spin := range []string{defaultSpin, "0s"} {
		s.progress("  spin %s", spin)
		offers := linkOffers()
		if spin == defaultSpin {
			offers = append(offers, saturated())
		}
		var list []oneWay
		for _, name := range []string{linksTx, linksOff} {
			for _, n := range linkCounts() {
				list = append(list, oneWay{name: name, links: n, start: s.linksDaemon(name, n, spin)})
			}
		}
		measured, err := s.linksOf(list, spin, offers...)
		if err != nil {
			return nil, fmt.Errorf("spin %s: %w", spin, err)
		}
		all = append(all, measured...)
	}
	return all, nil
}

// measureTestpmds measures testpmd with several numbers of links, only under the highest load, because testpmd
// always polls.
func (s *session) measureTestpmds() ([]*offered, error) {
	s.progress("  %s", linksTestpmd)
	var list []oneWay
	for _, n := range []int{1, 8, mostPorts / 2} {
		list = append(list, oneWay{name: linksTestpmd, links: n, start: s.linksOfTestpmd(n)})
	}
	measured, err := s.linksOf(list, "always", saturated())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", linksTestpmd, err)
	}
	return measured, nil
}

// linksTable returns the table without rows.
func (s *session) linksTable() report.Table {
	return report.Table{
		Name: "links", Title: "Many links, one core",
		Columns: report.Columns("load of all links together", "%s", "forwarder", "%s", "spin", "%s", "links", "%d",
			"Mpps", "%.3f",
			"CPU ns per frame", "%.0f", "paired ratio of CPU ns to the row with 1 link", "%.2f", "quartiles", "%s",
			"pairs of windows", "%d",
			"resident MB", "%.0f", "allocations per frame", "%.2f"),
		Notes: []string{
			fmt.Sprintf("Medians of %d windows of %v or more. The forwarders run in turns, in a different order each "+
				"round, and idle forwarders are frozen. Ratios compare CPU times with 1 link of the same forwarder. "+
				"Frames of %d octets go from edge to link, with LLR (link Tx) or unchanged (LLR off): the table shows "+
				"the cost of many ports, and the forwarder has no other work. The generator turns to the next link "+
				"after each burst. The partner of a link with LLR acknowledges every burst, and a long burst every %d "+
				"frames. ",
				linkWindows*s.rounds, s.linksOver().Round(millisecond), linksOctets, ackEvery) + pairedNote,
			fmt.Sprintf("CPU ns: the forwarder's CPU time for each frame that reached the far end. Polling counts: 50 µs "+
				"after the last work (`spin`, the default), or none. A saturated forwarder does not sleep. CPU %d runs "+
				"the forwarder, the kernel's copy and skb of each frame, and the XDP program of the partner. CPU %d "+
				"runs the generator, XDP on the edges, and the copy into the forwarder's chunks.", deviceCPU, loadCPU),
			fmt.Sprintf("testpmd polls all the time, so only figures of a saturated testpmd show the cost of a frame. "+
				"DPDK has no more than %d ports.", mostPorts),
			"Resident memory is the daemon's VmRSS, frame buffers included. Allocations are counted by " +
				"`go_memstats_mallocs_total`, without the allocations of a scrape.",
		},
	}
}

// linksOf starts the forwarders of the list, measures all of them in turns under each load of offers, and stops
// them. It returns a result for each load. spin is a text for the table.
func (s *session) linksOf(list []oneWay, spin string, offers ...offer) (all []*offered, err error) {
	lanes, err := s.open(list)
	defer func() { err = errors.Join(err, closeLanes(lanes)) }()
	if err != nil {
		return nil, err
	}
	for _, o := range offers {
		s.progress("    %s", o)
		measured := &offered{offer: o, spin: spin, lanes: lanes}
		if err := measured.measure(s); err != nil {
			return all, fmt.Errorf("%s: %w", o, err)
		}
		all = append(all, measured)
	}
	return all, nil
}

// linksOfTestpmd returns a function that starts a testpmd with n links.
func (s *session) linksOfTestpmd(n int) launcher {
	return func(b *bed, _ string) (forwarder, error) {
		return s.startTestpmd(b.device, deviceCPU, defaultMbuf, ports(n)...)
	}
}

// linksDaemon returns a function that starts a daemon with n links and the given spin. The daemon sends with LLR if the
// forwarder's name is linksTx; otherwise LLR is off.
func (s *session) linksDaemon(name string, n int, spin string) launcher {
	return func(b *bed, dir string) (forwarder, error) {
		return startDaemon(b.device, deviceCPU, dir, s.uelinkds[0], daemonConfig{
			llr: fmt.Sprintf("local: false, remote: %t", name == linksTx), profile: patient, links: n,
			top: fmt.Sprintf("spin: %s\nmetrics: {listen: %q}", spin, metricsAddress),
		})
	}
}
