package web

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// mostStreams is the largest number of open pages. A further page closes the oldest.
	mostStreams = 256
	// writeTimeout is the longest time for which a write may wait for a reader; then the connection is closed.
	writeTimeout = 10 * time.Second
	// heartbeatEvery is the time without news after which a page gets a sign of life.
	heartbeatEvery = 15 * time.Second
	// retryMS is the time after which a browser opens an ended stream again, in milliseconds.
	retryMS = 2000
)

// streams are the streams of all open pages, the oldest first.
type streams struct {
	most int // largest number of streams

	mu   sync.Mutex
	list []*reader
}

// reader is an open page.
type reader struct{ replaced chan struct{} } // closed when a newer reader has taken the place

// join adds a reader, and closes the oldest if there are too many.
func (s *streams) join() *reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.list) >= s.most {
		close(s.list[0].replaced)
		s.list = slices.Delete(s.list, 0, 1)
	}
	r := &reader{make(chan struct{})}
	s.list = append(s.list, r)
	return r
}

// leave removes a reader, unless a newer reader has replaced it already.
func (s *streams) leave(r *reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, func(other *reader) bool { return other == r })
}

// count returns the number of open pages.
func (s *streams) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.list)
}

// serveStream sends the whole page, and then its changes, as server-sent events until the browser or the daemon ends
// the stream.
func (s *Server) serveStream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Connection", "close") // the deadlines stay on the connection
	// Without chunks each message is one write, and not two or three: writes and the wake-ups of their readers are most of
	// what an open page costs.
	w.Header().Set("Transfer-Encoding", "identity")
	if r.Method == http.MethodHead {
		return
	}
	// A stream outlives the deadline for reading the request, at which the HTTP server would end the stream.
	c := http.NewResponseController(w)
	if c.SetReadDeadline(time.Time{}) != nil {
		return
	}
	me := s.streams.join()
	defer s.streams.leave(me)
	s.sampler.refresh()
	write := func(message []byte) bool {
		if len(message) == 0 {
			return true
		}
		if c.SetWriteDeadline(time.Now().Add(writeTimeout)) != nil {
			return false
		}
		_, err := w.Write(message)
		return err == nil && c.Flush() == nil
	}
	if !write(fmt.Appendf(nil, "retry: %d\n\n", retryMS)) {
		return
	}
	idle := time.NewTimer(heartbeatEvery)
	defer idle.Stop()
	for edition := uint64(0); ; {
		news, present, more := s.board.after(edition)
		if edition = present; !write(news) {
			return
		}
		if len(news) > 0 {
			idle.Reset(heartbeatEvery)
		}
		select {
		case <-more:
		case <-idle.C:
			if !write(message("still", []byte("here"))) {
				return
			}
			idle.Reset(heartbeatEvery)
		case <-me.replaced:
			write(message("replaced", fmt.Appendf(nil, "%d newer windows have this page open", mostStreams)))
			return
		case <-s.stopped.Done():
			return
		case <-r.Context().Done():
			return
		}
	}
}
