package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"uelink/lab/bench/report"
)

// Frames and windows of the experiment "pages".
const (
	pagesOver   = 2 * time.Second // length of a window; open pages change every 2 s
	pagesOctets = 64
	pagesPause  = time.Second // pause after a window with readers, in which the daemon closes their connections
)

// The windows of a round: without readers of the daemon's page, with readers, without readers, control. The window
// with readers and the control, which has no readers, are compared with the mean of the windows before and after. The
// ratio of the control shows the noise.
const (
	everybody   = 1 // the number of the window in which clients read the open pages
	control     = 3
	pageWindows = 4 // how many windows a round has
)

// watched is one window of the experiment.
type watched struct {
	stretch
	otherCPU float64 // CPU time of the daemon's threads other than the worker, seconds per second
	offered  float64 // frames offered to the edge for each frame received
	looked           // counts of the readers, in a window with readers
}

// pages measures the cost of open pages and scrapes for the frame path, and adds the table "pages" to the report. Two
// processes of the same program differ by up to 6 %, so a single daemon is measured, with and without readers.
func (s *session) pages() (err error) {
	l := &lane{oneWay: oneWay{load: txLoad, start: func(b *bed, dir string) (forwarder, error) {
		return startDaemon(b.device, deviceCPU, dir, s.uelinkds[0], daemonConfig{
			llr: "local: false, remote: true", profile: patient, edge: live,
			top: fmt.Sprintf("web: {listen: %q}\nmetrics: {listen: %q}", pageAddress, scrapeTarget)})
	}}}
	defer func() { err = errors.Join(err, l.unload(), l.close()) }()
	if err := l.open(s.newDir()); err != nil {
		return err
	}
	if err := l.prepare(pagesOctets); err != nil {
		return err
	}
	l.forwarder.thaw()
	var windows []watched
	for i := range pageWindows*s.rounds + 1 { // one window more, so that the last control has a window after it
		if err := s.Err(); err != nil {
			return err
		}
		s.progress("  window %d of %d", i+1, pageWindows*s.rounds+1)
		w, err := l.watched(i%pageWindows == everybody)
		if err != nil {
			return err
		}
		windows = append(windows, w)
	}
	s.report.Add(pagesTable(windows))
	return nil
}

// watched measures a window of a daemon, with readers (everybody) or without. The window counts even if other work
// slows the generator down, because the generator offers more frames than the daemon takes.
func (l *lane) watched(everybody bool) (w watched, err error) {
	if everybody {
		readers, err := startLookers(l.bed.device)
		if err != nil {
			return w, err
		}
		defer func() {
			got, problem := readers.stop()
			w.looked, err = got, errors.Join(err, problem)
			time.Sleep(pagesPause)
		}()
	}
	d := l.forwarder.(*daemon)
	took, missed, err := d.intake()
	if err != nil {
		return w, err
	}
	w.otherCPU, err = besideBusiest(d.Cmd.Process.Pid, func() (err error) {
		w.stretch, err = l.load.bestOf(1, d, pagesOver)
		return err
	})
	tookAfter, missedAfter, problem := d.intake()
	w.offered = 1 + float64(missedAfter-missed)/float64(tookAfter-took)
	return w, errors.Join(err, problem, d.failed())
}

// intake returns how many frames the daemon's edge has taken, and how many have found no place in its rings.
func (d *daemon) intake() (took, missed uint64, err error) {
	p, err := d.client.Port(context.Background(), nth("edge", 0))
	return p.Counters.RxFrames, p.RxDropped, err
}

// ofKind returns a figure of those windows whose number in their round is kind.
func ofKind(windows []watched, kind int, figure func(watched) float64) (list []float64) {
	for i := kind; i < len(windows); i += pageWindows {
		list = append(list, figure(windows[i]))
	}
	return list
}

// toNeighbours returns a figure of those windows whose number in their round is kind, divided by the mean of the
// figures of the windows before and after.
func toNeighbours(windows []watched, kind int, figure func(watched) float64) (list []float64) {
	for i := kind; i < len(windows)-1; i += pageWindows {
		list = append(list, 2*figure(windows[i])/(figure(windows[i-1])+figure(windows[i+1])))
	}
	return list
}

// pagesTable returns the table of the experiment, of windows in their order.
func pagesTable(windows []watched) report.Table {
	table := report.Table{Name: "pages", Title: "Open pages and scrapes", Columns: report.Columns("readers", "%s",
		"Mpps", "%.3f", "ns per frame", "%.0f", "lowest ratio of frames offered to frames received", "%.2f",
		"CPU of threads other than the worker, %", "%.2f", "paired ratio of Mpps", "%.3f", "quartiles", "%s",
		"paired ratio of Mpps of wall-clock time", "%.3f", "quartiles", "%s", "windows", "%d")}
	rate := func(w watched) float64 { return w.perCPUSecond() }
	pps := func(w watched) float64 { return w.pps() }
	for _, row := range []struct {
		kind int
		name string
	}{
		{control, "none"},
		{everybody, fmt.Sprintf("%d open pages, a scrape every %v", openPages, scrapeEvery)},
	} {
		values := func(figure func(watched) float64) []float64 { return ofKind(windows, row.kind, figure) }
		paired, ofTime := toNeighbours(windows, row.kind, rate), toNeighbours(windows, row.kind, pps)
		table.Add(row.name, median(values(rate))/1e6, 1e9/median(values(rate)),
			slices.Min(values(func(w watched) float64 { return w.offered })),
			100*median(values(func(w watched) float64 { return w.otherCPU })),
			median(paired), quartiles(paired), median(ofTime), quartiles(ofTime), len(paired))
	}
	var scrapes []float64
	for _, w := range windows {
		scrapes = append(scrapes, w.Scrapes...)
	}
	octets := median(ofKind(windows, everybody, func(w watched) float64 { return float64(w.Octets) / w.Seconds }))
	table.Notes = []string{strings.Join([]string{
		fmt.Sprintf("A daemon with LLR sends frames of %d octets in windows of %v. One CPU runs all "+
			"threads of the daemon.", pagesOctets, pagesOver),
		"Mpps: million frames per second of CPU time of the whole process, which includes the CPU time for web pages and " +
			"scrapes of metrics.",
		"Mpps of wall-clock time: million frames per second, whether or not the process had the CPU.",
		"A paired ratio is the median, with quartiles, of the ratios of a window to the mean of the windows " +
			"before and after, which have no readers; the first row shows the noise.",
		fmt.Sprintf("The readers are on CPU %d, with the generator, which offers more frames than the daemon "+
			"takes.", loadCPU),
		fmt.Sprintf("Together the pages receive %.2f MB a second. Of %d scrapes the median took %.1f ms and the "+
			"longest %.1f ms, waits for the generator included.",
			octets/1e6, len(scrapes), 1e3*median(scrapes), 1e3*slices.Max(scrapes))}, " ")}
	return table
}
