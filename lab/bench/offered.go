package main

import (
	"errors"

	"uelink/lab/bench/kernel"
)

// offered is several forwarders under the same load, and their results by lane.
type offered struct {
	offer
	spin  string // the daemons' setting spin, as the table shows it
	lanes []*lane
	turns turns[stretch]
	costs []memory
}

// memory is the memory that a daemon uses; nil figures for other forwarders.
type memory struct {
	// Objects allocated before the first frame, read twice. The difference is the cost of a reading.
	idle                [2]float64
	megabytes, perFrame any // resident memory, and objects allocated for a frame
}

// measure measures all forwarders of the list in turns under this load, and the memory that each daemon uses. The
// results are kept for row.
func (o *offered) measure(s *session) (err error) {
	defer func() {
		for _, l := range o.lanes {
			err = errors.Join(err, l.unload())
		}
	}()
	o.costs = make([]memory, len(o.lanes))
	for i, l := range o.lanes {
		if err := l.spread(&o.costs[i], o.offer); err != nil {
			return err
		}
	}
	if o.turns, err = inTurns(s, len(o.lanes), linkWindows*s.rounds, func(i, _ int) (stretch, error) {
		return o.lanes[i].round(s.linksOver())
	}); err != nil {
		return err
	}
	for i, l := range o.lanes {
		if err := l.memory(&o.costs[i]); err != nil {
			return err
		}
	}
	return nil
}

// row returns the cells of one row of the table: forwarder i under this load, and the ratio of its CPU time to that of
// the same forwarder with one link. Only windows measured at the given distance between the CPUs (regime) count; if
// these are too few, all windows do.
func (o *offered) row(in regime, i int) []any {
	l, single := o.lanes[i], i
	for o.lanes[single].links > 1 {
		single-- // the lanes of a forwarder are consecutive, fewest links first
	}
	rounds, astray := o.turns.count(in, i, single)
	cpu := o.turns.values(i, rounds, stretch.perFrame)
	to := ratios(cpu, o.turns.values(single, rounds, stretch.perFrame))
	return []any{o.String(), l.name, o.spin, l.links, median(o.turns.values(i, rounds, stretch.pps)) / 1e6, median(cpu),
		median(to), quartiles(to), windows(rounds, astray), o.costs[i].megabytes, o.costs[i].perFrame}
}

// spread sets the load o of the forwarder up, and stores in m.idle how many objects a daemon has allocated so far
// (read twice; nothing for other forwarders).
func (l *lane) spread(m *memory, o offer) (err error) {
	l.forwarder.thaw()
	defer l.forwarder.freeze()
	far := l.bed.sink
	if l.name == linksTx {
		far = l.bed.receiver(l.forwarder.(*daemon))
	}
	frame, acknowledged := kernel.Frame(linksOctets), min(ackEvery, o.burst)
	if l.load, err = l.bed.spread(far, l.links, o.spread(), frame, acknowledged); err != nil {
		return err
	}
	if _, ok := l.forwarder.(*daemon); !ok {
		return nil
	}
	if err := l.awaitLive(); err != nil {
		return err
	}
	for i := range m.idle {
		if m.idle[i], err = mallocs(l.bed.device); err != nil {
			return err
		}
	}
	return nil
}

// memory reads the memory of a daemon after its windows, and stores resident megabytes and allocated objects for
// each frame in m. For forwarders other than daemons it does nothing.
func (l *lane) memory(m *memory) error {
	d, ok := l.forwarder.(*daemon)
	if !ok {
		return nil
	}
	d.thaw()
	defer d.freeze()
	octets, err := resident(d.Cmd.Process.Pid)
	if err != nil {
		return err
	}
	objects, err := mallocs(l.bed.device)
	if err != nil {
		return err
	}
	frames, err := l.load.far.counted()
	m.megabytes = float64(octets) / 1e6
	// The reading just now has allocated as much as the second reading before the first frame: idle[1] - idle[0].
	m.perFrame = max(0, objects-m.idle[1]-(m.idle[1]-m.idle[0])) / float64(frames.Frames)
	return err
}
