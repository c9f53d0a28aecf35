package main

import (
	"errors"
	"fmt"
	"time"

	"uelink/lab/bench/kernel"
	"uelink/lab/bench/report"
)

// loseOne is how many data frames there are to each lost frame, in recoveries under load.
const loseOne = 1000

// recovering is a row of the table: frames that circulate while the wire loses some.
type recovering struct {
	lost          string
	frames, every int
	turns         turns[recovery] // clean rounds and lossy ones
}

// recovery is times of one round: round trips over a clean wire, or times from loss to delivery over a lossy wire.
type recovery struct{ times *kernel.Times }

func (s *session) recoveryTable() report.Table {
	return report.Table{
		Name: "recovery", Title: "From the loss of a frame to its delivery",
		Columns: report.Columns("lost", "%s", "frames going round", "%d", "losses", "%d", "p50 µs", "%.0f",
			"p99 µs", "%.0f", "clean round p50 µs", "%.0f", "clean round p99 µs", "%.0f", "paired p99 to clean p99", "%.2f",
			"quartiles", "%s", "pairs of windows", "%d"),
		Notes: []string{
			fmt.Sprintf("The wire, an XDP program, loses one data frame of %d from A to B and notes when; host B's "+
				"notes when it has it. The last frame: the only one that goes round, so that nothing after it shows "+
				"the gap, and the replay timer (`max_replay_timer`, here the default) brings it back.", loseOne),
			fmt.Sprintf("Medians of %d rounds or more, lossy and clean ones in turns, each first in its turn; a "+
				"clean round is there and back through both ends over the same wire under the same load. A is on "+
				"CPU 0, B on CPU 1. ", s.rounds) + pairedNote,
		},
	}
}

// recovery measures the time from the loss of a frame to its delivery.
func (s *session) recovery() error {
	t := s.recoveryTable()
	list := []*recovering{
		{lost: "one of many", frames: loaded, every: loseOne},
		{lost: "one of many", frames: circulating, every: loseOne},
		{lost: "the last one", frames: 1, every: 10},
	}
	for _, r := range list {
		s.progress("  %s of %d", r.lost, r.frames)
		if err := r.measure(s); err != nil {
			return err
		}
	}
	for _, r := range list {
		t.Add(r.row(s.cores.prevailing())...)
	}
	t.Notes = append(t.Notes, s.cores.note())
	s.report.Add(t)
	return nil
}

// measure measures one row.
func (r *recovering) measure(s *session) (err error) {
	c, err := s.wired("recovery", patient)
	defer func() { err = errors.Join(err, c.close()) }()
	if err != nil {
		return err
	}
	if err := c.feed(r.frames, echoOctets, true); err != nil {
		return err
	}
	if r.turns, err = inTurns(s, 2, s.rounds, func(i, _ int) (recovery, error) {
		clean, late, err := c.losing(i*r.every, s.over)
		if i == 0 {
			return recovery{clean.rounds}, err
		}
		return recovery{late}, err
	}); err != nil {
		return err
	}
	return errors.Join(c.loads[1].LoseEvery(0), c.drain())
}

func (r *recovering) row(in regime) []any {
	const clean, lossy = 0, 1
	rounds, astray := r.turns.count(in, clean, lossy)
	at := func(i int, share float64) []float64 {
		return r.turns.values(i, rounds, func(w recovery) float64 { return micro(w.times.Quantile(share)) })
	}
	var losses uint64
	for _, round := range rounds {
		losses += r.turns[lossy][round].did.times.Count()
	}
	to := ratios(at(lossy, 0.99), at(clean, 0.99))
	return []any{r.lost, r.frames, losses, median(at(lossy, 0.5)), median(at(lossy, 0.99)),
		median(at(clean, 0.5)), median(at(clean, 0.99)), median(to), quartiles(to), windows(rounds, astray)}
}

// losing measures a window while the wire loses one frame of every, and the times from loss to delivery.
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

// wired makes a circuit of two daemons with LLR. The caller still has to plug a cable in. The circuit is returned
// also with an error.
func (s *session) wired(name, profile string) (*circuit, error) {
	return s.wiredWith(name, reliable(profile))
}

// wiredWith makes a circuit as wired does, of daemons with a configuration.
func (s *session) wiredWith(name string, config daemonConfig) (*circuit, error) {
	c, err := newCircuit(name)
	if err != nil {
		return &circuit{}, err // the circuit has been closed
	}
	return c, c.start(s.daemons(config))
}
