package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"uelink/internal/netns"
	"uelink/lab/bench/report"
)

// What looks at a daemon in the experiment "pages".
const (
	openPages    = 200
	scrapeEvery  = time.Second
	pagesOver    = 4 * time.Second // least window: a page changes every 2 s, and its curves every 4 s
	pagesOctets  = 1500
	pageAddress  = "127.0.0.1:8470"
	scrapeTarget = "127.0.0.1:9464"
)

// lookers are browsers and a Prometheus that look at a daemon.
type lookers struct {
	client  *http.Client
	stop    context.CancelFunc
	streams []io.Closer
	octets  atomic.Int64 // of the pages
	scrapes atomic.Int64
	failed  chan error // of a scrape, or a page that has ended
}

// look opens pages of a daemon in its namespace, and scrapes its metrics every second, until close. It returns when
// every page has the first state.
func look(ns *netns.NS) (*lookers, error) {
	ctx, stop := context.WithCancel(context.Background())
	l := &lookers{stop: stop, failed: make(chan error, openPages+1), client: &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, address string) (c net.Conn, err error) {
			err = ns.Do(func() (err error) {
				c, err = new(net.Dialer).DialContext(ctx, network, address)
				return err
			})
			return c, err
		},
	}}}
	for range openPages {
		if err := l.open(ctx); err != nil {
			return nil, errors.Join(err, l.close())
		}
	}
	go l.scrape(ctx)
	return l, nil
}

// open opens a page, and reads its changes in a goroutine.
func (l *lookers) open(ctx context.Context) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+pageAddress+"/stream", nil)
	if err != nil {
		return err
	}
	r, err := l.client.Do(q)
	if err != nil {
		return err
	}
	l.streams = append(l.streams, r.Body)
	text := bufio.NewReaderSize(r.Body, 64<<10)
	for line := ""; err == nil && line != "event: all\n"; {
		line, err = text.ReadString('\n')
	}
	if err != nil {
		return fmt.Errorf("the first state of a page: %s: %w", r.Status, err)
	}
	go func() {
		octets := make([]byte, 64<<10)
		for {
			n, err := text.Read(octets)
			l.octets.Add(int64(n))
			if err != nil {
				if ctx.Err() == nil {
					l.failed <- fmt.Errorf("a page has ended: %w", err)
				}
				return
			}
		}
	}()
	return nil
}

// scrape reads the metrics every second until ctx ends.
func (l *lookers) scrape(ctx context.Context) {
	tick := time.NewTicker(scrapeEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+scrapeTarget+"/metrics", nil)
		if err == nil {
			err = l.once(q)
		}
		if err != nil && ctx.Err() == nil {
			l.failed <- fmt.Errorf("a scrape: %w", err)
			return
		}
		l.scrapes.Add(1)
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

func (l *lookers) once(q *http.Request) error {
	r, err := l.client.Do(q)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	n, err := io.Copy(io.Discard, r.Body)
	if err == nil && (n == 0 || r.StatusCode != http.StatusOK) {
		err = errors.New(r.Status)
	}
	return err
}

// close ends everything, and returns an error if a page or the metrics were not served meanwhile.
func (l *lookers) close() error {
	l.stop()
	for _, s := range l.streams {
		_ = s.Close() // it was read only
	}
	select {
	case err := <-l.failed:
		return err
	default:
	}
	if len(l.streams) == openPages && (l.octets.Load() == 0 || l.scrapes.Load() == 0) {
		return fmt.Errorf("%d octets of pages, %d scrapes: nothing was looked at", l.octets.Load(), l.scrapes.Load())
	}
	return nil
}

// pages runs the experiment "pages" and adds its table to the report: what open pages and scrapes cost the frame path.
func (s *session) pages() (err error) {
	with := func(name, top string) oneWay {
		return oneWay{name: name, load: txLoad, start: func(b *bed, dir string) (forwarder, error) {
			return startDaemon(b.device, deviceCPU, dir, s.uelinkds[0], daemonConfig{
				llr: "local: false, remote: true", profile: patient, edge: live, top: top})
		}}
	}
	lanes, err := s.open([]oneWay{with("without page and metrics", ""), with("nobody looks",
		fmt.Sprintf("web: {listen: %q}\nmetrics: {listen: %q}", pageAddress, scrapeTarget))})
	defer func() { err = errors.Join(err, closeLanes(lanes)) }()
	if err != nil {
		return err
	}
	for _, l := range lanes {
		if err := l.prepare(pagesOctets); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
	}
	over := max(s.over, pagesOver)
	if s.quick {
		over = pagesOver / 2
	}
	var octets []float64 // that pages got in a second
	t, err := inTurns(s, 3, s.rounds, func(i, round int) (w stretch, err error) {
		s.progress("  round %d, %d of 3", round+1, i+1)
		if i < len(lanes) {
			return lanes[i].round(over)
		}
		return s.looked(lanes[1], over, &octets)
	})
	for _, l := range lanes {
		err = errors.Join(err, l.unload())
	}
	if err != nil {
		return err
	}
	s.report.Add(pagesTable(t, s.cores.prevailing(), over, median(octets)))
	return nil
}

// looked measures one window of a daemon at which everybody looks.
func (s *session) looked(l *lane, over time.Duration, octets *[]float64) (w stretch, err error) {
	l.forwarder.thaw()
	all, err := look(l.bed.device)
	if err != nil {
		return w, err
	}
	began, before := time.Now(), all.octets.Load()
	w, err = l.round(over)
	*octets = append(*octets, float64(all.octets.Load()-before)/time.Since(began).Seconds())
	return w, errors.Join(err, all.close())
}

// pagesTable returns the table of the experiment.
func pagesTable(t turns[stretch], in regime, over time.Duration, octets float64) report.Table {
	table := report.Table{Name: "pages", Title: "Open pages and scrapes", Columns: report.Columns("daemon", "%s",
		"Mpps", "%.2f", "ns per frame", "%.0f", "paired ratio to the daemon without", "%.3f", "quartiles", "%s",
		"paired ratio of Mpps of time", "%.3f", "pairs of windows", "%d")}
	for i, name := range []string{"without page and metrics", "page and metrics, nobody looks",
		fmt.Sprintf("%d open pages, a scrape every %v", openPages, scrapeEvery)} {
		rounds, astray := t.count(in, i, 0)
		rate, pps := t.values(i, rounds, stretch.perCPUSecond), t.values(i, rounds, stretch.pps)
		to := ratios(rate, t.values(0, rounds, stretch.perCPUSecond))
		table.Add(name, median(rate)/1e6, 1e9/median(rate), median(to), quartiles(to),
			median(ratios(pps, t.values(0, rounds, stretch.pps))), windows(rounds, astray))
	}
	table.Notes = []string{strings.Join([]string{
		fmt.Sprintf("A daemon with LLR sends frames of %d octets in windows of %v; one CPU has all its threads.",
			pagesOctets, over),
		"Mpps: frames for a second of the CPU time of the whole process: what pages and scrapes take counts.",
		"Mpps of time: frames for a second.",
		fmt.Sprintf("The pages get %.2f MB a second together.", octets/1e6), pairedNote}, " ")}
	return table
}
