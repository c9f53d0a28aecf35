package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/lab/rig"
)

// lockLab locks the file labLock, so that a machine has one lab at a time, removes what a killed lab has left, and
// writes the ID of this process into the file. It returns an error at once if another process has the lock. The lock
// ends when the file is closed or the process ends.
func lockLab() (*os.File, error) {
	f, err := openLock()
	if err != nil {
		return nil, err
	}
	taken, err := tryLock(f)
	switch {
	case err == nil && !taken:
		err = errors.New("a lab is up already: take it down by uelink lab down")
	case err == nil:
		_, err = removeRemains(f)
	}
	if err = errors.Join(err); err == nil {
		err = errors.Join(f.Truncate(0), write(f, strconv.Itoa(os.Getpid())))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func openLock() (*os.File, error) { return os.OpenFile(labLock, os.O_RDWR|os.O_CREATE, 0o600) }

// tryLock locks the open file labLock, and reports whether no other process has the lock.
func tryLock(f *os.File) (bool, error) {
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
	case errors.Is(err, unix.EWOULDBLOCK):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("lock %s: %w", labLock, err)
	}
	return true, nil
}

// write writes text to the beginning of a file.
func write(f *os.File, text string) error {
	_, err := f.WriteAt([]byte(text), 0)
	return err
}

// labProcess returns the process ID in the file labLock; 0 if there is none.
func labProcess(f *os.File) int {
	text := make([]byte, 32)
	n, _ := f.ReadAt(text, 0) // an empty file has no ID
	pid, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	if err != nil || pid <= 1 {
		return 0
	}
	return pid
}

// removeRemains removes everything that a killed lab has left: processes, namespaces with their interfaces, files. The
// caller has locked file f, so the process whose ID is in f has ended. removeRemains reports whether there was
// something to remove.
func removeRemains(f *os.File) (bool, error) {
	pid := labProcess(f)
	if pid == 0 {
		return false, nil
	}
	spaces, err := netns.FindByProcess(pid)
	if err != nil {
		return false, err
	}
	names, err := filepath.Glob(filepath.Join(netns.Dir, labPrefix+"*"))
	if err != nil {
		return false, err
	}
	dir := dirPrefix + strconv.Itoa(pid)
	if _, err := os.Lstat(labDir); err == nil {
		names = append(names, labDir)
	}
	problems := []error{netns.EndProcesses(stopPatience, spaces...), netns.Remove(spaces...)}
	for _, name := range names {
		problems = append(problems, os.Remove(name))
	}
	_, missing := os.Lstat(dir)
	problems = append(problems, removeDir(dir), rig.RemoveOf(pid), f.Truncate(0))
	return len(spaces)+len(names) > 0 || missing == nil, errors.Join(problems...)
}

// labDown ends the process of the lab that is up, and waits until the process has removed everything and freed the
// lock. After 10 s it kills the process. It removes what a killed lab has left, and prints to w what it found: a killed
// lab, or no lab. ctx ends the wait.
func labDown(ctx context.Context, w io.Writer) error {
	f, err := openLock()
	if err != nil {
		return explained(err)
	}
	defer f.Close()
	killAt := time.Now().Add(2 * stopPatience)
	for asked := unix.Signal(0); ; { // asked is the last signal sent to the lab's process
		taken, err := tryLock(f)
		if err != nil {
			return err
		}
		if taken {
			return removeAndTell(f, asked, w)
		}
		signal := unix.SIGTERM
		if time.Now().After(killAt) {
			signal = unix.SIGKILL
		}
		if pid := labProcess(f); pid != 0 && signal != asked {
			if err := unix.Kill(pid, signal); err != nil && !errors.Is(err, unix.ESRCH) {
				return explained(err)
			}
			asked = signal
		}
		select {
		case <-time.After(askEvery):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// removeAndTell removes what a lab has left behind, if it has, and prints what was there. asked is the signal that the
// lab was ended with, 0 if no lab was up.
func removeAndTell(f *os.File, asked unix.Signal, w io.Writer) error {
	left, err := removeRemains(f)
	switch {
	case err != nil:
		return err
	case asked == unix.SIGKILL:
		_, err = fmt.Fprintf(w, "the lab did not end in %v and was killed: see %s\n", 2*stopPatience, labLog)
	case asked == 0 && left:
		_, err = fmt.Fprintln(w, "the lab had been killed: everything that it left is removed")
	case asked == 0:
		_, err = fmt.Fprintln(w, "no lab is up")
	}
	return err
}

// labNow returns the lab that is up. It is an error if there is none, or if it has not come up yet.
func labNow() (l Lab, err error) {
	f, err := openLock()
	if err != nil {
		return l, explained(err)
	}
	defer f.Close()
	taken, err := tryLock(f)
	switch {
	case err != nil:
		return l, err
	case taken && labProcess(f) != 0:
		return l, errors.New("the lab has been killed: remove what it left by uelink lab down")
	case taken:
		return l, errors.New("no lab is up: start one by uelink lab up")
	}
	text, err := os.ReadFile(filepath.Join(labDir, labNames))
	if errors.Is(err, os.ErrNotExist) {
		return l, errors.New("the lab is not up yet, or on its way down")
	}
	if err != nil {
		return l, err
	}
	return l, json.Unmarshal(text, &l)
}
