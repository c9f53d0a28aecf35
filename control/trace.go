package control

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"uelink/dataplane/model"
	"uelink/internal/nonnull"
)

// Defaults and bounds of a trace; tracePeriod is the time between two looks for frames that have ended.
const (
	tracedUsually = 10               // frames of a trace whose query has no count
	traceLasts    = 10 * time.Second // time of a trace whose query has no timeout
	traceMost     = time.Hour        // longest timeout of a trace
	tracePeriod   = 20 * time.Millisecond
)

// traceQuery is the query parameters of a trace.
var traceQuery = []parameter{
	{"count", "how many frames, 1 to 1000; 10 unless given", "integer", false},
	{"timeout", "the trace ends after this time, such as 30s; 10s unless given", "string", false},
	{"host", "only frames from or to one of these MAC or IP addresses, divided by commas", "string", false},
	{"type", "only frames of one of these EtherTypes, divided by commas", "string", false},
	{"vc", "only frames that leave by one of these queues or virtual channels, divided by commas", "string", false},
}

// getTrace streams what becomes of the next frames that a port receives: an object for each frame, when the frame has
// left the daemon or was dropped. When the time of the trace is over, objects of frames still under way follow.
func (h streams) getTrace(w http.ResponseWriter, r *http.Request) error {
	port, err := h.s.framesNamed(r.PathValue("port"))
	if err != nil {
		return err
	}
	settings, lasts, err := traceOf(r)
	if err != nil {
		return err
	}
	defer h.s.watch.open.Add(-1)
	if err := h.admit(); err != nil {
		return err
	}
	trace, err := h.s.backend.TraceFrames(port, settings)
	if err != nil {
		return err
	}
	defer func() {
		if !h.s.left.Load() { // after a hand-over the trace has ended with the workers of this process
			trace.Stop()
		}
	}()
	lines := watchWriter{w: w, control: http.NewResponseController(w), stall: h.s.watch.stall}
	if lines.begin(ndjson) != nil {
		return nil // the client has gone
	}
	tick, end := time.NewTicker(tracePeriod), time.NewTimer(lasts)
	defer tick.Stop()
	defer end.Stop()
	for last := false; ; {
		select {
		case <-r.Context().Done():
			return nil
		case <-h.s.stopped.Done():
			return nil
		case <-end.C:
			last = true
		case <-tick.C:
		}
		frames, goesOn := trace.Take(last)
		if len(frames) > 0 && lines.write(tracedLines(frames)) != nil || !goesOn || last {
			return nil
		}
	}
}

// tracedLines returns a line of JSON for each traced frame.
func tracedLines(frames []model.TracedFrame) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	for _, f := range frames {
		if err := e.Encode(nonnull.Lists(f)); err != nil {
			panic("control: a traced frame is no JSON: " +
				err.Error()) // impossible: its fields are texts, numbers and times
		}
	}
	return text.Bytes()
}

// traceOf returns the settings of a trace (number of frames, filter) and how long it lasts, by the query of a request.
// A missing key has its default; a wrong value is refused.
func traceOf(r *http.Request) (s model.TraceSettings, lasts time.Duration, err error) {
	var keys []string
	for _, p := range traceQuery {
		keys = append(keys, p.name)
	}
	given, err := parameters(r, keys...)
	if err != nil {
		return s, 0, err
	}
	s.Count, lasts = tracedUsually, traceLasts
	if text := given.Get("count"); text != "" {
		if s.Count, err = strconv.Atoi(text); err != nil || s.Count < 1 || s.Count > model.MostTraced {
			return s, 0, badRequest("count", "count %q: a number from 1 to %d is wanted", text, model.MostTraced)
		}
	}
	if text := given.Get("timeout"); text != "" {
		if lasts, err = time.ParseDuration(text); err != nil || lasts <= 0 || lasts > traceMost {
			return s, 0, badRequest("timeout", "timeout %q: a time of up to %v is wanted, such as 30s", text, traceMost)
		}
	}
	s.Filter, err = traceFilter(given)
	return s, lasts, err
}

// traceFilter returns the filter of a trace by the query of a request.
func traceFilter(given url.Values) (f model.TraceFilter, err error) {
	for _, text := range listed(given, "host") {
		if ip, err := netip.ParseAddr(text); err == nil {
			f.IPs = append(f.IPs, ip)
		} else if mac, err := net.ParseMAC(text); err == nil && len(mac) == len(model.Address{}) {
			f.MACs = append(f.MACs, model.Address(mac))
		} else {
			return f, badRequest("host", "host %q: a MAC address or an IP address is wanted", text)
		}
	}
	for _, text := range listed(given, "type") {
		n, err := strconv.ParseUint(text, 0, 16)
		if err != nil {
			return f, badRequest("type", "type %q: an EtherType is wanted, such as 0x800", text)
		}
		f.EtherTypes = append(f.EtherTypes, uint16(n))
	}
	for _, text := range listed(given, "vc") {
		n, err := strconv.ParseUint(text, 10, 8)
		if err != nil || n >= model.MostQueues {
			return f, badRequest("vc", "vc %q: a number from 0 to %d is wanted", text, model.MostQueues-1)
		}
		f.Queues = append(f.Queues, uint8(n))
	}
	return f, nil
}

// listed returns the values, divided by commas, that a query has under a key.
func listed(given url.Values, key string) []string {
	return slices.DeleteFunc(strings.Split(given.Get(key), ","), func(text string) bool { return text == "" })
}
