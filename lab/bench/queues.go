package main

import (
	"fmt"
	"strings"

	"uelink/dataplane/qos"
	"uelink/lab/bench/kernel"
	"uelink/lab/bench/report"
)

// priorities is the number of priorities of a VLAN tag: PCP and DEI.
const priorities = 16

// queues measures the cost of a frame on a link with many queues.
func (s *session) queues() error {
	many := s.queuesDaemon(qos.Classes)
	list := []oneWay{
		{name: "1 VC", start: s.queuesDaemon(1), load: taggedLoad(false)},
		{name: fmt.Sprintf("%d VCs, frames in 1", qos.Classes), start: many, load: taggedLoad(false)},
		{name: fmt.Sprintf("%d VCs, frames in %d", qos.Classes, priorities), start: many, load: taggedLoad(true)},
	}
	e := s.shortWindows()
	e.search = false
	races, err := s.races(list, bridgeSizes(), e)
	if err != nil {
		return err
	}
	t := report.Table{Name: "queues", Title: "A link with many queues, one direction, one core",
		Columns: raceColumns(e, "1 VC")}
	for _, r := range races {
		for i := range r.lanes {
			t.Add(r.row(s.cores.prevailing(), e, i, 0)...)
		}
	}
	t.Notes = append(raceNotes(e),
		fmt.Sprintf("uelink link Tx, edge to link with LLR. Each frame has a VLAN tag. 1 VC: the default, tags are "+
			"not looked at. %d VCs: `vcs: %[1]d`, and the edge has `trust: dot1p` with a map from PCP and DEI to %d "+
			"classes, %d apart: %[1]d queues at the link, one in use or %[2]d.",
			qos.Classes, priorities, qos.Classes/priorities),
		"The partner, an XDP program, tells of no VC above 0: that is what stands in the shim of every frame.",
		s.cores.note())
	s.report.Add(t)
	return nil
}

// queuesDaemon returns a launcher for a daemon whose link has vcs VCs.
func (s *session) queuesDaemon(vcs int) launcher {
	return func(b *bed, dir string) (forwarder, error) {
		return startDaemon(b.device, deviceCPU, dir, s.uelinkds[0], queuesConfig(vcs))
	}
}

// queuesConfig returns the configuration of the daemon. With more than one VC, the priority selects the VC.
func queuesConfig(vcs int) daemonConfig {
	c := daemonConfig{llr: "local: false, remote: true", profile: patient}
	if vcs > 1 {
		c.top = priorityMap()
		c.link, c.edge = fmt.Sprintf(", vcs: %d", vcs), ", qos: {trust: dot1p, dot1p_to_tc_map: all}"
	}
	return c
}

// priorityMap returns a map from every PCP and DEI to a different class.
func priorityMap() string {
	var classes []string
	for p := range priorities {
		classes = append(classes, fmt.Sprintf("%q: %d", fmt.Sprintf("%d/%d", p/2, p%2), p*qos.Classes/priorities))
	}
	return "qos: {dot1p_to_tc_map: {all: {" + strings.Join(classes, ", ") + "}}}"
}

// taggedLoad returns a load of tagged frames from gen0 to an LLR receiver at part0: all of priority 0, or of all
// priorities in turn.
func taggedLoad(all bool) loader {
	return func(b *bed, f forwarder, octets int) (*running, error) {
		far, s := b.receiver(f.(*daemon)), kernel.Spread{Prioritized: all}
		return b.spread(far, 1, s, kernel.TaggedFrame(octets), ackEvery)
	}
}
