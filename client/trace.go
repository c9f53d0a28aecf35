package client

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"uelink/control/api"
)

// TraceQuery chooses the frames of a trace. Empty lists choose all.
type TraceQuery struct {
	Count   int           // 1 to 1000; 0 is 10
	Timeout time.Duration // the trace ends after this time; 0 is 10 s
	Hosts   []string      // MAC and IP addresses that send or receive the frames
	Types   []uint16      // EtherTypes, behind VLAN tags
	VCs     []uint        // queues, or virtual channels, by which the frames leave
}

// Trace is a stream of traced frames.
type Trace struct {
	body   io.ReadCloser
	frames *json.Decoder
}

// Trace asks what becomes of the next frames that a port receives. Next of the returned Trace delivers each frame when
// it has ended, and those still under way when the time is over, until ctx ends or Close is called.
func (c *Client) Trace(ctx context.Context, port string, q TraceQuery) (*Trace, error) {
	query := url.Values{}
	set := func(key string, values ...string) {
		if len(values) > 0 {
			query.Set(key, strings.Join(values, ","))
		}
	}
	if q.Count != 0 {
		set("count", strconv.Itoa(q.Count))
	}
	if q.Timeout != 0 {
		set("timeout", q.Timeout.String())
	}
	set("host", q.Hosts...)
	set("type", decimals(q.Types)...)
	set("vc", decimals(q.VCs)...)
	response, err := c.send(ctx, http.MethodGet, "/v1/ports/"+url.PathEscape(port)+"/trace?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	return &Trace{response.Body, json.NewDecoder(response.Body)}, nil
}

// decimals returns numbers as texts.
func decimals[N uint | uint16](numbers []N) (texts []string) {
	for _, n := range numbers {
		texts = append(texts, strconv.FormatUint(uint64(n), 10))
	}
	return texts
}

// Next waits for the next traced frame and returns it. At the end of the trace the error is io.EOF.
func (t *Trace) Next() (f api.TracedFrame, err error) {
	err = t.frames.Decode(&f)
	return f, err
}

// Close ends the trace.
func (t *Trace) Close() error { return t.body.Close() }
