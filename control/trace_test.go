package control_test

import (
	"errors"
	"io"
	"net/http"
	"reflect"
	"testing"
	"time"

	"uelink/client"
	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/dataplane/model"
)

// A trace delivers the frames that have ended at once, those under way at the end of its time, and then it ends.
func TestTrace(t *testing.T) {
	b := controltest.New(controltest.Ports(), nil)
	c := startWith(t, b, controltest.NewLLDP()).client
	trace, err := c.Trace(t.Context(), "veth1", client.TraceQuery{ // the interface of edge0
		Count: 3, Timeout: 50 * time.Millisecond, Hosts: []string{"02:00:00:00:00:01", "fe80::1"}, Types: []uint16{0x800},
		VCs: []uint{0, 31},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	_, err = c.Trace(t.Context(), "edge0", client.TraceQuery{})
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Status != http.StatusConflict || refused.Field != "port" {
		t.Errorf("a second trace: %v", err)
	}
	var got []model.TracedFrame
	for {
		f, err := trace.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, f)
	}
	if want := controltest.TracedFrames(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
	const call = "TraceFrames edge0 3 {MACs:[02:00:00:00:00:01] IPs:[fe80::1] EtherTypes:[2048] Queues:[0 31]}"
	if calls := b.Calls(); calls[0] != call {
		t.Errorf("%q, want %q", calls, call)
	}
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) { // the daemon notices the end
		next, err := c.Trace(t.Context(), "edge0", client.TraceQuery{Count: 1})
		if err == nil {
			next.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after the end of a trace: %v", err)
		}
	}
}

// What cannot be traced is refused with the field that is wrong.
func TestTraceRefused(t *testing.T) {
	d := start(t, controltest.Ports())
	for query, want := range map[string]int{
		"none/trace":                http.StatusNotFound,
		"link0/trace?count=0":       http.StatusBadRequest,
		"link0/trace?count=1001":    http.StatusBadRequest,
		"link0/trace?count=x":       http.StatusBadRequest,
		"link0/trace?timeout=0s":    http.StatusBadRequest,
		"link0/trace?timeout=61m":   http.StatusBadRequest,
		"link0/trace?timeout=soon":  http.StatusBadRequest,
		"link0/trace?host=02:00":    http.StatusBadRequest,
		"link0/trace?type=65536":    http.StatusBadRequest,
		"link0/trace?vc=32":         http.StatusBadRequest,
		"link0/trace?vc=1&vc=2":     http.StatusBadRequest,
		"link0/trace?every=1":       http.StatusBadRequest,
		"link0/trace?type=,&host=x": http.StatusBadRequest,
	} {
		if got, body := d.request(t, http.MethodGet, "/v1/ports/"+query, ""); got.StatusCode != want {
			t.Errorf("%s: %d %s, want %d", query, got.StatusCode, body, want)
		}
	}
}
