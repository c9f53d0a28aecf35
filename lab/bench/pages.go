package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
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
	failed  chan error   // of a scrape, or a page that has ended

	scraping sync.WaitGroup
	scrapes  []float64 // how long each took, seconds; read it when scraping has ended
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
	l.scraping.Go(func() { l.scrape(ctx) })
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

// got returns how many octets the pages have got; 0 without lookers.
func (l *lookers) got() int64 {
	if l == nil {
		return 0
	}
	return l.octets.Load()
}

// scrape reads the metrics every second until ctx ends.
func (l *lookers) scrape(ctx context.Context) {
	tick := time.NewTicker(scrapeEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		start := time.Now()
		q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+scrapeTarget+"/metrics", nil)
		if err == nil {
			err = l.once(q)
		}
		if ctx.Err() != nil {
			return // perhaps in the middle of a scrape
		}
		if err != nil {
			l.failed <- fmt.Errorf("a scrape: %w", err)
			return
		}
		l.scrapes = append(l.scrapes, time.Since(start).Seconds())
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
	l.scraping.Wait()
	for _, s := range l.streams {
		_ = s.Close() // it was read only
	}
	select {
	case err := <-l.failed:
		return err
	default:
	}
	if len(l.streams) == openPages && (l.octets.Load() == 0 || len(l.scrapes) == 0) {
		return fmt.Errorf("%d octets of pages, %d scrapes: nothing was looked at", l.octets.Load(), len(l.scrapes))
	}
	return nil
}

// watched is one window of the experiment.
type watched struct {
	stretch
	beside  float64   // CPU time of the daemon's threads besides its worker, seconds a second
	octets  float64   // that pages got in a second
	scrapes []float64 // how long each took, seconds
}

// pages runs the experiment "pages" and adds its table to the report: what open pages and scrapes cost the frame path
// of each daemon. Two processes of one program differ by as much as 6 %, so a daemon with readers is compared with
// itself without.
func (s *session) pages() (err error) {
	with := func(program, top string) oneWay {
		return oneWay{name: program, load: txLoad, start: func(b *bed, dir string) (forwarder, error) {
			return startDaemon(b.device, deviceCPU, dir, program, daemonConfig{
				llr: "local: false, remote: true", profile: patient, edge: live, top: top})
		}}
	}
	list := []oneWay{with(s.uelinkds[0], "")}
	for _, program := range s.uelinkds {
		list = append(list, with(program, fmt.Sprintf("web: {listen: %q}\nmetrics: {listen: %q}", pageAddress, scrapeTarget)))
	}
	lanes, err := s.open(list)
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
	contestants := 2*len(lanes) - 1
	t, err := inTurns(s, contestants, s.rounds, func(i, round int) (w watched, err error) {
		s.progress("  round %d, %d of %d", round+1, i+1, contestants)
		return lanes[(i+1)/2].watched(over, i > 0 && i%2 == 0)
	})
	for _, l := range lanes {
		err = errors.Join(err, l.unload())
	}
	if err != nil {
		return err
	}
	s.report.Add(s.pagesTable(t, over))
	return nil
}

// watched measures one window of a daemon, at which everybody looks meanwhile, or nobody.
func (l *lane) watched(over time.Duration, looked bool) (w watched, err error) {
	l.forwarder.thaw()
	defer l.forwarder.freeze()
	var all *lookers
	if looked {
		if all, err = look(l.bed.device); err != nil {
			return w, err
		}
		defer func() {
			err = errors.Join(err, all.close())
			w.scrapes = all.scrapes
		}()
	}
	start, before := time.Now(), all.got()
	w.beside, err = besideBusiest(l.forwarder.(*daemon).Cmd.Process.Pid, func() (err error) {
		w.stretch, err = l.load.window(l.forwarder, over)
		return err
	})
	w.octets = float64(all.got()-before) / time.Since(start).Seconds()
	return w, errors.Join(err, l.forwarder.failed())
}

// pagesTable returns the table of the experiment. Results are those of the daemon without page and metrics, and then of
// each daemon with them, without and with readers.
func (s *session) pagesTable(t turns[watched], over time.Duration) report.Table {
	table := report.Table{Name: "pages", Title: "Open pages and scrapes", Columns: report.Columns("daemon", "%s",
		"Mpps", "%.2f", "ns per frame", "%.0f", "CPU beside the worker, %", "%.2f",
		"paired ratio to the same daemon, when nobody looks", "%.3f", "quartiles", "%s",
		"paired ratio of Mpps of time", "%.3f", "pairs of windows", "%d")}
	in, octets, scrapes := s.cores.prevailing(), 0.0, []float64(nil)
	for i := range t {
		name, to := "without page and metrics", i
		if i > 0 {
			name, to = "page and metrics, nobody looks", (i-1)/2*2+1
		}
		if to < i {
			name = fmt.Sprintf("%d open pages, a scrape every %v", openPages, scrapeEvery)
		}
		if i > 0 && len(s.uelinkds) > 1 {
			name = s.uelinkds[(i-1)/2] + ": " + name
		}
		rounds, astray := t.count(in, i, to)
		of := func(which int, figure func(watched) float64) []float64 { return t.values(which, rounds, figure) }
		rate := func(w watched) float64 { return w.perCPUSecond() }
		pps := func(w watched) float64 { return w.pps() }
		paired := ratios(of(i, rate), of(to, rate))
		table.Add(name, median(of(i, rate))/1e6, 1e9/median(of(i, rate)),
			100*median(of(i, func(w watched) float64 { return w.beside })), median(paired), quartiles(paired),
			median(ratios(of(i, pps), of(to, pps))), windows(rounds, astray))
		octets = max(octets, median(of(i, func(w watched) float64 { return w.octets })))
		for _, round := range rounds {
			scrapes = append(scrapes, t[i][round].did.scrapes...)
		}
	}
	table.Notes = []string{strings.Join([]string{
		fmt.Sprintf("A daemon with LLR sends frames of %d octets in windows of %v; one CPU has all its threads.",
			pagesOctets, over),
		"Mpps: frames for a second of the CPU time of the whole process: what pages and scrapes take counts.",
		"Mpps of time: frames for a second.",
		fmt.Sprintf("The pages get %.2f MB a second together. Of %d scrapes the median took %.1f ms, the longest %.1f ms.",
			octets/1e6, len(scrapes), 1e3*median(scrapes), 1e3*slices.Max(append(scrapes, 0))), pairedNote}, " ")}
	return table
}
