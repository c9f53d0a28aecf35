package control

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"runtime/debug"
	"time"

	"uelink/control/api"
)

// lastWords is the time for which requests may still finish after another process has taken over.
const lastWords = 50 * time.Millisecond

// held is an answer that is not sent yet.
type held struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *held) Header() http.Header { return a.header }

func (a *held) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *held) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// send writes the answer (header, status and body) to w. If the handler has failed with err, send writes nothing and
// returns err.
func (a *held) send(w http.ResponseWriter, err error) error {
	if err != nil {
		return err
	}
	a.WriteHeader(http.StatusOK)
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	_, err = w.Write(a.body.Bytes())
	return err
}

// answered returns a handler that calls h. Once another process has taken over, the handler waits for h no longer than
// lastWords: h may wait for the data plane of this process, which never answers then. The client is told to send the
// request again, and the other process answers.
func (s *Server) answered(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		a, done := &held{header: http.Header{}}, make(chan error, 1)
		go func() {
			defer func() {
				if p := recover(); p != nil { // as net/http does in the goroutine of a connection
					done <- fmt.Errorf("the handler of the request panics: %v\n%s", p, debug.Stack())
				}
			}()
			done <- h(a, r)
		}()
		select {
		case err := <-done:
			return a.send(w, err)
		case <-s.handedOver:
		}
		select {
		case err := <-done:
			return a.send(w, err)
		case <-time.After(lastWords):
			return &api.Error{Status: http.StatusServiceUnavailable, Message: api.EndUpgraded}
		}
	}
}
