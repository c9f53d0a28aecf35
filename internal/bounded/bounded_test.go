package bounded

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// serve serves a handler over two connections at an address of loopback, until the end of the test.
func serve(t *testing.T, h http.HandlerFunc) (address string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: time.Hour}
	ended := make(chan error)
	go func() { ended <- Serve(s, l, 2) }()
	t.Cleanup(func() {
		_ = s.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// dial opens a connection without a request until the end of the test.
func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// get returns the text that the server answers to a request on a connection of its own.
func get(t *testing.T, ctx context.Context, address string) (string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return string(text), err
}

// A thousand connections that ask for nothing, some with half a request, keep nobody away.
func TestConnectionsWithoutARequestMakeRoom(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "page") })
	for i := range 1000 {
		c := dial(t, address)
		if i%2 == 0 {
			_, _ = io.WriteString(c, "GET / HT") // an error: it had to make room already
		}
		if i%100 == 99 {
			if text, err := get(t, t.Context(), address); text != "page" {
				t.Fatalf("after %d connections the answer is %q, %v", i+1, text, err)
			}
		}
	}
}

// Connections with requests are never closed for others, which are closed instead.
func TestConnectionsWithRequestsStay(t *testing.T) {
	began, end := make(chan struct{}), make(chan struct{})
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		began <- struct{}{}
		<-end
		_, _ = io.WriteString(w, "stream")
	})
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 2)
	for range 2 {
		go func() {
			text, err := get(t, t.Context(), address)
			answers <- answer{text, err}
		}()
		<-began
	}
	if n, err := dial(t, address).Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("a third connection: %d octets, %v", n, err)
	}
	close(end)
	for range 2 {
		if a := <-answers; a.text != "stream" {
			t.Errorf("%+v", a)
		}
	}
}
