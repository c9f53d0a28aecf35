package main

import (
	"errors"
	"fmt"

	"uelink/dataplane/fault"
	"uelink/lab/bench/report"
	"uelink/lab/cable"
)

// lossWindows is how many short windows on each wire a round has instead of a long one, so that a bad wire is
// compared with clean wires while the machine changes little.
const lossWindows = 3

// lossOctets is the length of frames over a bad wire.
const lossOctets = 1500

// badWires returns the faults of the wires in the table of losses: three shares of lost frames, each as single
// losses and in bursts of 8.
func badWires() (list []fault.Config) {
	for _, burst := range []float64{1, 8} {
		for _, loss := range []float64{1e-4, 1e-3, 1e-2} {
			list = append(list, fault.Config{Loss: loss, Burst: burst})
		}
	}
	return list
}

// overWire is a window over a wire. toClean is its rate as a share of the mean rate over the clean wires before and
// after.
type overWire struct {
	window
	toClean float64
}

// loss runs the experiment "loss" and adds its table and plot to the report: the goodput of a link over wires that
// lose frames.
func (s *session) loss() error {
	wires := badWires()
	t := make(turns[overWire], 1+len(wires)) // results by wire: the clean wire, then the bad wires
	var delivered uint64
	for round := range s.rounds {
		n, err := s.lossRound(uint64(round), wires, t)
		if err != nil {
			return err
		}
		delivered += n
		s.progress("  round %d", round+1)
	}
	s.reportLoss(wires, t, delivered)
	return nil
}

// lossRound starts two new daemons and measures a window over every wire, with a window over a clean wire before
// and after each. It appends the results to t (by wire, the clean wire first) and returns how many frames were
// delivered. A lost frame is an error.
func (s *session) lossRound(round uint64, wires []fault.Config, t turns[overWire]) (delivered uint64, err error) {
	c, err := s.wired("loss", s.replaying(eager))
	defer func() { err = errors.Join(err, c.close()) }()
	if err != nil {
		return 0, err
	}
	before, err := s.timedOver(c, fault.Config{})
	if err != nil {
		return 0, err
	}
	// A window over the clean wire has the ratio 1 to the clean wire.
	t[0] = append(t[0], turn[overWire]{overWire{before.did, 1}, before.in})
	for k := range uint64(lossWindows) {
		for _, i := range order(len(wires), int(round*lossWindows+k)) {
			bad := wires[i]
			bad.Seed = (round*lossWindows+k)*uint64(len(wires)) + uint64(i)
			w, err := s.timedOver(c, bad)
			if err != nil {
				return 0, fmt.Errorf("loss %g, bursts of %g: %w", bad.Loss, bad.Burst, err)
			}
			after, err := s.timedOver(c, fault.Config{})
			if err != nil {
				return 0, err
			}
			t[0] = append(t[0], turn[overWire]{overWire{after.did, 1}, after.in})
			t[1+i] = append(t[1+i], besideClean(before, w, after))
			before = after
		}
	}
	return s.settled(c)
}

// besideClean returns window w, measured over a bad wire, with its rate as a share of the mean rate of the windows
// before and after, measured over clean wires. The result's regime (distance of the CPUs) is the regime of all three
// windows; if the regimes differ, the result has the regime changed.
func besideClean(before, w, after turn[window]) turn[overWire] {
	did := overWire{w.did, 2 * w.did.pps() / (before.did.pps() + after.did.pps())}
	if before.in != w.in || after.in != w.in {
		return turn[overWire]{did, changed}
	}
	return turn[overWire]{did, w.in}
}

// timedOver measures a window of the circuit over a wire with faults, and records in which regime (distance of the
// CPUs) the window was measured.
func (s *session) timedOver(c *circuit, bad fault.Config) (w turn[window], err error) {
	w.in, err = s.cores.measure(func() (err error) { w.did, err = s.windowOver(c, bad); return err })
	return w, err
}

// windowOver puts a wire with faults between the two ends, waits until frames circulate, measures one window and
// takes the wire out again. The first call for a circuit waits for LLR and starts the circulation.
func (s *session) windowOver(c *circuit, bad fault.Config) (w window, err error) {
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
		if err := c.feed(circulating, lossOctets); err != nil {
			return w, err
		}
	}
	if err := c.moving(); err != nil {
		return w, err
	}
	return c.watch(s.over / lossWindows)
}

// plug puts a cable with the faults bad, which works within the kernel, between the links of A and B, and returns pull,
// which takes it out again.
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

// settled puts a good wire between the links, stops the circulation and returns how many frames the hosts have
// received in all. It returns an error unless every circulating frame is there, in order.
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

// lossTable returns the table of losses without rows: title, columns and notes. delivered, the number of all
// frames delivered, stands in a note.
func (s *session) lossTable(delivered uint64) report.Table {
	return report.Table{
		Name: "loss", Title: "Goodput over a wire that loses frames",
		Columns: report.Columns("loss of the wire", "%g", "in bursts of", "%g", "Mpps, both ways", "%.3f",
			"Gbit/s, both ways", "%.2f",
			"CPU ns per frame, both ends", "%.0f", "paired goodput, 1 = clean wire", "%.3f", "quartiles", "%s",
			"windows", "%d", "effective loss", "%.0f"),
		Notes: []string{
			fmt.Sprintf("Medians of %d windows of %v, %d with each pair of daemons. The wires come in turns, in a "+
				"different order each time, with a clean wire between any two. The paired goodput is the median, "+
				"with quartiles, of the ratios to the clean wires before and after; the ratio of the medians in the "+
				"table differs. %d frames of %d octets go round over a cable in the kernel that loses frames both "+
				"ways, control frames too.",
				lossWindows*s.rounds, (s.over / lossWindows).Round(millisecond), lossWindows, circulating, lossOctets),
			fmt.Sprintf("Effective loss is exact: after %d delivered frames all frames that went round were there, "+
				"none twice, none out of order.", delivered),
			"CPU 0 runs A, the host of A and half of the wire, CPU 1 runs B, the host of B and the other half. Profile: `" + s.replaying(eager) + "`.",
		},
	}
}

// reportLoss adds the table, with a row for each wire, and its plot to the report. measured has the clean wire first,
// then the wires in their order; a line of the plot has three of them.
func (s *session) reportLoss(wires []fault.Config, measured turns[overWire], delivered uint64) {
	t := s.lossTable(delivered)
	plot := report.Plot{Name: "loss", Title: "Goodput over a wire that loses frames",
		X: "share of frames lost on the wire", Y: "goodput, 1 = clean wire", LogX: true,
		Series: []report.Series{{Name: "single losses"}, {Name: "bursts of 8"}}}
	for i, wire := range append([]fault.Config{{Burst: 1}}, wires...) {
		rounds, astray := measured.count(s.cores.prevailing(), i)
		rate := median(measured.values(i, rounds, func(w overWire) float64 { return w.pps() }))
		cpu := median(measured.values(i, rounds, func(w overWire) float64 { return w.perFrame() }))
		toClean := measured.values(i, rounds, func(w overWire) float64 { return w.toClean })
		t.Add(wire.Loss, wire.Burst, rate/1e6, rate*lossOctets*8/1e9, cpu, median(toClean), quartiles(toClean),
			windows(rounds, astray), 0.0)
		if i > 0 {
			line := &plot.Series[(i-1)/3]
			line.Points = append(line.Points, report.Point{wire.Loss, median(toClean)})
		}
	}
	t.Notes = append(t.Notes, s.cores.note())
	s.report.Add(t, plot)
}
