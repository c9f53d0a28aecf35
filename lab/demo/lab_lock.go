package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// lockLab locks the file labLock, so that a machine has one lab at a time, and writes the ID of this process into
// the file. It returns an error at once if another process has the lock. The lock ends when the file is closed or
// the process ends.
func lockLab() (*os.File, error) {
	f, err := os.OpenFile(labLock, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, errors.New("a lab is up already: take it down by uelink lab down")
		}
		return nil, fmt.Errorf("lock %s: %w", labLock, err)
	}
	if err := errors.Join(f.Truncate(0), write(f, strconv.Itoa(os.Getpid()))); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func write(f *os.File, text string) error {
	_, err := f.WriteAt([]byte(text), 0)
	return err
}

// labDown ends the process of the lab that is up, and waits, at most 10 s, until the process has removed
// everything and freed the lock. Without a lab it only prints that there is none.
func labDown(ctx context.Context, w io.Writer) error {
	f, err := os.OpenFile(labLock, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return explained(err)
	}
	defer f.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, 2*stopPatience, errors.New("the lab did not end: see "+labLog))
	defer cancel()
	for asked := false; ; {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case err == nil && asked:
			return nil
		case err == nil:
			_, err := fmt.Fprintln(w, "no lab is up")
			return err
		case !errors.Is(err, unix.EWOULDBLOCK):
			return fmt.Errorf("lock %s: %w", labLock, err)
		}
		if !asked {
			if err := endLab(); err != nil {
				return err
			}
			asked = true
		}
		select {
		case <-time.After(askEvery):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// endLab sends SIGTERM to the process of the lab, whose ID is in the file labLock, and does not wait for its end.
func endLab() error {
	text, err := os.ReadFile(labLock)
	if err != nil {
		return err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 1 {
		return fmt.Errorf("%s has no process ID: %q", labLock, text)
	}
	return unix.Kill(pid, unix.SIGTERM)
}
