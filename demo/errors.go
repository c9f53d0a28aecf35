package demo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"uelink/netns"
)

// The exit codes of an Error.
const (
	exitUsage     = 2
	exitPrivilege = 3
)

// Error is why there is nothing to be seen, with the exit code that it means.
type Error struct {
	code int
	err  error
}

// Error says what failed and what to do.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.err }

// ExitCode is 2 for wrong usage, 3 for a missing privilege or kernel feature.
func (e *Error) ExitCode() int { return e.code }

var (
	errNeedsRoot = errors.New("the demo makes network namespaces: run it with sudo")
	errNeedsXDP  = errors.New("this kernel has no AF_XDP sockets: the demo needs Linux 5.11 or later with " +
		"CONFIG_XDP_SOCKETS")
	errNotClean = errors.New("not every frame was delivered exactly once, in order and unchanged")
	errStopped  = errors.New("interrupted: the numbers are those of what was sent until then")
)

// explained says what to do about a missing privilege.
func explained(err error) error {
	if errors.Is(err, netns.ErrPrivilege) || errors.Is(err, fs.ErrPermission) {
		return &Error{exitPrivilege, errNeedsRoot}
	}
	return err
}

// checkKernel asks for an AF_XDP socket, which is what everything else is about.
func checkKernel() error {
	fd, err := unix.Socket(unix.AF_XDP, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.EAFNOSUPPORT):
		return &Error{exitPrivilege, errNeedsXDP}
	case err != nil:
		return explained(err)
	}
	return unix.Close(fd)
}

// findPrograms names the program files that the options leave open.
func (o *Options) findPrograms() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if o.Tool == "" {
		o.Tool = self
	}
	if o.Daemon == "" {
		o.Daemon = filepath.Join(filepath.Dir(self), "uelinkd")
	}
	if _, err := os.Stat(o.Daemon); err != nil {
		return &Error{exitUsage, errors.New("there is no daemon at " + o.Daemon +
			": build it there, or give --uelinkd its path")}
	}
	return nil
}
