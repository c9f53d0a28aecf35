package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"uelink/internal/netns"
)

// The readers of a daemon in the experiment "pages", and the addresses that they read.
const (
	openPages    = 200              // number of web pages open at a time
	scrapeEvery  = time.Second      // time between two scrapes of the metrics
	pageAddress  = "127.0.0.1:8470" // of the daemon's web pages
	scrapeTarget = "127.0.0.1:9464" // of the daemon's metrics
)

// lookCommand is the argument by which this program becomes the readers of the table "pages". The readers are a
// separate process, because a Go program cannot bind some of its goroutines to a CPU.
const lookCommand = "look"

// allOpen is the line that the readers print when every page has its first state.
const allOpen = "all web pages of the daemon are open"

// looked counts the answers of a daemon to the readers, which print looked as JSON at the end.
type looked struct {
	Octets  int64     `json:"octets"`  // octets of changes that all pages received, after the first state of each page
	Seconds float64   `json:"seconds"` // time since all pages were open
	Scrapes []float64 `json:"scrapes"` // how long each scrape took, seconds
}

// lookers is the process of the readers of a daemon: browsers and a Prometheus.
type lookers struct{ *process }

// startLookers starts readers in the namespace of a daemon, and returns when every page is open. The readers have the
// CPU of the generator at the lowest priority, so that the generator keeps offering frames to the daemon.
func startLookers(ns *netns.NS) (lookers, error) {
	self, err := os.Executable()
	if err != nil {
		return lookers{}, err
	}
	p, err := startOn(ns, strconv.Itoa(loadCPU), "nice", "-n", "19", self, lookCommand)
	if err != nil {
		return lookers{}, err
	}
	l := lookers{p}
	return l, p.await("open pages", func() bool { return p.Stdout.String() == allOpen+"\n" })
}

// stop ends the readers and returns the count of the daemon's answers, or an error if a page or the metrics were not
// served.
func (l lookers) stop() (got looked, err error) {
	if err := l.Process.Stop(stopTimeout); err != nil {
		return got, err
	}
	if err := json.Unmarshal([]byte(l.Stdout.String())[len(allOpen):], &got); err != nil {
		return got, fmt.Errorf("parse the counts printed by the process that reads web pages and metrics: %w", err)
	}
	if got.Octets == 0 || len(got.Scrapes) == 0 {
		return got, fmt.Errorf("the daemon sent %d octets of pages and answered %d scrapes: both must be above 0", got.Octets,
			len(got.Scrapes))
	}
	return got, nil
}

// look opens pages of a daemon, follows them, and scrapes the daemon's metrics every second, until ctx ends. It prints
// allOpen when all pages are open, and looked at the end.
func look(ctx context.Context) error {
	r := readers{failed: make(chan error, openPages+1), client: &http.Client{
		Transport: &http.Transport{DisableKeepAlives: true}}}
	for range openPages {
		if err := r.open(ctx); err != nil {
			return err
		}
	}
	fmt.Println(allOpen)
	start := time.Now()
	var scraping sync.WaitGroup
	scraping.Go(func() { r.scrape(ctx) })
	select {
	case <-ctx.Done():
	case err := <-r.failed:
		if ctx.Err() == nil {
			return err
		}
	}
	got := looked{Octets: r.octets.Load(), Seconds: time.Since(start).Seconds()}
	scraping.Wait()
	got.Scrapes = r.scrapes
	return json.NewEncoder(os.Stdout).Encode(got)
}

// readers are browsers and a Prometheus that look at a daemon.
type readers struct {
	client  *http.Client
	octets  atomic.Int64 // octets of the changes that all pages have received, after the first state of each page
	failed  chan error   // errors of scrapes and of pages
	scrapes []float64    // how long each scrape took, seconds
}

// open opens a page, and reads its changes in a goroutine.
func (r *readers) open(ctx context.Context) error {
	answer, err := r.get(ctx, "http://"+pageAddress+"/stream")
	if err != nil {
		return err
	}
	text := bufio.NewReaderSize(answer.Body, 64<<10)
	for line := ""; err == nil && line != "event: all\n"; {
		line, err = text.ReadString('\n')
	}
	if err != nil {
		return fmt.Errorf("read the first state of a page: HTTP status %s: %w", answer.Status, err)
	}
	go func() {
		octets := make([]byte, 64<<10)
		for {
			n, err := text.Read(octets)
			r.octets.Add(int64(n))
			if err != nil {
				r.failed <- fmt.Errorf("read the changes that the daemon sends to a web page: %w", err)
				return
			}
		}
	}()
	return nil
}

// scrape reads the metrics every second until ctx ends, and adds the time of each scrape to r.scrapes. After an error,
// which goes to r.failed, it ends.
func (r *readers) scrape(ctx context.Context) {
	tick := time.NewTicker(scrapeEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		start := time.Now()
		if err := r.once(ctx); err != nil {
			r.failed <- fmt.Errorf("scrape the metrics: %w", err)
			return // perhaps in the middle of a scrape when ctx ended
		}
		r.scrapes = append(r.scrapes, time.Since(start).Seconds())
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// once scrapes the metrics once. An empty answer is an error.
func (r *readers) once(ctx context.Context) error {
	answer, err := r.get(ctx, "http://"+scrapeTarget+"/metrics")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	n, err := io.Copy(io.Discard, answer.Body)
	if err == nil && (n == 0 || answer.StatusCode != http.StatusOK) {
		err = errors.New(answer.Status)
	}
	return err
}

// get requests a URL by HTTP. The end of ctx ends the request and the reading of its answer.
func (r *readers) get(ctx context.Context, url string) (*http.Response, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	return r.client.Do(q)
}
