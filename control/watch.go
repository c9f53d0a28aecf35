package control

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"uelink/control/api"
	"uelink/internal/nonnull"
)

// watchLimits bounds the cost of watchers. A watcher is a client that reads a stream of events.
type watchLimits struct {
	most  int           // watchers at a time
	queue int           // events that a watcher may be behind; a slower watcher is dropped
	stall time.Duration // longest time that the write of a line may block; then the connection is closed
}

// watches has the limits of watches and the number of those that run.
type watches struct {
	watchLimits
	open atomic.Int64
}

var defaultWatchLimits = watchLimits{most: 4096, queue: 1024, stall: 5 * time.Second}

// Reasons for the end of a watch: texts of its last line.
const (
	endSlow = "the stream is closed: this watcher reads too slowly, and events were lost"
	endStop = "the daemon stops"
)

// streams answers requests with events or frames as they come.
type streams struct{ s *Server }

// getWatch streams the events of the data plane and of LLDP to the client.
func (h streams) getWatch(w http.ResponseWriter, r *http.Request) error {
	return h.stream(w, r, &h.s.events)
}

// getLLDPWatch streams the events of LLDP to the client, with destination and neighbour.
func (h streams) getLLDPWatch(w http.ResponseWriter, r *http.Request) error {
	return h.stream(w, r, &h.s.lldpEvents)
}

// stream writes the events of a feed, one JSON object a line. It subscribes first and sends the header then: a client
// that has the header misses no event after it.
func (h streams) stream(w http.ResponseWriter, r *http.Request, f *feed) error {
	defer h.s.watch.open.Add(-1)
	if err := h.admit(); err != nil {
		return err
	}
	b, place, leave := f.join()
	defer leave()
	lines := watchWriter{w: w, control: http.NewResponseController(w), stall: h.s.watch.stall}
	if lines.begin("application/x-ndjson") == nil { // an error means that the client has closed the connection
		h.follow(r, b, place, lines)
	}
	return nil
}

// admit counts one more watcher. It returns an error (503) if there are too many watchers, or no file descriptor
// is left. The caller subtracts the watcher again (watch.open.Add(-1)) at its end, also a refused one.
func (h streams) admit() error {
	if n := h.s.watch.open.Add(1); n > int64(h.s.watch.most) {
		return &api.Error{Status: http.StatusServiceUnavailable,
			Message: fmt.Sprintf("%d clients watch already, and no more may: "+
				"end some of these commands: uelink watch, uelink lldp watch", h.s.watch.most)}
	}
	if h.s.files.scarce() {
		return &api.Error{Status: http.StatusServiceUnavailable, Message: "no file descriptor is left for a " +
			"watcher: end others, " +
			"or raise the daemon's limit of open files (ulimit -n, systemd: LimitNOFILE)"}
	}
	return nil
}

// follow writes the events from number place on to the client, until the client or the daemon ends the watch. It
// reads the ring of the broadcast, and no sender of events waits for it: a watcher that is too slow loses events,
// and its watch ends.
func (h streams) follow(r *http.Request, b *broadcast, place uint64, lines watchWriter) {
	for ; ; place++ {
		line, reason := h.await(r, b, place)
		if reason != "" {
			lines.last(api.EndEvent(reason))
			return
		}
		if line == nil || lines.write(line) != nil {
			return
		}
	}
}

// await waits for the event with number place, and returns its line, or the reason for the end of the watch. Both
// are empty when the client has closed the connection.
func (h streams) await(r *http.Request, b *broadcast, place uint64) (line []byte, reason string) {
	line, state, more := b.at(place)
	for state == early {
		select {
		case <-more:
		case <-h.s.stopped.Done():
			return nil, h.ending()
		case <-r.Context().Done():
			return nil, ""
		}
		line, state, more = b.at(place)
	}
	switch {
	case h.s.stopped.Err() != nil: // the end of the data plane ends its subscriptions, too
		return nil, h.ending()
	case state != ready:
		return nil, endSlow
	}
	return line, ""
}

// ending returns the reason that a stopping server gives to clients that watch events: another process has taken
// over, or the daemon stops.
func (h streams) ending() string {
	if h.s.left.Load() {
		return api.EndUpgraded
	}
	return endStop
}

// watchWriter writes the lines of one watch.
type watchWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
}

// begin sends the HTTP header of a watch. It removes the deadline for reading the request: at that deadline the
// HTTP server would consider the client gone. The connection serves no further request, because the deadlines for
// writes stay on it.
func (l watchWriter) begin(contentType string) error {
	if err := l.control.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	if err := l.control.SetWriteDeadline(time.Now().Add(l.stall)); err != nil {
		return err
	}
	l.w.Header().Set("Content-Type", contentType)
	l.w.Header().Set("Connection", "close")
	l.w.WriteHeader(http.StatusOK)
	return l.flush()
}

// write sends one line of a watch to the client. It returns an error if the client has not read the line in time.
func (l watchWriter) write(line []byte) error {
	if err := l.control.SetWriteDeadline(time.Now().Add(l.stall)); err != nil {
		return err
	}
	if _, err := l.w.Write(line); err != nil {
		return err
	}
	return l.flush()
}

// eventLine returns the line of a watch for an event: its JSON and a line feed.
func eventLine(e api.Event) []byte {
	line, err := json.Marshal(nonnull.Lists(e))
	if err != nil {
		panic("control: an event is no JSON: " + err.Error()) // impossible: its fields are texts, numbers and times
	}
	return append(line, '\n')
}

// last sends the event that ends a watch. An error does not matter: the connection is closed next.
func (l watchWriter) last(e api.Event) { _ = l.write(eventLine(e)) }

func (l watchWriter) flush() error { return l.control.Flush() }
