package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/client"
	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/dataplane/model"
)

// watched is a server whose watchers may lag as limits say, and one watcher.
func watched(t *testing.T, limits watchLimits) (*controltest.Backend, *Server, *client.Watch) {
	t.Helper()
	b, s, w, _ := watchedAt(t, limits)
	return b, s, w
}

// watchedAt is watched with the path of the server's socket.
func watchedAt(t *testing.T, limits watchLimits) (*controltest.Backend, *Server, *client.Watch, string) {
	t.Helper()
	b := controltest.New(nil, nil)
	s := NewServer(b, &controltest.LLDP{}, zap.NewNop(), zap.NewAtomicLevel(), api.Status{})
	s.limit(limits)
	s.http.ReadTimeout = 20 * time.Millisecond // a watch outlives it
	l, err := Listen(t.Context(), Socket{Path: filepath.Join(t.TempDir(), "s"), Mode: 0o600})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	c := client.NewClient(l.Addr().String())
	w, err := c.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.Close()
		c.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := errors.Join(s.Shutdown(ctx), <-served); err != nil {
			t.Error(err)
		}
		if n := b.Subscribers(); n != 0 {
			t.Errorf("%d subscriptions left", n)
		}
	})
	return b, s, w, l.Addr().String()
}

func event(n int) model.Event {
	return model.Event{Time: time.Unix(int64(n), 0).UTC(), Port: "link0", Kind: model.EventLLRTxStatus,
		Text: fmt.Sprint(n)}
}

func TestWatch(t *testing.T) {
	b, _, w := watched(t, defaultWatchLimits)
	time.Sleep(50 * time.Millisecond) // longer than the server reads a request
	for n := range 20 {
		if !b.Emit(event(n), 5*time.Second) {
			t.Fatal("the data plane was held up")
		}
		if e, err := w.Next(); err != nil || e != api.PortEvent(event(n)) {
			t.Fatalf("%+v, %v", e, err)
		}
	}
}

func expectEnd(t *testing.T, w *client.Watch, why string) {
	t.Helper()
	for {
		e, err := w.Next()
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != api.EventEnd {
			continue
		}
		if e.Text != why || e.Time.IsZero() {
			t.Errorf("last line %+v", e)
		}
		break
	}
	if _, err := w.Next(); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
}

func TestWatchEndsWithTheDaemon(t *testing.T) {
	_, s, w := watched(t, defaultWatchLimits)
	stopped := make(chan error)
	go func() { stopped <- s.Shutdown(t.Context()) }()
	expectEnd(t, w, endStop)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func TestWatcherDroppedByTheDataPlane(t *testing.T) {
	b, _, w := watched(t, defaultWatchLimits)
	b.Drop()
	expectEnd(t, w, endSlow)
}

// long is an event that no socket buffer has room for: writing it waits for the
// watcher to read.
func long() model.Event {
	e := event(0)
	e.Text = strings.Repeat("x", 1<<20)
	return e
}

// unsubscribed waits until the server wants no more events.
func unsubscribed(t *testing.T, b *controltest.Backend) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); b.Subscribers() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("still subscribed")
		}
	}
}

// One that reads again in time learns that it lost events; the data plane never
// waits for it.
func TestSlowWatcherGetsALastLine(t *testing.T) {
	b, _, w := watched(t, watchLimits{most: 10, queue: 4, stall: 10 * time.Second})
	for _, e := range []model.Event{long(), event(1), event(2), event(3), event(4), event(5), event(6)} {
		if !b.Emit(e, 5*time.Second) && b.Subscribers() > 0 {
			t.Fatal("the data plane was held up")
		}
	}
	expectEnd(t, w, endSlow)
	unsubscribed(t, b)
}

// One that never reads loses its connection.
func TestStalledWatcherIsCutOff(t *testing.T) {
	b, _, w := watched(t, watchLimits{most: 10, queue: 4, stall: 50 * time.Millisecond})
	b.Emit(long(), time.Second)
	unsubscribed(t, b)
	if e, err := w.Next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d octets, %v", len(e.Text), err)
	}
}

func TestWatcherLeaves(t *testing.T) {
	b, _, w := watched(t, defaultWatchLimits)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	unsubscribed(t, b)
}

// A watch goes on with the server that has taken over the socket, without an event twice.
func TestWatchGoesOnAfterAnUpgrade(t *testing.T) {
	b := controltest.New(nil, nil)
	socket := Socket{Path: filepath.Join(t.TempDir(), "s"), Mode: 0o600}
	serve := func(l net.Listener) *Server {
		s := NewServer(b, &controltest.LLDP{}, zap.NewNop(), zap.NewAtomicLevel(), api.Status{})
		served := make(chan error, 1)
		go func() { served <- s.Serve(l) }()
		t.Cleanup(func() {
			if err := errors.Join(s.Shutdown(context.Background()), <-served); err != nil {
				t.Error(err)
			}
		})
		return s
	}
	l, err := Listen(t.Context(), socket)
	if err != nil {
		t.Fatal(err)
	}
	fds, err := HandOver(l)
	if err != nil {
		t.Fatal(err)
	}
	for i := range fds { // as another process gets them
		if fds[i], err = unix.FcntlInt(uintptr(fds[i]), unix.F_DUPFD_CLOEXEC, 0); err != nil {
			t.Fatal(err)
		}
	}
	first := serve(l)
	c := client.NewClient(socket.Path)
	defer c.Close()
	w, err := c.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	at := time.Now()
	tell := func(n int) {
		e := model.Event{Time: at.Add(time.Duration(n) * time.Second), Kind: model.EventUpgrade, Text: fmt.Sprint(n)}
		b.Emit(e, 5*time.Second)
	}
	expect := func(n int) {
		t.Helper()
		if e, err := w.Next(); err != nil || e.Text != fmt.Sprint(n) {
			t.Errorf("%+v, %v; want %d", e, err, n)
		}
	}
	tell(1)
	expect(1)
	Leave(l)
	first.Upgraded()
	if err := first.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	tell(2) // nobody watches
	tell(3)
	next, err := Adopt(socket, fds)
	if err != nil {
		t.Fatal(err)
	}
	second := serve(next)
	expect(2)
	expect(3)
	tell(4)
	expect(4)
	if err := second.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	expectEnd(t, w, endStop)
}
