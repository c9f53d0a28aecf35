package control

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// watchLimits is what watchers may take of the daemon.
type watchLimits struct {
	most  int           // watchers at a time
	queue int           // events that one may lag behind before it is dropped
	stall time.Duration // that one line may take to be taken
}

var defaultWatchLimits = watchLimits{most: 4096, queue: 1024, stall: 5 * time.Second}

// Why a watch ended, in the text of its last line.
const (
	endSlow = "dropped: this watcher reads too slowly and events were lost"
	endStop = "the daemon stops"
)

// getWatch streams the events of the data plane and of LLDP.
func (s *Server) getWatch(w http.ResponseWriter, r *http.Request) error {
	return s.stream(w, r, &s.events)
}

// getLLDPWatch streams the events of LLDP in full.
func (s *Server) getLLDPWatch(w http.ResponseWriter, r *http.Request) error {
	return s.stream(w, r, &s.lldpEvents)
}

// stream writes the events of a feed, one JSON object a line. The header is sent at once, when
// the subscription stands, so that a client misses nothing after it.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, f *feed) error {
	defer s.watching.Add(-1)
	if err := s.admit(); err != nil {
		return err
	}
	b, place, leave := f.join()
	defer leave()
	lines := watchWriter{w: w, control: http.NewResponseController(w), stall: s.watch.stall}
	if lines.begin("application/x-ndjson") == nil { // else the watcher has gone
		s.follow(r, b, place, lines)
	}
	return nil
}

// admit counts a watcher, or refuses it. Both are undone by watching.Add(-1).
func (s *Server) admit() error {
	if n := s.watching.Add(1); n > int64(s.watch.most) {
		return &Error{Status: http.StatusServiceUnavailable, Message: fmt.Sprintf("%d watch already, and no more may: "+
			"end some (uelink watch, uelink lldp watch)", s.watch.most)}
	}
	if s.files.scarce() {
		return &Error{Status: http.StatusServiceUnavailable, Message: "no file descriptor is left for a " +
			"watcher: end others, " +
			"or raise the daemon's limit of open files (ulimit -n, systemd: LimitNOFILE)"}
	}
	return nil
}

// follow writes the events from a place on until either side ends it. Who reports events never
// waits for it: a watcher that is too slow loses some, which ends its watch.
func (s *Server) follow(r *http.Request, b *broadcast, place uint64, lines watchWriter) {
	for ; ; place++ {
		line, is, more := b.at(place)
		for is == early {
			select {
			case <-more:
			case <-s.stopped.Done():
				lines.last(endEvent(endStop))
				return
			case <-r.Context().Done():
				return
			}
			line, is, more = b.at(place)
		}
		if is != ready {
			lines.last(endEvent(s.whyEnded()))
			return
		}
		if s.stopped.Err() != nil {
			lines.last(endEvent(endStop))
			return
		}
		if lines.write(line) != nil {
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

// watchWriter writes the lines of one watch.
type watchWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
}

// begin sends the header. The deadline for reading the request is lifted, for
// the server would take it for the watcher's leaving; the write deadlines that
// follow make the connection of no use for another request.
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

// write writes one line, or fails when it has not been taken in time.
func (l watchWriter) write(line []byte) error {
	if err := l.control.SetWriteDeadline(time.Now().Add(l.stall)); err != nil {
		return err
	}
	if _, err := l.w.Write(line); err != nil {
		return err
	}
	return l.flush()
}

// eventLine is the line of an event.
func eventLine(e Event) []byte {
	line, err := json.Marshal(e)
	if err != nil {
		panic("control: an event is no JSON: " + err.Error()) // it has texts, numbers and times
	}
	return append(line, '\n')
}

// last writes the last line; a watcher that cannot even take that just loses its
// connection.
func (l watchWriter) last(e Event) { _ = l.write(eventLine(e)) }

func (l watchWriter) flush() error { return l.control.Flush() }
