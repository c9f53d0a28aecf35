package station

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// ErrNoPort means that no port with LLDP has the name.
var ErrNoPort = errors.New("no such LLDP port")

// Error is an error that keeps the agents from starting, with the daemon's exit code.
type Error struct {
	code int
	err  error
}

// The exit codes of an Error.
const (
	exitConfiguration = 2
	exitPrivilege     = 3
)

// Error returns one line with what failed and the remedy.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap returns the wrapped error, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.err }

// ExitCode returns 2 for a mistake in the configuration and 3 for a missing privilege.
func (e *Error) ExitCode() int { return e.code }

// denied wraps err with the action that failed. For a missing privilege the returned error also has the remedy
// and exit code 3.
func denied(action string, err error) error {
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		return &Error{exitPrivilege, fmt.Errorf("%s: %w: LLDP needs CAP_NET_RAW", action, err)}
	}
	return fmt.Errorf("%s: %w", action, err)
}
