package main

import (
	"errors"
	"fmt"
	"time"

	"uelink/lab/bench/kernel"
	"uelink/lab/bench/report"
)

// launcher starts a forwarder between the interfaces of a bed; dir is for its files.
type launcher func(b *bed, dir string) (forwarder, error)

// loader prepares a load of frames of octets octets for forwarder f in bed b.
type loader func(b *bed, f forwarder, octets int) (*running, error)

// oneWay is a forwarder in a table of one direction.
type oneWay struct {
	name  string
	start launcher
	load  loader
	from  int // octets of the shortest frames that it is measured with
	to    int // octets of the longest frames that it is measured with; 0: any
	links int // 0: one
}

// tableSizes returns the frame sizes of the tables, in octets of edge frames without FCS.
func tableSizes() []int { return []int{64, 256, 1500, 3400} }

// oneWayWindows is how many short windows a round has instead of a long one, so that the forwarders are compared
// while the machine changes little.
const oneWayWindows = 3

// quickOver is the length of a window with --quick.
const quickOver = 300 * time.Millisecond

// effort is the number and length of windows in a race.
type effort struct {
	windows int // of each lane
	over    time.Duration
	search  bool // also search the rate without loss
}

// shortWindows returns how many windows each forwarder of a table of one direction is measured in, their length,
// and whether the highest rate without loss is searched, too.
func (s *session) shortWindows() effort {
	if s.quick {
		return effort{windows: min(s.rounds, 3), over: quickOver}
	}
	return effort{windows: oneWayWindows * s.rounds, over: s.over / oneWayWindows, search: true}
}

// oneWay runs the experiment "oneway" and adds its table to the report: forwarders side by side with frames in one
// direction, each on one core.
func (s *session) oneWay() error {
	e := s.shortWindows()
	races, err := s.races(s.forwarders(), tableSizes(), e)
	if err != nil {
		return err
	}
	t := report.Table{Name: "oneway", Title: "One direction, one core", Columns: raceColumns(e, "testpmd")}
	for _, r := range races {
		for i := range r.lanes {
			t.Add(r.row(s.cores.prevailing(), e, i)...)
		}
	}
	t.Notes = append(raceNotes(e),
		fmt.Sprintf("link Tx: from edge to link, with shim, FCS image and replay buffer; the partner sends an LLR_ACK "+
			"for every %d frames. link Rx: from link to edge; sequence numbers and FCS images are checked, and "+
			"frames are acknowledged. LLR off: frames stay unchanged at both ports.", ackEvery),
		"XDP redirect is the ceiling: a program on the forwarder's first interface redirects each frame to the "+
			"second interface (devmap), and a thread of the kernel polls the interface. No frame reaches user space.",
		fmt.Sprintf("The generator's numbered frames have at most %d octets, so link Rx has edge frames of %[1]d "+
			"octets instead of 3400.", kernel.MaxSequence),
		s.ringsNote(), s.cores.note())
	s.report.Add(t)
	return nil
}

// forwarders returns the forwarders of the table of one direction, in its order: testpmd, Open vSwitch, XDP
// redirect, and each uelinkd without LLR, as LLR sender and as LLR receiver.
func (s *session) forwarders() []oneWay {
	list := append(s.testpmds(),
		oneWay{name: "Open vSwitch", start: openVSwitchOf(byPort, 1), load: plainLoad},
		oneWay{name: "XDP redirect", start: startRedirect, load: plainLoad})
	for _, program := range s.uelinkds {
		name := "uelink"
		if len(s.uelinkds) > 1 {
			name = program
		}
		list = append(list,
			oneWay{name: name + ", LLR off", start: uelinkWith(program, "local: false, remote: false"),
				load: plainLoad},
			oneWay{name: name + " link Tx", start: uelinkWith(program, "local: false, remote: true"), load: txLoad},
			oneWay{name: name + " link Rx", start: uelinkWith(program, "local: true, remote: false"), load: rxLoad})
	}
	return list
}

// testpmds returns testpmd twice: with buffers for short frames, and with buffers for long frames.
func (s *session) testpmds() []oneWay {
	return []oneWay{
		s.testpmdWith(defaultMbuf, 0, defaultMbuf-mbufHead),
		s.testpmdWith(largeMbuf, defaultMbuf-mbufHead+1, 0),
	}
}

// testpmdWith returns a testpmd, not started yet, with buffers of mbuf octets, for frames of from to to octets; to 0 is
// no limit.
func (s *session) testpmdWith(mbuf, from, to int) oneWay {
	return oneWay{name: "testpmd", start: func(b *bed, _ string) (forwarder, error) {
		return s.startTestpmd(b.device, deviceCPU, mbuf, "edge0", "link0")
	}, load: plainLoad, from: from, to: to}
}

// patient is a profile whose link never gives up, because a frozen daemon is no fault.
const patient = "max_replay_count: 255"

// live lets frames leave edges live, because the far ends of edges are XDP programs. Links are live by default.
const live = ", tx_path: live"

// uelinkWith returns a function that starts a daemon of a program; llr is the text of the keys local and remote of its
// link's LLR.
func uelinkWith(program, llr string) launcher {
	return func(b *bed, dir string) (forwarder, error) {
		return startDaemon(b.device, deviceCPU, dir, program, daemonConfig{llr: llr, profile: patient, edge: live})
	}
}

// races starts the forwarders of the list, measures them in turns with frames of each size in octets, and stops
// them. It returns the results by size.
func (s *session) races(list []oneWay, sizes []int, e effort) (races []*race, err error) {
	lanes, err := s.open(list)
	defer func() { err = errors.Join(err, closeLanes(lanes)) }()
	if err != nil {
		return nil, err
	}
	for _, octets := range sizes {
		s.progress("  %d octets", octets)
		r, err := s.race(lanes, octets, e)
		if err != nil {
			return races, err
		}
		races = append(races, r)
	}
	return races, nil
}
