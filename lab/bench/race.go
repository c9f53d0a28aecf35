package main

import (
	"errors"
	"fmt"

	"uelink/lab/bench/report"
)

// race is lanes side by side with frames of one size.
type race struct {
	octets   int
	lanes    []*lane
	turns    turns[stretch]
	lossless []turn[float64] // highest rate without loss of each lane; empty if not searched
}

// open starts each forwarder of the list in namespaces of its own and freezes it. The forwarders started so far
// are returned also with an error, and must be closed.
func (s *session) open(list []oneWay) (lanes []*lane, err error) {
	for _, w := range list {
		l := &lane{oneWay: w}
		lanes = append(lanes, l)
		if err := l.open(s.newDir()); err != nil {
			return lanes, fmt.Errorf("%s: %w", w.name, err)
		}
		l.forwarder.freeze()
	}
	return lanes, nil
}

func closeLanes(lanes []*lane) error {
	var problems []error
	for _, l := range lanes {
		problems = append(problems, l.close())
	}
	return errors.Join(problems...)
}

// prepared sets up the load of each forwarder that is measured with frames of a size in octets, and returns these
// forwarders, which must be unloaded also after an error.
func prepared(all []*lane, octets int) (lanes []*lane, err error) {
	for _, l := range all {
		if !l.fits(octets) {
			continue
		}
		lanes = append(lanes, l)
		if err := l.prepare(octets); err != nil {
			return lanes, fmt.Errorf("%s, %d octets: %w", l.name, octets, err)
		}
	}
	return lanes, nil
}

// unload removes the loads of forwarders.
func unload(lanes []*lane) error {
	var problems []error
	for _, l := range lanes {
		problems = append(problems, l.unload())
	}
	return errors.Join(problems...)
}

// race measures forwarders side by side, in turns, under a load of frames of a size in octets. Forwarders that are
// not for this size are left out. e is the number and length of windows, and whether the highest rates without
// loss are searched.
func (s *session) race(all []*lane, octets int, e effort) (r *race, err error) {
	r = &race{octets: octets}
	r.lanes, err = prepared(all, octets)
	defer func() { err = errors.Join(err, unload(r.lanes)) }()
	if err != nil {
		return r, err
	}
	r.turns, err = inTurns(s, len(r.lanes), e.windows, func(i, _ int) (stretch, error) {
		w, err := r.lanes[i].round(e.over)
		if err != nil {
			err = fmt.Errorf("%s, %d octets: %w", r.lanes[i].name, octets, err)
		}
		return w, err
	})
	if err == nil && e.search {
		err = r.search(s)
	}
	return r, err
}

// search finds, for each forwarder of the race, the highest rate without loss, and stores it in r.lossless.
func (r *race) search(s *session) error {
	in := s.cores.prevailing()
	r.lossless = make([]turn[float64], len(r.lanes))
	for i, l := range r.lanes {
		if err := s.Err(); err != nil {
			return err
		}
		rounds, _ := r.turns.count(in, i)
		top := searchAbove * median(r.turns.values(i, rounds, stretch.perCPUSecond))
		observed, err := s.cores.measure(func() (err error) { r.lossless[i].did, err = l.lossless(top); return err })
		if err != nil {
			return fmt.Errorf("%s, %d octets, rate without loss: %w", l.name, r.octets, err)
		}
		r.lossless[i].in = observed
	}
	return nil
}

// medians returns the median rate of each forwarder, in frames for a second of its CPU time. Only windows measured at
// the given distance between the CPUs (regime) count; if these are too few, all windows do.
func (r *race) medians(in regime) (list []float64) {
	for i := range r.lanes {
		rounds, _ := r.turns.count(in, i)
		list = append(list, median(r.turns.values(i, rounds, stretch.perCPUSecond)))
	}
	return list
}

// raceColumns returns the columns of a table with a row for each forwarder and frame size. base is the name of the
// forwarder that the other forwarders' rates are divided by.
func raceColumns(e effort, base string) []report.Column {
	list := report.Columns("octets", "%d", "forwarder", "%s", "Mpps", "%.2f", "Gbit/s", "%.2f", "ns per frame", "%.0f")
	if e.search {
		list = append(list, report.Columns("Mpps without loss", "%.2f")...)
	}
	return append(list, report.Columns("sent live", "%.2f", "paired ratio of Mpps to "+base, "%.2f", "quartiles", "%s",
		"pairs of windows", "%d")...)
}

// row returns the cells of one row of the table: forwarder i of the race, and the ratio of its rate to that of
// forwarder 0. Only windows measured at the given distance between the CPUs (regime) count; if these are too few, all
// windows do.
func (r *race) row(in regime, e effort, i int) []any {
	rounds, astray := r.turns.count(in, i, 0)
	pps := r.turns.values(i, rounds, stretch.perCPUSecond)
	rate := median(pps)
	cells := []any{r.octets, r.lanes[i].name, rate / 1e6, rate * float64(r.octets) * 8 / 1e9, 1e9 / rate}
	if e.search {
		cells = append(cells, r.withoutLoss(in, i))
	}
	if _, isDaemon := r.lanes[i].forwarder.(*daemon); isDaemon {
		cells = append(cells, median(r.turns.values(i, rounds, stretch.liveShare)))
	} else {
		cells = append(cells, nil)
	}
	to := ratios(pps, r.turns.values(0, rounds, stretch.perCPUSecond))
	return append(cells, median(to), quartiles(to), windows(rounds, astray))
}

// withoutLoss returns the table cell with the highest rate without loss of forwarder i, in Mpps. The cell has a mark if
// the rate was measured in another regime (distance between the CPUs) than the given regime.
func (r *race) withoutLoss(in regime, i int) any {
	found := r.lossless[i]
	if found.in != in {
		return report.Marked{Figure: found.did / 1e6}
	}
	return found.did / 1e6
}

// raceNotes returns the notes below a table that has a row for each forwarder: how it was measured, and on which
// CPUs.
func raceNotes(e effort) []string {
	notes := []string{
		fmt.Sprintf("Medians of windows of %v, %d or more for each forwarder. The forwarders run in turns, in a "+
			"different order each round, and idle forwarders are frozen. Mpps: frames received at the far end for a "+
			"second of the forwarder's CPU time; Gbit/s: the bits of the edge frames.",
			e.over.Round(millisecond), e.windows) + " " + pairedNote,
		fmt.Sprintf("CPU %d runs the forwarder, the kernel's copy and skb of each sent frame, and the XDP program "+
			"of the interface at the far end. CPU %d runs the generator in the kernel, XDP on the forwarder's "+
			"interface, and the copy into the forwarder's chunks: veth does the receiver's work on the sender's "+
			"CPU.", deviceCPU, loadCPU),
	}
	if e.search {
		notes = append(notes, losslessNote())
	}
	return notes
}

// pairedNote explains the paired ratio.
const pairedNote = "A paired ratio compares two windows of the same round, because the machine changes from round to " +
	"round: the median over all rounds, with quartiles. The ratio of the medians in the table differs."
