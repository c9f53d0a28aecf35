package control

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"uelink/dataplane"
)

// watchLimits is what a watcher may lag behind before it is dropped.
type watchLimits struct {
	queue int           // events that wait for it
	stall time.Duration // that one line may take to be taken
}

var defaultWatchLimits = watchLimits{queue: 256, stall: 5 * time.Second}

// Why a watch ended, in the text of its last line.
const (
	endSlow = "dropped: this watcher reads too slowly and events were lost"
	endStop = "the daemon stops"
)

// getWatch streams events, one JSON object a line. The header is sent at once,
// when the subscription stands, so that a client misses nothing after it.
//
// Two goroutines keep a slow reader away from the data plane: watchQueue takes
// events as they come into a bounded queue, this one writes them out.
func (s *Server) getWatch(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithCancel(r.Context())
	queue := newWatchQueue(s.watch.queue)
	events, unsubscribe := s.backend.Subscribe()
	go queue.fill(ctx, events, unsubscribe)
	defer func() { // nothing is left behind when the request is over
		cancel()
		<-queue.filled
	}()

	lines := watchWriter{w: w, control: http.NewResponseController(w), stall: s.watch.stall}
	if err := lines.begin(); err != nil {
		return nil // the watcher has gone
	}
	for {
		select {
		case e, open := <-queue.events:
			if !open {
				lines.end(s.whyEnded())
				return nil
			}
			if lines.event(e) != nil {
				return nil
			}
		case <-s.stopped.Done():
			lines.end(endStop)
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// whyEnded is why no more events come: a data plane that is being closed ends
// its subscriptions too.
func (s *Server) whyEnded() string {
	if s.stopped.Err() != nil {
		return endStop
	}
	return endSlow
}

// watchQueue is the events that wait for one watcher.
type watchQueue struct {
	events chan dataplane.Event // closed when an event found no room in it
	filled chan struct{}        // closed when fill has returned
}

func newWatchQueue(size int) *watchQueue {
	return &watchQueue{events: make(chan dataplane.Event, size), filled: make(chan struct{})}
}

// fill moves events into the queue and never waits for room, until ctx ends,
// the data plane closes from, or the queue is full; then it unsubscribes.
func (q *watchQueue) fill(ctx context.Context, from <-chan dataplane.Event, unsubscribe func()) {
	defer close(q.filled)
	defer unsubscribe()
	for {
		select {
		case <-ctx.Done():
			return
		case e, open := <-from:
			if !open || !q.put(e) {
				close(q.events)
				return
			}
		}
	}
}

func (q *watchQueue) put(e dataplane.Event) bool {
	select {
	case q.events <- e:
		return true
	default:
		return false
	}
}

// watchWriter writes the lines of one watch.
type watchWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
}

// begin sends the header. The deadline for reading the request is lifted, for
// the server would take it for the watcher's leaving; the write deadlines that
// follow make the connection of no use for another request.
func (l watchWriter) begin() error {
	if err := l.control.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	l.w.Header().Set("Content-Type", "application/x-ndjson")
	l.w.Header().Set("Connection", "close")
	l.w.WriteHeader(http.StatusOK)
	return l.flush()
}

// event writes one line, or fails when it has not been taken in time.
func (l watchWriter) event(e dataplane.Event) error {
	if err := l.control.SetWriteDeadline(time.Now().Add(l.stall)); err != nil {
		return err
	}
	if err := json.NewEncoder(l.w).Encode(e); err != nil {
		return err
	}
	return l.flush()
}

// end writes the last line; a watcher that cannot even take that just loses its
// connection.
func (l watchWriter) end(why string) {
	_ = l.event(dataplane.Event{Time: time.Now(), Kind: EventEnd, Text: why})
}

func (l watchWriter) flush() error { return l.control.Flush() }
