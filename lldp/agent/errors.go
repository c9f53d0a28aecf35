package agent

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// ErrNoPort says that no port of that name has LLDP.
var ErrNoPort = errors.New("no such LLDP port")

// Error is why the agents do not start, with the exit code of the daemon that it
// means.
type Error struct {
	code int
	err  error
}

// The exit codes of an Error.
const (
	exitConfiguration = 2
	exitPrivilege     = 3
)

// Error is one line that says what to do.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.err }

// ExitCode is 2 for a configuration that is wrong and 3 for a missing privilege.
func (e *Error) ExitCode() int { return e.code }

// denied tells what to do about a missing privilege; other errors stay as they are.
func denied(what string, err error) error {
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		return &Error{exitPrivilege, fmt.Errorf("%s: %w: LLDP needs CAP_NET_RAW", what, err)}
	}
	return fmt.Errorf("%s: %w", what, err)
}
