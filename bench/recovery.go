package main

import (
	"errors"
	"fmt"
	"time"

	"uelink/bench/kernel"
)

// loseOne of so many data frames, where the recovery of lost frames is timed.
const loseOne = 1000

// recovery measures how long a lost frame is late.
func (s *session) recovery() error {
	t := Table{
		Name: "recovery", Title: "From the loss of a frame to its delivery",
		Columns: columns("lost", "%s", "frames going round", "%d", "losses", "%d", "p50 µs", "%.0f", "p99 µs", "%.0f", "clean round p50 µs", "%.0f", "clean round p99 µs", "%.0f", "p99 to clean p99", "%.2f"),
		Notes: []string{
			fmt.Sprintf("The wire, an XDP program, loses one data frame of %d from A to B and notes when; host B's notes when it has it. The last frame: the only one that goes round, so that nothing after it shows the gap, and the replay timer (`max_replay_timer`, here the default) brings it back.", loseOne),
			fmt.Sprintf("Medians of %d rounds, lossy and clean ones in turns; a clean round is there and back through both ends over the same wire under the same load. A is on CPU 0, B on CPU 1.", s.rounds),
		},
	}
	for _, c := range []struct {
		lost          string
		frames, every int
	}{{"one of many", loaded, loseOne}, {"one of many", circulating, loseOne}, {"the last one", 1, 10}} {
		s.progress("  %s of %d", c.lost, c.frames)
		if err := s.recover(&t, c.lost, c.frames, c.every); err != nil {
			return err
		}
	}
	s.report.Tables = append(s.report.Tables, t)
	return nil
}

// recover measures one row.
func (s *session) recover(t *Table, lost string, frames, every int) (err error) {
	c, err := s.wired("recovery", patient)
	defer func() { err = errors.Join(err, c.close()) }()
	if err != nil {
		return err
	}
	if err := c.feed(frames, echoOctets, true); err != nil {
		return err
	}
	var p50, p99, clean50, clean99 []float64
	var losses uint64
	for range s.rounds {
		clean, _, err := c.losing(0, s.over)
		if err != nil {
			return err
		}
		_, late, err := c.losing(every, s.over)
		if err != nil {
			return err
		}
		clean50, clean99 = append(clean50, micro(clean.rounds.Quantile(0.5))), append(clean99, micro(clean.rounds.Quantile(0.99)))
		p50, p99 = append(p50, micro(late.Quantile(0.5))), append(p99, micro(late.Quantile(0.99)))
		losses += late.Count()
	}
	t.add(lost, frames, losses, median(p50), median(p99), median(clean50), median(clean99), median(ratios(p99, clean99)))
	return errors.Join(c.loads[1].LoseEvery(0), c.drain())
}

// losing watches a circuit while its wire loses one frame of so many, and how long
// those were late.
func (c *circuit) losing(every int, over time.Duration) (window, *kernel.Times, error) {
	if err := c.loads[1].LoseEvery(every); err != nil {
		return window{}, nil, err
	}
	if err := c.moving(); err != nil {
		return window{}, nil, err
	}
	before, err := c.loads[1].Recoveries()
	if err != nil {
		return window{}, nil, err
	}
	w, err := c.watch(over)
	if err != nil {
		return w, nil, err
	}
	after, err := c.loads[1].Recoveries()
	if err != nil {
		return w, nil, err
	}
	after.Sub(before)
	return w, after, nil
}

// wired is a circuit of two daemons with LLR and a wire between them that has yet
// to be laid. It is returned also with an error.
func (s *session) wired(name, profile string) (*circuit, error) {
	return s.wiredWith(name, reliable(profile))
}

// wiredWith is the same of daemons with a configuration.
func (s *session) wiredWith(name string, config daemonConfig) (*circuit, error) {
	c, err := newCircuit(name)
	if err != nil {
		return &circuit{}, err // it has closed itself
	}
	return c, c.start(s.daemons(config))
}
