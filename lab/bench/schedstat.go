package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the CPU time of a process's threads so far, in ns, softirqs that interrupted them included.
// (/proc/PID/stat only counts ticks, inexactly.) match is called with each thread's name and reports whether the
// thread counts.
func cpuTime(pid int, match func(thread string) bool) (sum int64, err error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil || len(threads) == 0 {
		return 0, fmt.Errorf("process %d has no threads", pid)
	}
	for _, thread := range threads {
		name, err := os.ReadFile(filepath.Join(thread, "comm"))
		if err != nil || !match(string(name)) {
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

// besideBusiest calls task, and returns the CPU time, in seconds for each second, that the threads of a process took
// meanwhile, without the busiest thread: of a daemon with one worker, all that is not the frame path.
func besideBusiest(pid int, task func() error) (share float64, err error) {
	before, start := threadTimes(pid), time.Now()
	if err := task(); err != nil {
		return 0, err
	}
	took := time.Since(start)
	var sum, most int64
	for thread, ns := range threadTimes(pid) {
		ns -= before[thread]
		sum, most = sum+ns, max(most, ns)
	}
	return time.Duration(sum-most).Seconds() / took.Seconds(), nil
}

// threadTimes returns the CPU time of each thread of a process so far, in ns, by the thread's directory.
func threadTimes(pid int) map[string]int64 {
	times := map[string]int64{}
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid)) // the pattern is right
	for _, thread := range threads {
		if ns, err := threadTime(thread); err == nil { // else it has ended
			times[thread] = ns
		}
	}
	return times
}

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
