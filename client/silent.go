package client

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"
)

// A request waits for a daemon that is stopped (SIGSTOP): at most stoppedPatience, and looks each stoppedEvery.
const (
	stoppedPatience = time.Second
	stoppedEvery    = 10 * time.Millisecond
)

// SilentDaemonError reports that a daemon listens on the socket, and does not answer.
type SilentDaemonError struct {
	Socket  string
	PID     int  // of the daemon; 0: not known
	Stopped bool // the process is stopped by SIGSTOP
}

// Error returns a message with the socket, the process and the remedy.
func (e *SilentDaemonError) Error() string {
	if e.Stopped {
		return fmt.Sprintf("the daemon on %s does not answer: process %d is stopped (SIGSTOP), and its links carry "+
			"nothing; type: kill -CONT %d", e.Socket, e.PID, e.PID)
	}
	if e.PID == 0 {
		return fmt.Sprintf("the daemon on %s does not answer within %v", e.Socket, requestTimeout)
	}
	return fmt.Sprintf("the daemon on %s does not answer within %v: see process %d, and journalctl -u uelinkd -n 20",
		e.Socket, requestTimeout, e.PID)
}

// ExitCode returns 4, the exit code of a request to which no daemon answered.
func (e *SilentDaemonError) ExitCode() int { return 4 }

// awaken waits until the process at the other end of a connection is not stopped, at most stoppedPatience. It returns
// a *SilentDaemonError if the process is still stopped, and the process id if that is known, else 0.
func (c *Client) awaken(ctx context.Context, conn net.Conn) (pid int, err error) {
	pid = peerOf(conn)
	for end := time.Now().Add(stoppedPatience); isStopped(pid); time.Sleep(stoppedEvery) {
		if ctx.Err() != nil || time.Now().After(end) {
			return pid, &SilentDaemonError{Socket: c.socket, PID: pid, Stopped: true}
		}
	}
	return pid, nil
}

// peerOf returns the process that listens at the other end of a connection (SO_PEERCRED); 0 if it is not known.
func peerOf(conn net.Conn) (pid int) {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return 0
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) { // after an error the process stays unknown
		if cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
			pid = int(cred.Pid)
		}
	})
	return pid
}

// isStopped reports whether a process is stopped by a signal (state T of proc_pid_stat(5)).
func isStopped(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := bytes.Cut(stat[max(0, bytes.LastIndexByte(stat, ')')):], []byte(") "))
	return len(state) > 0 && state[0] == 'T'
}
