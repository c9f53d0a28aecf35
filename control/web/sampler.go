package web

import (
	"context"
	"sync"
	"time"
)

const (
	// refreshEvery is the time between two changes of the open pages.
	refreshEvery = 2 * time.Second
	// fresh is the age of a look that a loaded page may show: loading again and again costs the workers at most one
	// look in this time.
	fresh = time.Second
	// octetsPerRefresh bounds the octets that all pages together get in refreshEvery. Beyond it, pages change less often.
	octetsPerRefresh = 16 << 20
)

// sampler looks at the daemon, keeps the curves, and puts what it sees on the board.
type sampler struct {
	source  Source
	board   *board
	painter painter
	readers func() int // of the board

	mu      sync.Mutex
	history history
	skipped int // ticks in a row that have put nothing on the board
}

func newSampler(source Source, b *board, readers func() int) *sampler {
	return &sampler{source: source, board: b, painter: newPainter(), readers: readers}
}

// run looks at the daemon every refreshEvery, or every sampleEvery while nobody reads the board, until ctx ends. Every
// second tick is a sample of the curves.
func (s *sampler) run(ctx context.Context) {
	tick := time.NewTicker(refreshEvery)
	defer tick.Stop()
	for sample := true; ; sample = !sample {
		s.tick(sample)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// tick looks at the daemon if the board has readers or sample is true. Only with sample it adds to the curves. The
// board gets a new edition at each tick, or less often if all readers together would get more than octetsPerRefresh.
func (s *sampler) tick(sample bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	readers := s.readers()
	due := readers > 0 && s.skipped+1 >= 1+readers*s.board.size()/octetsPerRefresh
	if s.skipped++; due {
		s.skipped = 0
	}
	if !sample && !due {
		return
	}
	l := s.source.newLook()
	if sample {
		s.history.add(&l)
	}
	if due {
		s.board.put(l.at, s.painter.parts(&l, &s.history))
	}
}

// refresh puts the present state on the board, unless the board shows a state younger than fresh. A page that is loaded
// calls refresh.
func (s *sampler) refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.board.seenAt()) < fresh {
		return
	}
	l := s.source.newLook()
	s.board.put(l.at, s.painter.parts(&l, &s.history))
}

// page returns the whole page, as the daemon is now.
func (s *sampler) page() []byte {
	s.refresh()
	return s.painter.document(s.board.html())
}
