package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// A daemon that is process 1 of a container becomes a reaper when it hands over: the container would end with process
// 1. So does a daemon whose parent is process 1 of a container, such as tini, which ends with its child. The reaper
// waits for every child, passes signals on to the present daemon, and ends with that daemon. When that daemon hands
// over and ends, its successor becomes a child of the reaper.

// reapFlag is the first argument of a reaper.
const reapFlag = "--reap"

// staysAsReaper reports whether a daemon must become a reaper after a handover: if it is process 1, or the child of
// process 1 without a service manager. pid and parent are the process ids, service is NOTIFY_SOCKET, args are the
// process's arguments. A successor never becomes one, because the first daemon has done so if it was needed.
func staysAsReaper(pid, parent int, service string, args []string) bool {
	return pid == 1 || parent == 1 && service == "" && !slices.Contains(args, takeoverFlag)
}

// stays reports whether this process must become a reaper after a handover: in a container, which would end with the
// process.
func stays() bool {
	return staysAsReaper(os.Getpid(), os.Getppid(), os.Getenv("NOTIFY_SOCKET"), os.Args)
}

// becomeReaper replaces this process by the same program in its role as a reaper, which waits for the daemon pid and
// its successors. The replacement frees the old daemon's memory and sockets. Signals are blocked until the reaper is
// ready. becomeReaper returns only with an error.
func becomeReaper(pid int) error {
	runtime.LockOSThread() // the new program begins with the mask of this thread
	var mask unix.Sigset_t
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM} {
		mask.Val[0] |= 1 << (s - 1)
	}
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &mask, nil); err != nil {
		return err
	}
	return syscall.Exec("/proc/self/exe", []string{os.Args[0], reapFlag, strconv.Itoa(pid)}, os.Environ())
}

// reap runs as the reaper in a container after the daemon has handed over: it passes signals on to the present
// daemon, pid at first, and collects children that end. It returns the exit code of the last daemon.
func reap(pid int, signals <-chan os.Signal) (code int) {
	ended := make(chan child)
	go waitForChildren(ended)
	for {
		select {
		case c, more := <-ended:
			switch next := 0; {
			case !more:
				return exitFailed
			case c.pid == pid:
				if next = successorOf("/proc", os.Getpid()); next == 0 {
					return c.code
				}
				pid = next
			}
		case s := <-signals:
			_ = unix.Kill(pid, s.(syscall.Signal)) // an error means that it has just ended
		}
	}
}

// child is an ended process.
type child struct{ pid, code int }

// waitForChildren waits for child processes that end, and sends each, with its exit code, to channel ended. It closes
// the channel when no child is left.
func waitForChildren(ended chan<- child) {
	defer close(ended)
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return
		case status.Signaled():
			ended <- child{pid, 128 + int(status.Signal())} // as a shell does
		default:
			ended <- child{pid, status.ExitStatus()}
		}
	}
}

// successorOf returns the process id of the child of process parent that runs as a daemon's successor (with the
// takeover flag); 0 if there is none. proc is the path of the proc(5) file system.
func successorOf(proc string, parent int) (pid int) {
	folders, _ := filepath.Glob(filepath.Join(proc, "[0-9]*")) // no error: the pattern is well formed
	for _, folder := range folders {
		stat, err := os.ReadFile(filepath.Join(folder, "stat"))
		if err != nil || parentIn(stat) != parent {
			continue
		}
		command, err := os.ReadFile(filepath.Join(folder, "cmdline"))
		if args := bytes.Split(command, []byte{0}); err != nil || len(args) < 2 || string(args[1]) != takeoverFlag {
			continue
		}
		if pid, err = strconv.Atoi(filepath.Base(folder)); err == nil {
			return pid
		}
	}
	return 0
}

// parentIn returns the parent's process id from the content of a process's file stat in proc(5); 0 if the content is
// malformed.
func parentIn(stat []byte) (pid int) {
	var state string
	// The name, in parentheses, may have spaces and parentheses.
	if _, err := fmt.Sscan(string(stat[bytes.LastIndexByte(stat, ')')+1:]), &state, &pid); err != nil {
		return 0
	}
	return pid
}
