package main

import (
	"errors"
	"fmt"

	"uelink/dataplane/fault"
)

// swept is one setting that a daemon is measured with, at several values.
type swept struct {
	name    string
	values  []int
	usual   int // the default, which the others are compared with
	config  func(value int) daemonConfig
	results map[int]*sweptAt
}

// sweptAt is what came of one value in each round.
type sweptAt struct {
	pps  map[int][]float64 // for a CPU second, by octets
	lost []float64         // frames a second over a wire that loses frames
}

func sweeps() []swept {
	return []swept{
		{name: "ring_size", values: []int{256, 512, 1024, 2048, 4096}, usual: 1024, config: func(v int) daemonConfig {
			return daemonConfig{profile: patient, port: fmt.Sprintf(", ring_size: %d", v)}
		}},
		{name: "max_outstanding_frames", values: []int{64, 128, 256, 512, 1024}, usual: 512, config: func(v int) daemonConfig {
			return daemonConfig{profile: fmt.Sprintf("%s, max_outstanding_frames: %d", patient, v)}
		}},
	}
}

// sweepSizes are octets of the frames, and sweepWire loses some of the longer.
func sweepSizes() []int       { return []int{64, 1500} }
func sweepWire() fault.Config { return fault.Config{Loss: 1e-3} }

// sweep measures what rings and windows of other sizes than the default do.
func (s *session) sweep() error {
	for _, w := range sweeps() {
		w.results = map[int]*sweptAt{}
		for _, v := range w.values {
			w.results[v] = &sweptAt{pps: map[int][]float64{}}
		}
		s.progress("  %s", w.name)
		if err := s.sweepOneWay(w); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		if err := s.sweepLoss(w); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		s.reportSweep(w)
	}
	return nil
}

// sweepOneWay is link Tx, saturated, all values in turns.
func (s *session) sweepOneWay(w swept) (err error) {
	var lanes []*lane
	defer func() {
		for _, l := range lanes {
			err = errors.Join(err, l.close())
		}
	}()
	for _, v := range w.values {
		c := w.config(v)
		c.llr = "local: false, remote: true"
		l := &lane{oneWay: oneWay{name: fmt.Sprint(v), load: txLoad, start: func(b *bed, dir string) (forwarder, error) {
			return startDaemon(b.device, deviceCPU, dir, s.uelinkds[0], c)
		}}}
		lanes = append(lanes, l)
		if err := l.open(s.newDir()); err != nil {
			return err
		}
		l.forwarder.freeze()
	}
	for _, octets := range sweepSizes() {
		if _, err := s.race(lanes, octets, s.rounds, s.over); err != nil {
			return err
		}
		for i, v := range w.values {
			w.results[v].pps[octets] = lanes[i].pps
		}
	}
	return nil
}

// sweepLoss is frames that go round through two daemons, all values in turns.
func (s *session) sweepLoss(w swept) (err error) {
	var circuits []*circuit
	defer func() {
		for _, c := range circuits {
			err = errors.Join(err, c.close())
		}
	}()
	for _, v := range w.values {
		config := w.config(v)
		config.llr = "local: true, remote: true"
		c, err := s.wiredWith(fmt.Sprint("sweep", v), config)
		circuits = append(circuits, c)
		if err != nil {
			return err
		}
		c.freeze()
	}
	for round := range s.rounds {
		for i, c := range circuits {
			bad := sweepWire()
			bad.Seed = uint64(round*len(circuits) + i)
			c.thaw()
			got, err := s.over1(c, bad)
			c.freeze()
			if err != nil {
				return fmt.Errorf("%d: %w", w.values[i], err)
			}
			at := w.results[w.values[i]]
			at.lost = append(at.lost, got.pps())
		}
	}
	for i, c := range circuits {
		c.thaw()
		if _, err := s.settled(c); err != nil {
			return fmt.Errorf("%d: %w", w.values[i], err)
		}
		c.freeze()
	}
	return nil
}

func (s *session) reportSweep(w swept) {
	t := Table{
		Name: "sweep-" + w.name, Title: "Sweep: " + w.name,
		Columns: columns(w.name, "%d", "Mpps of 64 octets", "%.2f", "to default", "%.2f", "Mpps of 1500 octets", "%.2f", "to default", "%.2f",
			fmt.Sprintf("Mpps both ways, wire loss %g", sweepWire().Loss), "%.3f", "to default", "%.2f"),
		Notes: []string{
			fmt.Sprintf("Medians of %d rounds, the values in turns, the others frozen; ratios are medians of the rounds' ratios to %d, the default.", s.rounds, w.usual),
			fmt.Sprintf("64 and 1500 octets: edge to link with LLR (link Tx), as many frames as it takes, for each second of its CPU time. CPU %d is the daemon's and pays for the kernel's copy and skb of each frame and the partner's XDP program, CPU %d has the generator and pays for what comes in.", deviceCPU, loadCPU),
			fmt.Sprintf("Wire loss: %d frames of %d octets go round through two daemons over a cable in the kernel, and all of them are there and in order at the end; CPU 0 has A, its host and its half of the wire, CPU 1 those of B.", circulating, lossOctets),
		},
	}
	usual := w.results[w.usual]
	for _, v := range w.values {
		at, row := w.results[v], []any{v}
		for _, octets := range sweepSizes() {
			row = append(row, median(at.pps[octets])/1e6, median(ratios(at.pps[octets], usual.pps[octets])))
		}
		t.add(append(row, median(at.lost)/1e6, median(ratios(at.lost, usual.lost)))...)
	}
	s.report.Tables = append(s.report.Tables, t)
}
