package cable

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"uelink/dataplane/fault/rule"
	"uelink/internal/bounded"
	"uelink/internal/events"
	"uelink/wire"
)

// Limits of the control socket.
const (
	maxConnections = 64                  // connections open at a time
	maxWatchers    = 16                  // clients that watch hits at a time
	maxBody        = rule.MaxText + 1024 // octets of a request's body
)

//go:embed openapi.json
var openAPI []byte

// control is the socket by which rules are added and changed while a cable runs.
type control struct {
	cable    *Cable
	wire     *userWire
	server   http.Server
	hits     events.Hub[RuleHit]
	watchers atomic.Int32 // number of clients that watch hits
}

// listen opens the control socket of a cable. The mode is 0600, because rules forge frames. An existing path is an
// error, whatever it names. stop closes and removes the socket.
func (c *Cable) listen(path string) (stop func() error, err error) {
	mask := unix.Umask(0o177) // so that the socket has mode 0600 from the start
	l, err := net.Listen("unix", path)
	unix.Umask(mask)
	if errors.Is(err, unix.EADDRINUSE) {
		return nil, fmt.Errorf("control socket %s: the path exists: another cable uses the socket, or a killed cable has "+
			"left it (then remove the file)", path)
	}
	if err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	k := &control{cable: c, wire: c.wire.(*userWire)}
	k.server = http.Server{Handler: k.routes(), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 1 << 14}
	_ = k.wire.rule(func(w *rule.Wire, _ wire.Time) error {
		w.OnHit(k.hit)
		return nil
	}) // no error: a cable with a control socket always has rules
	go func() { _ = bounded.Serve(&k.server, l, maxConnections) }() // ends with Close
	return k.server.Close, nil
}

// hit passes a hit to the watchers, in the loop that carries frames, without waiting.
func (k *control) hit(h rule.Hit, _ []byte) {
	if k.watchers.Load() > 0 {
		k.hits.Emit(*k.cable.hit(h, h.Time))
	}
}

// routes returns the handler of the cable's API: openapi.json describes it.
func (k *control) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(openAPI) // a client that is gone needs no answer
	})
	mux.HandleFunc("GET /v1/rules", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, append([]RuleStatus{}, k.cable.Rules()...))
	})
	mux.HandleFunc("POST /v1/rules", k.add)
	mux.HandleFunc("DELETE /v1/rules/{id}", k.change(func(r *rule.Wire, id string, now wire.Time) error {
		return r.Delete(id, now)
	}))
	mux.HandleFunc("POST /v1/rules/{id}/arm", k.change(func(r *rule.Wire, id string, now wire.Time) error {
		return r.Arm(id, now)
	}))
	mux.HandleFunc("POST /v1/rules/{id}/pause", k.change(func(r *rule.Wire, id string, _ wire.Time) error {
		return r.Pause(id)
	}))
	mux.HandleFunc("POST /v1/rules/{id}/release", k.change(func(r *rule.Wire, id string, now wire.Time) error {
		_, err := r.Release(id, now)
		return err
	}))
	mux.HandleFunc("GET /v1/rules/watch", k.watch)
	mux.HandleFunc("GET /v1/report", k.report(func(w http.ResponseWriter, r Report) { answer(w, http.StatusOK, r) }))
	mux.HandleFunc("GET /v1/plot", k.report(func(w http.ResponseWriter, r Report) {
		if r.Unseen == nil {
			refuse(w, http.StatusConflict, errNotAnalyzed)
			return
		}
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = w.Write(r.Plot().SVG()) // a client that is gone needs no answer
	}))
	mux.HandleFunc("POST /v1/clear", func(w http.ResponseWriter, _ *http.Request) {
		if err := k.cable.ClearAnalysis(); err != nil {
			refuse(w, http.StatusConflict, err)
			return
		}
		answer(w, http.StatusOK, struct{}{})
	})
	return mux
}

// report returns a handler that takes the report of the cable and calls show, which writes the answer from the report.
func (k *control) report(show func(http.ResponseWriter, Report)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		r, err := k.cable.Report()
		if err != nil {
			refuse(w, http.StatusInternalServerError, err)
			return
		}
		show(w, r)
	}
}

// answer writes an HTTP status, and an object as JSON.
func answer(w http.ResponseWriter, status int, object any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(object) // a client that is gone needs no answer
}

// refusal is the answer to a request that was not carried out.
type refusal struct {
	Error string `json:"error"`
}

func refuse(w http.ResponseWriter, status int, err error) { answer(w, status, refusal{err.Error()}) }

// newRule is the body of a request to add a rule.
type newRule struct {
	Rule string `json:"rule"`
}

// added is the answer to a request that has added or changed a rule.
type added struct {
	ID string `json:"id"`
}

// add answers POST /v1/rules: it adds a rule, and answers with its ID.
func (k *control) add(w http.ResponseWriter, r *http.Request) {
	var body newRule
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(&body); err != nil {
		refuse(w, http.StatusBadRequest, fmt.Errorf("the body is not {\"rule\": \"WORDS\"}: %w", err))
		return
	}
	parsed, err := rule.Parse(body.Rule, [2]string{k.cable.config.A, k.cable.config.B})
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	var id string
	err = k.wire.rule(func(rules *rule.Wire, now wire.Time) (err error) {
		id, err = rules.Add(parsed, now)
		return err
	})
	if err != nil {
		refuse(w, http.StatusConflict, err)
		return
	}
	answer(w, http.StatusCreated, added{id})
}

// change returns the handler of a request about one rule. f changes the rule with the id of the request; the answer has
// the id.
func (k *control) change(f func(*rule.Wire, string, wire.Time) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		err := k.wire.rule(func(rules *rule.Wire, now wire.Time) error { return f(rules, id, now) })
		if err != nil {
			refuse(w, http.StatusNotFound, err)
			return
		}
		answer(w, http.StatusOK, added{id})
	}
}

// missed is the line for a watcher that read too slowly: how many hits are missing before the next line.
type missed struct {
	Missed uint64 `json:"missed"`
}

// watch writes a line of JSON for each hit, until the client goes. Hits that a slow client has missed are one line with
// their number. More than maxWatchers clients are refused.
func (k *control) watch(w http.ResponseWriter, r *http.Request) {
	if k.watchers.Add(1) > maxWatchers {
		k.watchers.Add(-1)
		refuse(w, http.StatusServiceUnavailable, fmt.Errorf("%d clients watch already, and no more may", maxWatchers))
		return
	}
	defer k.watchers.Add(-1)
	hits, stop := k.hits.Subscribe()
	defer stop()
	w.Header().Set("Content-Type", "application/x-ndjson")
	flush := http.NewResponseController(w)
	lines := json.NewEncoder(w)
	var reported uint64
	for err := flush.Flush(); err == nil; err = flush.Flush() {
		select {
		case <-r.Context().Done():
			return
		case h := <-hits:
			if n := k.hits.Missed(hits); n > reported {
				if err := lines.Encode(missed{n - reported}); err != nil {
					return
				}
				reported = n
			}
			if err := lines.Encode(h); err != nil {
				return
			}
		}
	}
}

// Client changes and reads the rules of a running cable over its control socket.
type Client struct {
	http http.Client
}

// NewClient returns a client of the control socket with that path.
func NewClient(path string) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}
	return &Client{http.Client{Transport: &http.Transport{DialContext: dial}}}
}

// Close closes the connections of the client.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// request sends a request and decodes the answer into the object at the pointer into. If into is nil, request returns
// the body of the answer, which the caller reads and closes.
func (c *Client) request(ctx context.Context, method, path string, body, into any) (io.ReadCloser, error) {
	var octets strings.Builder
	if body != nil {
		if err := json.NewEncoder(&octets).Encode(body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://cable"+path, strings.NewReader(octets.String()))
	if err != nil {
		return nil, err
	}
	response, err := c.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("the cable does not answer: %w", err)
	}
	if response.StatusCode >= 300 {
		defer response.Body.Close()
		var refused refusal
		if err := json.NewDecoder(response.Body).Decode(&refused); err != nil || refused.Error == "" {
			return nil, errors.New(response.Status)
		}
		return nil, errors.New(refused.Error)
	}
	if into == nil {
		return response.Body, nil
	}
	defer response.Body.Close()
	return nil, json.NewDecoder(response.Body).Decode(into)
}

// Add adds a rule and returns its id. When it returns, the wire obeys the rule.
func (c *Client) Add(ctx context.Context, words string) (id string, err error) {
	var answer added
	_, err = c.request(ctx, http.MethodPost, "/v1/rules", newRule{words}, &answer)
	return answer.ID, err
}

// Rules returns all rules with their counts.
func (c *Client) Rules(ctx context.Context) (all []RuleStatus, err error) {
	_, err = c.request(ctx, http.MethodGet, "/v1/rules", nil, &all)
	return all, err
}

// Report returns the counters of the cable, and the measurements of its wire.
func (c *Client) Report(ctx context.Context) (r Report, err error) {
	_, err = c.request(ctx, http.MethodGet, "/v1/report", nil, &r)
	return r, err
}

// Clear sets the counts of the analysis to 0 and empties its histograms.
func (c *Client) Clear(ctx context.Context) error {
	_, err := c.request(ctx, http.MethodPost, "/v1/clear", nil, &struct{}{})
	return err
}

// Change arms, pauses or releases a rule, by verb.
func (c *Client) Change(ctx context.Context, id, verb string) error {
	_, err := c.request(ctx, http.MethodPost, "/v1/rules/"+id+"/"+verb, nil, &added{})
	return err
}

// Delete removes a rule; frames held by the rule go on.
func (c *Client) Delete(ctx context.Context, id string) error {
	_, err := c.request(ctx, http.MethodDelete, "/v1/rules/"+id, nil, &added{})
	return err
}

// Watch returns a line of JSON for each hit until it is closed: a RuleHit, or how many are missing because nobody read.
func (c *Client) Watch(ctx context.Context) (io.ReadCloser, error) {
	return c.request(ctx, http.MethodGet, "/v1/rules/watch", nil, nil)
}
