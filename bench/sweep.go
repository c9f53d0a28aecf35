package main

import (
	"errors"
	"fmt"
	"slices"

	"uelink/bench/report"
	"uelink/dataplane/fault"
)

// swept is one setting that a daemon is measured with, at several values.
type swept struct {
	name   string
	values []int
	usual  int // the default, which the others are compared with
	config func(value int) daemonConfig
	oneWay []*race       // of each size of frames
	lost   turns[window] // over a wire that loses frames
}

func sweeps() []swept {
	return []swept{
		{name: "ring_size", values: []int{256, 512, 1024, 2048, 4096}, usual: 1024, config: func(v int) daemonConfig {
			return daemonConfig{profile: patient, port: fmt.Sprintf(", ring_size: %d, rx_ring_size: %d", v, v)}
		}},
		{name: "max_outstanding_frames", values: []int{64, 128, 256, 512, 1024}, usual: 512,
			config: func(v int) daemonConfig {
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
		s.progress("  %s", w.name)
		if err := s.sweepOneWay(&w); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		if err := s.sweepLoss(&w); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		s.reportSweep(w)
	}
	return nil
}

// sweepOneWay is link Tx, saturated, all values in turns.
func (s *session) sweepOneWay(w *swept) error {
	var list []oneWay
	for _, v := range w.values {
		c := w.config(v)
		c.llr = "local: false, remote: true"
		start := func(b *bed, dir string) (forwarder, error) {
			return startDaemon(b.device, deviceCPU, dir, s.uelinkds[0], c)
		}
		list = append(list, oneWay{name: fmt.Sprint(v), load: txLoad, start: start})
	}
	races, err := s.races(list, sweepSizes(), effort{windows: s.rounds, over: s.over})
	w.oneWay = races
	return err
}

// sweepLoss is frames that go round through two daemons, all values in turns.
func (s *session) sweepLoss(w *swept) (err error) {
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
	if w.lost, err = inTurns(s, len(circuits), s.rounds, func(i, round int) (window, error) {
		bad := sweepWire()
		bad.Seed = uint64(round*len(circuits) + i)
		circuits[i].thaw()
		defer circuits[i].freeze()
		got, err := s.windowOver(circuits[i], bad)
		if err != nil {
			err = fmt.Errorf("%d: %w", w.values[i], err)
		}
		return got, err
	}); err != nil {
		return err
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
	t := report.Table{
		Name: "sweep-" + w.name, Title: "Sweep: " + w.name,
		Columns: report.Columns(w.name, "%d", "Mpps of 64 octets", "%.2f", "paired ratio to default", "%.2f",
			"quartiles", "%s",
			"Mpps of 1500 octets", "%.2f", "paired ratio to default", "%.2f", "quartiles", "%s",
			fmt.Sprintf("Mpps both ways, wire loss %g", sweepWire().Loss), "%.3f", "paired ratio to default", "%.2f",
			"quartiles", "%s"),
		Notes: []string{
			fmt.Sprintf("Medians of %d rounds or more, the values in turns, each round in another order, the others "+
				"frozen; ratios to %d, the default. ",
				s.rounds, w.usual) + pairedNote,
			fmt.Sprintf("64 and 1500 octets: edge to link with LLR (link Tx), as many frames as it takes, for each "+
				"second of its CPU time. CPU %d is the daemon's and pays for the kernel's copy and skb of each "+
				"frame and the partner's XDP program, CPU %d has the generator and pays for what comes in.",
				deviceCPU, loadCPU),
			fmt.Sprintf("Wire loss: %d frames of %d octets go round through two daemons over a cable in the kernel, "+
				"and all of them are there and in order at the end; CPU 0 has A, its host and its half of the wire, "+
				"CPU 1 those of B.", circulating, lossOctets),
		},
	}
	in, usual := s.cores.prevailing(), slices.Index(w.values, w.usual)
	for i, v := range w.values {
		row := []any{v}
		for _, r := range w.oneWay {
			row = append(row, beside(r.turns, in, i, usual, stretch.perCPUSecond)...)
		}
		t.Add(append(row, beside(w.lost, in, i, usual, windowPPS)...)...)
	}
	t.Notes = append(t.Notes, s.cores.note())
	s.report.Add(t)
}

// beside is the median of a rate, in millions a second, its paired ratio to that of another
// contestant, and the quartiles of that.
func beside[W any](t turns[W], in regime, i, other int, of func(W) float64) []any {
	rounds, _ := t.count(in, i, other)
	rate := t.values(i, rounds, of)
	to := ratios(rate, t.values(other, rounds, of))
	return []any{median(rate) / 1e6, median(to), quartiles(to)}
}
