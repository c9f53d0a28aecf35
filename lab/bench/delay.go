package main

import (
	"errors"
	"fmt"
	"time"

	"uelink/lab/bench/kernel"
	"uelink/lab/bench/report"
)

// Parameters of the table of delays.
const (
	delayWindows = 7                      // number of windows for each forwarder, frame size and load
	delayOver    = 150 * time.Millisecond // length of a window
)

// delayShares returns the loads, in percent of the highest rate at which the slowest forwarder loses nothing.
func delayShares() []int { return []int{10, 50, 90} }

// delaySizes returns the frame sizes of the table of delays, in octets of edge frames.
func delaySizes() []int { return []int{64, 1500} }

// Numbers of the forwarders in the table of delays: daemons without LLR (Off) and LLR senders (Tx). Each is compared
// with the daemon of the same role that sends all frames by AF_XDP (XDP).
const (
	delayOffXDP = iota
	delayOff
	delayTxXDP
	delayTx
	delayTestpmd // first testpmd; all higher numbers are testpmd, too
)

// byAFXDP returns the number of the forwarder that forwarder i of the table of delays is compared with.
func byAFXDP(i int) int {
	if i < delayTxXDP {
		return delayOffXDP
	}
	return delayTxXDP
}

// timed is the result of frames sent at a rate: how many were lost, the delays of the others, and the share that left
// live.
type timed struct {
	trial
	delays *kernel.Times
	live   float64
}

// within returns a function that returns, for a window, the delay in µs that a share (0 to 1) of its frames did not
// exceed.
func within(share float64) func(timed) float64 {
	return func(w timed) float64 { return micro(w.delays.Quantile(share)) }
}

// delay runs the experiment "delay" and adds its table to the report: how long frames take through a forwarder, from
// the generator to the far end, at shares of the rate that it can carry, by AF_XDP and as live frames.
func (s *session) delay() (err error) {
	lanes, err := s.open(s.delayed())
	defer func() { err = errors.Join(err, closeLanes(lanes)) }()
	if err != nil {
		return err
	}
	t := s.delayTable()
	for _, octets := range delaySizes() {
		s.progress("  %d octets", octets)
		if err := s.delaysOf(&t, lanes, octets); err != nil {
			return err
		}
	}
	t.Notes = append(t.Notes, s.ringsNote(), s.cores.note())
	s.report.Add(t)
	return nil
}

// delayed returns the forwarders of the table of delays: the daemons by their numbers, then testpmd.
func (s *session) delayed() (list []oneWay) {
	daemon := func(name, llr, path string, load loader) oneWay {
		path = ", tx_path: " + path
		return oneWay{name: name, load: load, start: func(b *bed, dir string) (forwarder, error) {
			c := daemonConfig{llr: llr, profile: patient, edge: path, link: path}
			return startDaemon(b.device, deviceCPU, dir, s.uelinkds[0], c)
		}}
	}
	const off, tx = "local: false, remote: false", "local: false, remote: true"
	list = []oneWay{
		delayOffXDP: daemon("uelink, LLR off, AF_XDP", off, "af_xdp", stampedPlain),
		delayOff:    daemon("uelink, LLR off", off, "live", stampedPlain),
		delayTxXDP:  daemon("uelink link Tx, AF_XDP", tx, "af_xdp", stampedTx),
		delayTx:     daemon("uelink link Tx", tx, "live", stampedTx),
	}
	for _, p := range s.testpmds() {
		p.load = stampedPlain
		list = append(list, p)
	}
	return list
}

// stampedPlain starts the load of plainLoad, with the time of sending in each frame.
func stampedPlain(b *bed, _ forwarder, octets int) (*running, error) {
	return b.spread(b.sink, 1, kernel.Spread{Stamped: true}, kernel.Frame(octets), ackEvery)
}

// stampedTx starts the load of txLoad, with the time of sending in each frame.
func stampedTx(b *bed, f forwarder, octets int) (*running, error) {
	return b.spread(b.receiver(f.(*daemon)), 1, kernel.Spread{Stamped: true}, kernel.Frame(octets), ackEvery)
}

// delaysOf measures all forwarders with frames of a size in octets, at each share (delayShares) of the highest rate
// that the slowest forwarder carries without loss, and adds a row for each share and forwarder to the table.
func (s *session) delaysOf(t *report.Table, all []*lane, octets int) (err error) {
	lanes, err := prepared(all, octets)
	defer func() { err = errors.Join(err, unload(lanes)) }()
	if err != nil {
		return err
	}
	most, err := s.slowest(lanes)
	if err != nil {
		return err
	}
	for _, share := range delayShares() {
		rate := most * float64(share) / 100
		measured, err := inTurns(s, len(lanes), delayWindows, func(i, _ int) (timed, error) {
			return lanes[i].timed(rate)
		})
		if err != nil {
			return err
		}
		for i, l := range lanes {
			cells := []any{octets, share, rate / 1e3, l.name}
			t.Add(append(cells, delayFigures(measured, s.cores.prevailing(), i)...)...)
		}
	}
	return nil
}

// slowest returns the least of the highest rates, in frames a second, at which the forwarders lose nothing.
func (s *session) slowest(lanes []*lane) (least float64, err error) {
	for i, l := range lanes {
		w, err := l.round(delayOver)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", l.name, err)
		}
		rate, err := l.lossless(searchAbove * w.perCPUSecond())
		if err != nil {
			return 0, fmt.Errorf("%s: %w", l.name, err)
		}
		if i == 0 || rate < least {
			least = rate
		}
	}
	if least == 0 {
		return 0, errors.New("a forwarder loses frames at every rate")
	}
	return least, nil
}

// timed lets the forwarder run, sends frames at a rate, in frames a second, and freezes the forwarder again. It returns
// losses, delays and the share of frames sent live, and an error if no frame arrived.
func (l *lane) timed(rate float64) (w timed, err error) {
	l.forwarder.thaw()
	defer l.forwarder.freeze()
	far := l.load.far[0]
	before, err := far.Delays()
	if err != nil {
		return w, err
	}
	w.live, err = l.liveShare(func() (err error) { w.trial, err = l.load.try(rate, delayOver); return err })
	if err != nil {
		return w, err
	}
	if w.delays, err = far.Delays(); err != nil {
		return w, err
	}
	if w.delays.Sub(before); w.delays.Count() == 0 {
		err = fmt.Errorf("%s: none of %d frames arrived at the far end", l.name, w.sent)
		return w, errors.Join(err, l.forwarder.failed())
	}
	return w, l.forwarder.failed()
}

// delayFigures returns cells for forwarder i: the medians, over the windows that count, of p50 and p99 of the delays
// in µs, of lost frames of a million and of the share sent live, and the ratios of p50 and p99 to those by AF_XDP.
func delayFigures(t turns[timed], in regime, i int) []any {
	other := byAFXDP(i)
	if i >= delayTestpmd {
		other = i
	}
	rounds, astray := t.count(in, i, other)
	figures := []any{
		median(t.values(i, rounds, within(0.5))), median(t.values(i, rounds, within(0.99))),
		median(t.values(i, rounds, timed.lostPerMillion)),
	}
	if i >= delayTestpmd { // testpmd sends nothing live, and is compared with no daemon
		return append(figures, nil, nil, nil, nil, nil, windows(rounds, astray))
	}
	figures = append(figures, median(t.values(i, rounds, func(w timed) float64 { return w.live })))
	for _, share := range []float64{0.5, 0.99} {
		to := ratios(t.values(i, rounds, within(share)), t.values(other, rounds, within(share)))
		figures = append(figures, median(to), quartiles(to))
	}
	return append(figures, windows(rounds, astray))
}

// lostPerMillion returns how many frames of a million were lost.
func (w timed) lostPerMillion() float64 {
	if w.sent == 0 {
		return 0
	}
	return float64(w.lost) / float64(w.sent) * 1e6
}

// delayTable returns the table of delays without rows.
func (s *session) delayTable() report.Table {
	return report.Table{
		Name: "delay", Title: "Delay of frames at a rate, one direction, one core",
		Columns: report.Columns("octets", "%d", "load, %", "%d", "kpps", "%.0f", "forwarder", "%s",
			"p50 µs", "%.1f", "p99 µs", "%.1f", "lost of a million", "%.0f", "sent live", "%.2f",
			"paired ratio of p50 to AF_XDP", "%.2f", "quartiles", "%s",
			"paired ratio of p99 to AF_XDP", "%.2f", "quartiles", "%s", "pairs of windows", "%d"),
		Notes: []string{
			fmt.Sprintf("Medians of %d windows of %v or more. The forwarders run in turns, in a different order "+
				"each round, and idle forwarders are frozen. Frames leave the generator one by one, at the "+
				"same rate for all forwarders: a share of the highest rate at which the slowest forwarder "+
				"of the table loses nothing. Each frame carries the time of departure, and the program at "+
				"the far end reads the clock. ", delayWindows, delayOver) + pairedNote,
			"AF_XDP: the daemon has `tx_path: af_xdp`. Other daemons have `tx_path: live` and send small " +
				"batches by AF_XDP. Daemons sleep after 50 µs without work (`spin`); testpmd always polls.",
		},
	}
}
