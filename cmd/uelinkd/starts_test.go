package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"

	"uelink/config"
	"uelink/control/api"
)

// A few starts in a row are quick, the next wait longer and longer. A process that lived long, and an end in order,
// begin the row again.
func TestStartsInARow(t *testing.T) {
	t.Setenv("STATE_DIRECTORY", t.TempDir())
	f, now := startsOf(api.DefaultSocket), time.Date(2026, 11, 28, 8, 0, 0, 0, time.UTC)
	start := func(want time.Duration) {
		t.Helper()
		_, wait, err := f.count(now)
		if err != nil || wait != want {
			t.Errorf("it waits %v, want %v: %v", wait, want, err)
		}
		now = now.Add(wait + time.Second)
	}
	for _, want := range []time.Duration{0, 0, 0, 0, 1, 2, 4, 8, 16, 30, 30, 30} {
		start(want * time.Second)
	}
	now = now.Add(steadyAfter)
	start(0)
	for range quickStarts - 1 {
		start(0)
	}
	start(time.Second)
	f.ended(exitFailed)
	start(2 * time.Second)
	f.ended(0)
	for range quickStarts {
		start(0)
	}
	if err := os.WriteFile(f.file, []byte("{damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	start(0)
}

// A clock that was set back does not make a start wait longer than any other.
func TestClockSetBackBetweenStarts(t *testing.T) {
	last := start{InARow: 1000, At: time.Date(2026, 11, 28, 8, 0, 0, 0, time.UTC)}
	if _, wait := last.next(last.At.Add(-time.Hour)); wait != longestWait {
		t.Errorf("it waits %v", wait)
	}
}

// A signal ends a start that waits, and the next start does not wait.
func TestSignalEndsTheWait(t *testing.T) {
	t.Setenv("STATE_DIRECTORY", t.TempDir())
	f := startsOf(api.DefaultSocket)
	for range quickStarts + 5 {
		if _, _, err := f.count(time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	signals := make(chan os.Signal, 1)
	signals <- syscall.SIGTERM
	d := &daemon{log: zap.NewNop(), config: &config.Config{}}
	if d.waitBeforeStart(f, signals) {
		t.Error("it starts")
	}
	if _, wait, err := f.count(time.Now()); wait != 0 || err != nil {
		t.Errorf("the next start waits %v, %v", wait, err)
	}
}

// A state directory that cannot be written costs the wait, not the start.
func TestStartsCannotBeCounted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("STATE_DIRECTORY", file)
	d := &daemon{log: zap.NewNop()}
	if !d.waitBeforeStart(startsOf(api.DefaultSocket), nil) {
		t.Error("it does not start")
	}
}
