package demo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
)

// The exit codes of an Error.
const (
	exitUsage     = 2
	exitPrivilege = 3
)

// Error is the reason why the demo could not run, with its exit code.
type Error struct {
	code int
	err  error
}

// Error returns the text: the failure and its remedy.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap returns the wrapped error, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.err }

// ExitCode returns the exit code that the program ends with after this error: 2 for wrong usage, 3 for a missing
// privilege or kernel feature, another for the exit code of a failed part.
func (e *Error) ExitCode() int { return e.code }

// Errors that the demo ends with.
var (
	errNeedsRoot = errors.New("the demo makes network namespaces: run it with sudo")
	errNeedsXDP  = errors.New("this kernel has no AF_XDP sockets: the demo needs Linux 5.11 or later with " +
		"CONFIG_XDP_SOCKETS")
	errNotClean = errors.New("not every frame was delivered exactly once, in order and unchanged")
	errStopped  = errors.New("interrupted: the result covers the frames sent so far")
)

// explained returns errNeedsRoot, which asks for sudo, if err is about a missing privilege; else err.
func explained(err error) error {
	if errors.Is(err, netns.ErrPrivilege) || errors.Is(err, fs.ErrPermission) {
		return &Error{exitPrivilege, errNeedsRoot}
	}
	return err
}

// checkKernel returns an error if the kernel has no AF_XDP sockets, or denies them.
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

// findPrograms sets the paths of uelink (this program) and uelinkd (beside this program) where the options leave
// them empty. It returns an error if there is no uelinkd.
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
