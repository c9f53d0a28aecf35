package control

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"uelink/control/api"
	"uelink/dataplane/pcap"
)

// framesStall is how long a watcher of frames may read nothing: somebody may be reading the screen.
const framesStall = 30 * time.Second

// getFrames streams the frames that a port sends and receives as pcapng. The frame path never waits for the watcher:
// frames without room in the buffer are left out, and the interface statistics in the stream count them.
func (h streams) getFrames(w http.ResponseWriter, r *http.Request) error {
	port, err := h.s.framesNamed(r.PathValue("port"))
	if err != nil {
		return err
	}
	every, err := everyOf(r.URL.Query())
	if err != nil {
		return err
	}
	defer h.s.watch.open.Add(-1)
	if err := h.admit(); err != nil {
		return err
	}
	watch, err := h.s.backend.WatchFrames(port)
	if err != nil {
		return err
	}
	out := newFramesWriter(w)
	if out.begin("application/x-pcapng") != nil {
		watch.Stop()
		return nil // the watcher has gone
	}
	c := pcap.New(out, port, math.MaxInt64)
	watch.Begin(c, every)
	select {
	case <-r.Context().Done():
	case <-out.broken.Done():
	case <-watch.Ended:
	case <-h.s.stopped.Done():
		w.Header().Set(http.TrailerPrefix+api.EndTrailer, h.ending())
	}
	if !h.s.left.Load() { // after a hand-over the watch has ended with the workers of this process
		watch.Stop()
	}
	_ = c.Close() // the watcher sees the end of the stream
	return nil
}

// everyOf returns the query parameter every, the n of "one of every n frames"; 1 if it is missing.
func everyOf(query url.Values) (every uint64, err error) {
	for key := range query {
		if key != "every" {
			return 0, badRequest(key, "query: key %s is not known: the only key is every", key)
		}
	}
	if !query.Has("every") {
		return 1, nil
	}
	every, err = strconv.ParseUint(query.Get("every"), 10, 32)
	if err != nil || every == 0 {
		return 0, badRequest("every", "every %q: a number n of 1 or more is wanted: one of n frames is sent",
			query.Get("every"))
	}
	return every, nil
}

// framesWriter sends the blocks of a capture to the watcher.
type framesWriter struct {
	watchWriter
	broken context.Context // done when a write has failed
	fail   context.CancelFunc
}

func newFramesWriter(w http.ResponseWriter) *framesWriter {
	f := &framesWriter{watchWriter: watchWriter{w: w, control: http.NewResponseController(w), stall: framesStall}}
	f.broken, f.fail = context.WithCancel(context.Background())
	return f
}

// Write sends whole pcapng blocks to the client. An error ends the stream.
func (f *framesWriter) Write(b []byte) (int, error) {
	if err := f.write(b); err != nil {
		f.fail()
		return 0, err
	}
	return len(b), nil
}

// Close ends the stream to the client. It is called before the HTTP answer ends, after the last Write.
func (f *framesWriter) Close() error {
	f.fail()
	return nil
}
