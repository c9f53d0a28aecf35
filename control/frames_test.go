package control_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/gopacket/gopacket/pcapgo"

	"uelink/control/api"
	"uelink/control/controltest"
)

// begun is the watch of frames that stands at a backend.
func begun(t *testing.T, b *controltest.Backend) *controltest.Watched {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if w := b.Watched(); w != nil {
			return w
		}
	}
	t.Fatal("no watch has begun")
	return nil
}

// ended waits until nobody watches frames.
func ended(t *testing.T, b *controltest.Backend) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); b.Watched() != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the watch goes on")
		}
	}
}

// What a port sends comes as pcapng while it does, and stops when the port goes.
func TestWatchFrames(t *testing.T) {
	b := controltest.New(controltest.Ports(), nil)
	c := startWith(t, b, controltest.NewLLDP()).client
	frames, err := c.WatchFrames(t.Context(), "eth1", 2) // the interface of link0
	if err != nil {
		t.Fatal(err)
	}
	defer frames.Close()
	w := begun(t, b)
	if w.Every != 2 {
		t.Errorf("one frame of %d, want one of 2", w.Every)
	}
	for _, text := range []string{"first", "second", "third", "fourth"} {
		w.Pass([]byte(text))
	}
	w.End()
	r, err := pcapgo.NewNgReader(frames, pcapgo.DefaultNgReaderOptions)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"second", "fourth"} {
		got, _, err := r.ReadPacketData()
		if err != nil || !bytes.Equal(got, []byte(want)) {
			t.Fatalf("frame %q, %v, want %q", got, err, want)
		}
	}
	if _, _, err := r.ReadPacketData(); !errors.Is(err, io.EOF) {
		t.Errorf("after the port has gone: %v, want the end of the stream", err)
	}
	ended(t, b)
}

// One watches a port at a time; who leaves makes room.
func TestWatchFramesOneAtATime(t *testing.T) {
	b := controltest.New(controltest.Ports(), nil)
	c := startWith(t, b, controltest.NewLLDP()).client
	frames, err := c.WatchFrames(t.Context(), "link0", 1)
	if err != nil {
		t.Fatal(err)
	}
	begun(t, b)
	_, err = c.WatchFrames(t.Context(), "link0", 1)
	var e *api.Error
	if !errors.As(err, &e) || e.Status != http.StatusConflict || e.Field != "port" {
		t.Errorf("a second watch: %v, want a conflict", err)
	}
	frames.Close()
	ended(t, b)
	frames, err = c.WatchFrames(t.Context(), "link0", 1)
	if err != nil {
		t.Fatalf("after the first has left: %v", err)
	}
	begun(t, b)
	frames.Close()
	ended(t, b)
}

// What cannot be watched is refused with the field that is wrong.
func TestWatchFramesRefused(t *testing.T) {
	d := start(t, controltest.Ports())
	for path, want := range map[string]int{
		"/v1/ports/none/frames":                    http.StatusNotFound,
		"/v1/ports/link0/frames?every=0":           http.StatusBadRequest,
		"/v1/ports/link0/frames?every=x":           http.StatusBadRequest,
		"/v1/ports/link0/frames?every=-1":          http.StatusBadRequest,
		"/v1/ports/link0/frames?evry=1":            http.StatusBadRequest,
		"/v1/ports/link0/frames?every=99999999999": http.StatusBadRequest,
	} {
		if got, body := d.request(t, http.MethodGet, path, ""); got.StatusCode != want {
			t.Errorf("%s: %d %s, want %d", path, got.StatusCode, body, want)
		}
	}
}
