package main

import (
	"errors"
	"fmt"
	"time"

	"uelink/cable"
	"uelink/dataplane/fault"
)

// lossWindows is how many short windows on each wire a round has instead of a long
// one: so a bad wire is compared with clean ones within a time in which the machine
// changes little.
const lossWindows = 3

// lossOctets is the length of the frames that cross a bad wire.
const lossOctets = 1500

// badWires are the wires of the table: what is lost, by itself and in bursts.
func badWires() (list []fault.Config) {
	for _, burst := range []float64{1, 8} {
		for _, loss := range []float64{1e-4, 1e-3, 1e-2} {
			list = append(list, fault.Config{Loss: loss, Burst: burst})
		}
	}
	return list
}

// overWire is what a link carried over one wire, one entry for each time.
type overWire struct {
	pps, cpu []float64
	toClean  []float64 // pps to that of the clean wires before and after
}

func (o *overWire) add(w window) {
	o.pps, o.cpu = append(o.pps, w.pps()), append(o.cpu, w.perFrame())
}

// loss measures what a link carries over bad wires.
func (s *session) loss() error {
	wires := badWires()
	clean, lossy := &overWire{}, make([]overWire, len(wires))
	var delivered uint64
	for round := range s.rounds {
		n, err := s.lossRound(uint64(round), wires, clean, lossy)
		if err != nil {
			return err
		}
		delivered += n
		s.progress("  round %d", round+1)
	}
	s.reportLoss(wires, clean, lossy, delivered)
	return nil
}

// lossRound has a pair of daemons of its own carry frames over every wire, and over
// a clean one before and after each time. It says how many were delivered.
func (s *session) lossRound(round uint64, wires []fault.Config, clean *overWire, lossy []overWire) (delivered uint64, err error) {
	c, err := s.wired("loss", eager)
	defer func() { err = errors.Join(err, c.close()) }()
	if err != nil {
		return 0, err
	}
	before, err := s.over1(c, fault.Config{})
	if err != nil {
		return 0, err
	}
	clean.add(before)
	for k := range lossWindows * len(wires) {
		i := k % len(wires)
		bad := wires[i]
		bad.Seed = round*uint64(lossWindows*len(wires)) + uint64(k)
		w, err := s.over1(c, bad)
		if err != nil {
			return 0, fmt.Errorf("loss %g, bursts of %g: %w", bad.Loss, bad.Burst, err)
		}
		after, err := s.over1(c, fault.Config{})
		if err != nil {
			return 0, err
		}
		clean.add(after)
		lossy[i].add(w)
		lossy[i].toClean = append(lossy[i].toClean, 2*w.pps()/(before.pps()+after.pps()))
		before = after
	}
	return s.settled(c)
}

// over1 has frames go round over one wire.
func (s *session) over1(c *circuit, bad fault.Config) (w window, err error) {
	if err := s.Err(); err != nil {
		return w, err
	}
	pull, err := c.plug(bad)
	if err != nil {
		return w, err
	}
	defer func() { err = errors.Join(err, pull()) }()
	if len(c.loads) == 0 {
		if err := c.up(); err != nil {
			return w, err
		}
		if err := c.feed(circulating, lossOctets, false); err != nil {
			return w, err
		}
	}
	if err := c.moving(); err != nil {
		return w, err
	}
	return c.watch(s.over / lossWindows)
}

// plug lays a wire of the kernel, until pull is called.
func (c *circuit) plug(bad fault.Config) (pull func() error, err error) {
	var between *cable.Cable
	err = c.wire.Do(func() (err error) {
		between, err = cable.Open(cable.Config{A: "wireA", B: "wireB", Fault: bad, Mode: cable.ModeKernel})
		return err
	})
	if err != nil {
		return nil, err
	}
	return between.Close, nil
}

// settled has the frames come to rest over a good wire, all of them in order, and
// says how many were delivered.
func (s *session) settled(c *circuit) (delivered uint64, err error) {
	pull, err := c.plug(fault.Config{})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, pull()) }()
	m, err := c.now()
	if err != nil {
		return 0, err
	}
	return m.frames, c.drain()
}

func (s *session) reportLoss(wires []fault.Config, clean *overWire, lossy []overWire, delivered uint64) {
	t := Table{
		Name: "loss", Title: "Goodput over a wire that loses frames",
		Columns: columns("loss of the wire", "%g", "in bursts of", "%g", "Mpps, both ways", "%.3f", "Gbit/s, both ways", "%.2f", "CPU ns per frame, both ends", "%.0f", "goodput to clean", "%.3f", "quartiles", "%s", "effective loss", "%.0f"),
		Notes: []string{
			fmt.Sprintf("Medians of %d windows of %v, %d with each pair of daemons, the wires in turns and a clean one between any two; the ratio is the median of those to the clean wires before and after. %d frames of %d octets go round over a cable in the kernel that loses both ways, control frames too.", lossWindows*s.rounds, (s.over / lossWindows).Round(time.Millisecond), lossWindows, circulating, lossOctets),
			fmt.Sprintf("Effective loss is exact: after %d frames were delivered, all that went round were there, none twice, none out of order.", delivered),
			"CPU 0 has A, its host and its half of the wire, CPU 1 those of B. Profile: `" + eager + "`.",
		},
	}
	row := func(loss, burst float64, o *overWire, ratio float64, spread any) {
		rate := median(o.pps)
		t.add(loss, burst, rate/1e6, rate*lossOctets*8/1e9, median(o.cpu), ratio, spread, 0.0)
	}
	plot := Plot{Name: "loss", Title: "Goodput over a wire that loses frames", X: "share of frames lost on the wire", Y: "goodput, 1 = clean wire", LogX: true,
		Series: []Series{{Name: "single losses"}, {Name: "bursts of 8"}}}
	row(0, 1, clean, 1, nil)
	for i, bad := range wires {
		ratio := median(lossy[i].toClean)
		row(bad.Loss, bad.Burst, &lossy[i], ratio, quartiles(lossy[i].toClean))
		line := &plot.Series[i/3]
		line.Points = append(line.Points, Point{bad.Loss, ratio})
	}
	s.report.Tables, s.report.Plots = append(s.report.Tables, t), append(s.report.Plots, plot)
}
