package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// cpuTime returns the CPU time of a process's threads so far, in ns, softirqs that interrupted them included.
// (/proc/PID/stat only counts ticks, inexactly.) of is called with each thread's name and reports whether the
// thread counts.
func cpuTime(pid int, of func(thread string) bool) (sum int64, err error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil || len(threads) == 0 {
		return 0, fmt.Errorf("process %d has no threads", pid)
	}
	for _, thread := range threads {
		name, err := os.ReadFile(filepath.Join(thread, "comm"))
		if err != nil || !of(string(name)) {
			continue // ended, or another thread
		}
		ns, err := threadTime(thread)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
			continue
		}
		if err != nil {
			return 0, err
		}
		sum += ns
	}
	return sum, nil
}

func every(string) bool { return true }

// threadTime returns the CPU time of one thread so far, in ns. dir is the thread's directory, /proc/PID/task/TID.
func threadTime(dir string) (ns int64, err error) {
	file := filepath.Join(dir, "schedstat")
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	if ns, err = strconv.ParseInt(strings.Fields(string(text))[0], 10, 64); err != nil {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	return ns, nil
}
