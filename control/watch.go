package control

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"uelink/dataplane"
	"uelink/lldp/agent"
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

// getWatch streams the events of the data plane and of LLDP.
func (s *Server) getWatch(w http.ResponseWriter, r *http.Request) error {
	queue := newWatchQueue[dataplane.Event](r.Context(), s.watch.queue)
	defer queue.stop()
	frames, unsubscribe := s.backend.Subscribe()
	fill(queue, frames, unsubscribe, func(e dataplane.Event) dataplane.Event { return e })
	lldp, unsubscribeLLDP := s.lldp.Subscribe()
	fill(queue, lldp, unsubscribeLLDP, portEvent)
	write(s, w, queue, func(why string) dataplane.Event {
		return dataplane.Event{Time: time.Now(), Kind: EventEnd, Text: why}
	})
	return nil
}

// getLLDPWatch streams the events of LLDP in full.
func (s *Server) getLLDPWatch(w http.ResponseWriter, r *http.Request) error {
	queue := newWatchQueue[agent.Event](r.Context(), s.watch.queue)
	defer queue.stop()
	lldp, unsubscribe := s.lldp.Subscribe()
	fill(queue, lldp, unsubscribe, func(e agent.Event) agent.Event { return e })
	write(s, w, queue, func(why string) agent.Event { return agent.Event{Time: time.Now(), Kind: EventEnd, Text: why} })
	return nil
}

// write streams what is in the queue, one JSON object a line. The header is sent
// at once, when the subscriptions stand, so that a client misses nothing after it.
//
// Two kinds of goroutines keep a slow reader away from who reports events: fill
// takes them as they come into a bounded queue, this one writes them out.
func write[E any](s *Server, w http.ResponseWriter, queue *watchQueue[E], end func(why string) E) {
	lines := watchWriter{w: w, control: http.NewResponseController(w), stall: s.watch.stall}
	if err := lines.begin(); err != nil {
		return // the watcher has gone
	}
	for {
		select {
		case e, open := <-queue.events:
			if !open {
				lines.last(end(s.whyEnded()))
				return
			}
			if lines.event(e) != nil {
				return
			}
		case <-s.stopped.Done():
			lines.last(end(endStop))
			return
		case <-queue.ctx.Done():
			return
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
type watchQueue[E any] struct {
	ctx    context.Context
	cancel context.CancelFunc
	fills  sync.WaitGroup

	mu     sync.Mutex // of putting
	closed bool
	events chan E // closed when an event found no room in it, or a source has ended
}

func newWatchQueue[E any](ctx context.Context, size int) *watchQueue[E] {
	q := &watchQueue[E]{events: make(chan E, size)}
	q.ctx, q.cancel = context.WithCancel(ctx)
	return q
}

// stop leaves nothing behind when the request is over.
func (q *watchQueue[E]) stop() {
	q.cancel()
	q.fills.Wait()
}

// fill has events of a source moved into the queue, as what as makes of them. It
// never waits for room, and unsubscribes when the watch ends, the source ends or
// the queue is full.
func fill[From, E any](q *watchQueue[E], from <-chan From, unsubscribe func(), as func(From) E) {
	q.fills.Go(func() {
		defer unsubscribe()
		for {
			select {
			case <-q.ctx.Done():
				return
			case e, open := <-from:
				if !open || !q.put(as(e)) {
					q.close()
					return
				}
			}
		}
	})
}

// put tells whether there was room.
func (q *watchQueue[E]) put(e E) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	select {
	case q.events <- e:
		return true
	default:
		return false
	}
}

func (q *watchQueue[E]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.events)
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
func (l watchWriter) event(e any) error {
	if err := l.control.SetWriteDeadline(time.Now().Add(l.stall)); err != nil {
		return err
	}
	if err := json.NewEncoder(l.w).Encode(e); err != nil {
		return err
	}
	return l.flush()
}

// last writes the last line; a watcher that cannot even take that just loses its
// connection.
func (l watchWriter) last(e any) { _ = l.event(e) }

func (l watchWriter) flush() error { return l.control.Flush() }
