package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// A daemon that systemd starts again at once after each crash would attach the interfaces once a second, and each time
// their partners would lose the carrier. So a start waits after several starts in a row whose processes lived shorter
// than steadyAfter. The first quickStarts starts do not wait; the next waits 1 s, and each further one twice as long,
// up to longestWait.
const (
	steadyAfter = time.Minute
	quickStarts = 4
	longestWait = 30 * time.Second
)

// startedBySystemd reports whether systemd has started this process, by the variable SYSTEMD_EXEC_PID
// (systemd.exec(5)), and therefore starts the next process by itself.
func startedBySystemd() bool { return os.Getenv("SYSTEMD_EXEC_PID") == strconv.Itoa(os.Getpid()) }

// starts is a file that counts the starts of a daemon by systemd. An end in order removes the file.
type starts struct{ file string }

// startsOf returns the file that counts the starts of the daemon with this control socket: several daemons may share
// the state directory.
func startsOf(socket string) starts {
	return starts{filepath.Join(filepath.Dir(recordDirectory()), "starts", filepath.Base(eventsFile(socket)))}
}

// start is the content of the file.
type start struct {
	InARow int       `json:"in_a_row"` // earlier starts whose process ended early
	At     time.Time `json:"at"`       // of the start, after its wait
}

// next returns the start that follows the start s (nil: none) at a time, and how long it has to wait. A start within
// steadyAfter of the last is one more in a row, and waits from quickStarts in a row on.
func (s *start) next(now time.Time) (start, time.Duration) {
	n := start{At: now}
	if s != nil && now.Sub(s.At) < steadyAfter {
		n.InARow = s.InARow + 1
	}
	if n.InARow < quickStarts {
		return n, 0
	}
	wait := min(time.Second<<min(n.InARow-quickStarts, 10), longestWait)
	n.At = now.Add(wait)
	return n, wait
}

// counted is the start of this process, and the file in which the start is counted.
type counted struct {
	file starts
	start
	err error // reason why the file lacks the start; nil: written, or not needed
}

// write writes the start to the file.
func (c *counted) write() error {
	text, err := json.Marshal(c.start)
	if err != nil {
		return err
	}
	return replace(c.file.file, text)
}

// count counts a start in the file, and returns the start and the time to wait. A damaged file counts as empty. A file
// that cannot be read or written is an error, with n and wait as far as they are known.
func (f starts) count(now time.Time) (n start, wait time.Duration, err error) {
	var last *start
	text, err := os.ReadFile(f.file)
	if err == nil && json.Unmarshal(text, &last) != nil {
		last = nil
	}
	n, wait = last.next(now)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return n, wait, errors.Join(err, (&counted{file: f, start: n}).write())
}

// ended removes the file at an end in order, and at an end without a next start by systemd.
func (f starts) ended(code int) {
	if code != exitFailed {
		_ = os.Remove(f.file) // an error means that there is no file, or that the next start waits in vain
	}
}
