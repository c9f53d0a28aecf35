package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/client"
	"uelink/control/api"
)

// scarce is a listener whose first connections find no file descriptor.
type scarce struct {
	net.Listener
	refuse func() error
}

func (s *scarce) Accept() (net.Conn, error) {
	if err := s.refuse(); err != nil {
		return nil, err
	}
	return s.Listener.Accept()
}

// stillOpen is how many of the ends of connections that a server has are still open.
func stillOpen(ends []net.Conn) (n int) {
	for _, c := range ends {
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			n++
		}
	}
	return n
}

// Without a descriptor the connection that asks nothing for the longest time gives its own; one
// that is being answered keeps it.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	_, s, _, socket := watchedAt(t, defaultWatchLimits) // it has a connection that is no idle one
	f := &s.files
	var idle []net.Conn
	for i := range 3 {
		c, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		idle = append(idle, c)
		waitFor(t, "the connection to be taken", func() bool {
			f.mu.Lock()
			defer f.mu.Unlock()
			return len(f.idle) == i+1
		})
	}
	if f.evict(time.Hour) {
		t.Error("a connection was closed that has just come")
	}
	for left := 2; left >= 0; left-- {
		if !f.evict(0) {
			t.Fatal("no connection was found")
		}
		if n := stillOpen(idle); n != left {
			t.Errorf("%d connections are open, want %d", n, left)
		}
		if left > 0 && stillOpen(idle[2:]) != 1 {
			t.Error("the last one was closed before the others")
		}
	}
	if f.evict(0) {
		t.Error("the watcher's connection was closed")
	}
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// When nothing is idle the reserve is used, and filled again; then the server has to wait.
func TestReserveOfDescriptors(t *testing.T) {
	f := &files{log: zap.NewNop()}
	f.refill()
	if len(f.spare) != spares || f.scarce() {
		t.Fatalf("%d descriptors in reserve", len(f.spare))
	}
	refusals := 0
	l := &frugal{files: f, Listener: &scarce{refuse: func() error {
		refusals++
		return unix.EMFILE
	}}}
	if _, err := l.Accept(); !errors.Is(err, unix.EMFILE) || refusals != spares+1 || len(f.spare) != 0 || !f.scarce() {
		t.Errorf("%v after %d refusals, %d in reserve", err, refusals, len(f.spare))
	}
	broken := errors.New("broken")
	l.Listener = &scarce{refuse: func() error { return broken }}
	if _, err := l.Accept(); err != broken {
		t.Errorf("%v", err)
	}
	f.refill()
	if len(f.spare) != spares {
		t.Errorf("%d descriptors in reserve", len(f.spare))
	}
	f.close()
}

// More than so many watchers are told to wait for the end of others.
func TestTooManyWatchers(t *testing.T) {
	_, _, _, socket := watchedAt(t, watchLimits{most: 2, queue: 4, stall: time.Second})
	c := client.NewClient(socket)
	defer c.Close()
	second, err := c.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var refused *api.Error
	_, err = c.Watch(t.Context())
	if !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable ||
		!strings.Contains(err.Error(), "2 clients watch already, and no more may: end some") {
		t.Errorf("the third: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	waitFor(t, "room for another", func() bool {
		third, err := c.Watch(t.Context())
		if err == nil {
			third.Close()
		}
		return err == nil
	})
}

// A thousand watchers are a thousand places in one ring: each costs its connection and no more.
func TestAThousandWatchersCostBoundedMemory(t *testing.T) {
	const watchers, events, each = 1000, 100, 80 << 10 // octets, client and server together
	b, _, _, socket := watchedAt(t, watchLimits{most: watchers + 1, queue: 1024, stall: time.Minute})
	before := memory()
	c := client.NewClient(socket)
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	all := make([]*client.Watch, watchers)
	for i := range all {
		var err error
		if all[i], err = c.Watch(ctx); err != nil {
			t.Fatalf("watcher %d: %v", i, err)
		}
		defer all[i].Close()
	}
	for n := range events { // none of them reads: what they lag behind is there once
		if !b.Emit(event(n), 5*time.Second) {
			t.Fatal("the data plane was held up")
		}
	}
	used := memory() - before
	t.Logf("%d watchers: %d octets each", watchers, used/watchers)
	if used > watchers*each {
		t.Errorf("%d watchers take %d octets, more than %d each", watchers, used, each)
	}
	for i, one := range all {
		for n := range events {
			if e, err := one.Next(); err != nil || e.Text != fmt.Sprint(n) {
				t.Fatalf("watcher %d: %+v, %v", i, e, err)
			}
		}
	}
	if n := b.Subscribers(); n != 1 {
		t.Errorf("%d subscriptions for %d watchers", n, watchers)
	}
}

// memory is what the process uses, octets.
func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}
