package main

import (
	"fmt"
	"os"
	"syscall"
)

// An upgrade needs file descriptors in both processes. The daemon keeps all that it has open, and needs some more for
// the program, the relay, the successor's process and the requests of the API. The successor gets every descriptor of
// the interfaces and listeners, and opens sockets of its own as this daemon has done. So each of them needs as many as
// are open here now, and upgradeFDs more.
const upgradeFDs = 16

// openFiles is the number of open files of a process, and the limit: soft (RLIMIT_NOFILE), which the process may raise
// up to hard.
type openFiles struct{ open, limit, hard uint64 }

// ownFiles returns the number of open files of this process, and its limits.
func ownFiles() (f openFiles, err error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return f, err
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return f, err
	}
	// less 1: the descriptor by which ReadDir has read the folder
	return openFiles{open: uint64(len(open)) - 1, limit: limit.Cur, hard: limit.Max}, nil
}

// trouble returns in words that an upgrade of process pid would fail, with the commands that raise the limit; "" if
// the process may open enough files for an upgrade. The commands allow twice the files that are needed, and never
// lower a limit.
func (f openFiles) trouble(pid int) string {
	needs := f.open + upgradeFDs
	if needs <= f.limit {
		return ""
	}
	return fmt.Sprintf("an upgrade would fail: it needs %d open files in each process (%d are open now), and each may "+
		"have %d: type: prlimit --pid %d --nofile=%d; for later starts set LimitNOFILE=%[5]d of the service "+
		"(systemctl edit uelinkd)", needs, f.open, f.limit, pid, max(2*needs, f.hard))
}

// passLimit makes child processes inherit the present limit of open files, which somebody may have set since the start.
// Otherwise Go gives them the limit from before the start.
func passLimit() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit) // after an error, the successor has the limit of the start
	}
}
