package main

import (
	"errors"
	"fmt"
	"time"

	"uelink/bench/kernel"
)

// oneWay is a forwarder in the table of one direction.
type oneWay struct {
	name  string
	start func(b *bed, dir string) (forwarder, error)
	load  func(b *bed, f forwarder, octets int) (*running, error)
	from  int // octets, the shortest frames that it is measured with
	to    int // the longest; 0: any
	links int // 0: one
}

// tableSizes are octets of edge frames without FCS.
func tableSizes() []int { return []int{64, 256, 1500, 3400} }

// oneWayWindows is how many short windows a round has instead of a long one: so the
// forwarders are compared within a time in which the machine changes little.
const oneWayWindows = 3

// quickOver is how long --quick measures at a time.
const quickOver = 300 * time.Millisecond

// oneWay measures forwarders side by side: one direction, one core.
func (s *session) oneWay() (err error) {
	windows, over := oneWayWindows*s.rounds, s.over/oneWayWindows
	if s.quick {
		windows, over = min(s.rounds, 3), quickOver
	}
	lanes, err := s.lanes()
	defer func() {
		for _, l := range lanes {
			err = errors.Join(err, l.close())
		}
	}()
	if err != nil {
		return err
	}
	t := oneWayTable(windows, over)
	for _, octets := range tableSizes() {
		s.progress("  %d octets", octets)
		running, err := s.race(lanes, octets, windows, over)
		if err != nil {
			return err
		}
		for _, l := range running {
			addOneWay(&t, octets, l, running[0])
		}
	}
	t.Notes = append(t.Notes, s.cores.note())
	s.report.Tables = append(s.report.Tables, t)
	return nil
}

func oneWayTable(windows int, over time.Duration) Table {
	return Table{
		Name: "oneway", Title: "One direction, one core",
		Columns: columns("octets", "%d", "forwarder", "%s", "Mpps", "%.2f", "Gbit/s", "%.2f", "ns per frame", "%.0f", "ratio to testpmd", "%.2f", "quartiles", "%s"),
		Notes: []string{
			fmt.Sprintf("Medians of %d windows of %v, the forwarders in turns, the others frozen. Frames that came out at the far end per second of CPU time of the forwarder; Gbit/s of edge frames; the ratio is the median of the ratios of windows next to each other.", windows, over.Round(time.Millisecond)),
			fmt.Sprintf("CPU %d is the forwarder's. It pays for its own work, the kernel's copy and skb of each frame that is sent, and the XDP program of the interface at the far end. CPU %d has the generator in the kernel and pays for its frames, for XDP on the forwarder's interface and for the copy into its chunks (veth does the receiver's work on the sender's CPU).", deviceCPU, loadCPU),
			fmt.Sprintf("link Tx: edge to link with shim, FCS image and replay buffer; the partner answers one LLR_ACK for %d frames. link Rx: link to edge, numbers and FCS images checked, acknowledged. LLR off: both ports, frames as they are.", ackEvery),
			fmt.Sprintf("The generator's frames end at %d octets: link Rx is measured with edge frames of %d instead of 3400.", kernel.MaxSequence, kernel.MaxSequence),
		},
	}
}

func addOneWay(t *Table, octets int, l, base *lane) {
	pps, r := median(l.pps), ratios(l.pps, base.pps)
	t.add(octets, l.name, pps/1e6, pps*float64(octets)*8/1e9, 1e9/pps, median(r), quartiles(r))
}

// forwarders are what is measured, in the order of the table.
func (s *session) forwarders() []oneWay {
	list := []oneWay{
		s.testpmdWith(defaultMbuf, 0, defaultMbuf-mbufHead),
		s.testpmdWith(largeMbuf, defaultMbuf-mbufHead+1, 0),
		{name: "Open vSwitch", start: func(b *bed, dir string) (forwarder, error) {
			return startOpenVSwitch(b.device, deviceCPU, dir, [2]string{"edge0", "link0"})
		}, load: plainLoad, to: 2048 - 256},
	}
	for _, program := range s.uelinkds {
		name := "uelink"
		if len(s.uelinkds) > 1 {
			name = program
		}
		list = append(list,
			oneWay{name: name + ", LLR off", start: uelinkWith(program, "local: false, remote: false"), load: plainLoad},
			oneWay{name: name + " link Tx", start: uelinkWith(program, "local: false, remote: true"), load: txLoad},
			oneWay{name: name + " link Rx", start: uelinkWith(program, "local: true, remote: false"), load: rxLoad})
	}
	return list
}

func (s *session) testpmdWith(mbuf, from, to int) oneWay {
	return oneWay{name: "testpmd", start: func(b *bed, _ string) (forwarder, error) {
		return s.testpmd.start(b.device, deviceCPU, mbuf, "edge0", "link0")
	}, load: plainLoad, from: from, to: to}
}

// patient is a profile whose link never gives up: a frozen daemon is no fault.
const patient = "max_replay_count: 255"

func uelinkWith(program, llr string) func(*bed, string) (forwarder, error) {
	return func(b *bed, dir string) (forwarder, error) {
		return startDaemon(b.device, deviceCPU, dir, program, daemonConfig{llr: llr, profile: patient})
	}
}

// lanes starts all forwarders and freezes them. It returns them also with an error.
func (s *session) lanes() (lanes []*lane, err error) {
	for _, w := range s.forwarders() {
		l := &lane{oneWay: w}
		lanes = append(lanes, l)
		if err := l.open(s.newDir()); err != nil {
			return lanes, fmt.Errorf("%s: %w", w.name, err)
		}
		l.forwarder.freeze()
	}
	return lanes, nil
}

// race measures the lanes that take frames of a size side by side, in turns.
func (s *session) race(all []*lane, octets, windows int, over time.Duration) (lanes []*lane, err error) {
	for _, l := range all {
		if l.takes(octets) {
			lanes = append(lanes, l)
		}
	}
	defer func() {
		for _, l := range lanes {
			err = errors.Join(err, l.unload())
		}
	}()
	for _, l := range lanes {
		if err := l.prepare(octets); err != nil {
			return lanes, fmt.Errorf("%s, %d octets: %w", l.name, octets, err)
		}
	}
	for range windows {
		for _, l := range lanes {
			if err := s.Err(); err != nil {
				return lanes, err
			}
			var w stretch
			err := s.cores.measure(func() (err error) { w, err = l.round(over); return err })
			if err != nil {
				return lanes, fmt.Errorf("%s, %d octets: %w", l.name, octets, err)
			}
			l.pps = append(l.pps, w.perCPUSecond())
		}
	}
	return lanes, nil
}
