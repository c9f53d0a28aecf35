package control

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"
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
	queue := newWatchQueue(r.Context(), s.watch.queue)
	defer queue.stop()
	frames, unsubscribe := s.backend.Subscribe()
	fill(queue, frames, unsubscribe, portEvent)
	lldp, unsubscribeLLDP := s.lldp.Subscribe()
	fill(queue, lldp, unsubscribeLLDP, lldpPortEvent)
	s.write(w, queue)
	return nil
}

// getLLDPWatch streams the events of LLDP in full.
func (s *Server) getLLDPWatch(w http.ResponseWriter, r *http.Request) error {
	queue := newWatchQueue(r.Context(), s.watch.queue)
	defer queue.stop()
	lldp, unsubscribe := s.lldp.Subscribe()
	fill(queue, lldp, unsubscribe, lldpEvent)
	s.write(w, queue)
	return nil
}

// write streams what is in the queue, one JSON object a line. The header is sent
// at once, when the subscriptions stand, so that a client misses nothing after it.
//
// Two kinds of goroutines keep a slow reader away from who reports events: fill
// takes them as they come into a bounded queue, this one writes them out.
func (s *Server) write(w http.ResponseWriter, queue *watchQueue) {
	told := repeats{}
	lines := watchWriter{w: w, control: http.NewResponseController(w), stall: s.watch.stall}
	if err := lines.begin(); err != nil {
		return // the watcher has gone
	}
	for {
		select {
		case e, open := <-queue.events:
			if !open {
				lines.last(endEvent(s.whyEnded()))
				return
			}
			if !told.is(e) && lines.event(e) != nil {
				return
			}
		case <-s.stopped.Done():
			lines.last(endEvent(endStop))
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
type watchQueue struct {
	ctx    context.Context
	cancel context.CancelFunc
	fills  sync.WaitGroup

	mu     sync.Mutex // of putting
	closed bool
	events chan Event // closed when an event found no room in it, or a source has ended
}

func newWatchQueue(ctx context.Context, size int) *watchQueue {
	q := &watchQueue{events: make(chan Event, size)}
	q.ctx, q.cancel = context.WithCancel(ctx)
	return q
}

// stop leaves nothing behind when the request is over.
func (q *watchQueue) stop() {
	q.cancel()
	q.fills.Wait()
}

// fill moves the events of a source into the queue, converted by convert. It never
// waits for room. It unsubscribes when the watch ends, the source ends or the queue
// is full.
func fill[From any](q *watchQueue, from <-chan From, unsubscribe func(), convert func(From) Event) {
	q.fills.Go(func() {
		defer unsubscribe()
		for {
			select {
			case <-q.ctx.Done():
				return
			case e, open := <-from:
				if !open || !q.put(convert(e)) {
					q.close()
					return
				}
			}
		}
	})
}

// put tells whether there was room.
func (q *watchQueue) put(e Event) bool {
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

func (q *watchQueue) close() {
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
func (l watchWriter) event(e Event) error {
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
func (l watchWriter) last(e Event) { _ = l.event(e) }

func (l watchWriter) flush() error { return l.control.Flush() }
