package traffic

import (
	"errors"
	"fmt"
	"os"
)

// The exit codes of an Error.
const (
	exitUsage     = 2 // a wrong option or argument
	exitPrivilege = 3 // the kernel denies a privilege, or lacks a feature
)

// Error is the reason why a run did not start, with its exit code.
type Error struct {
	code int
	err  error
}

func usageError(err error) error { return &Error{exitUsage, err} }

// openError returns err with the name of the end that could not be opened. If the kernel denied a privilege or
// lacks a feature, the exit code is that of privilege.
func openError(end End, err error) error {
	named := fmt.Errorf("%s: %w", end, err)
	var usage *Error
	switch {
	case errors.As(err, &usage):
		return &Error{usage.code, named}
	case errors.Is(err, os.ErrPermission), errors.Is(err, errors.ErrUnsupported):
		return &Error{exitPrivilege, named}
	}
	return named
}

// Error returns the text: what failed, and what to do.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap returns the wrapped error, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.err }

// ExitCode returns 2 for wrong usage, 3 for a missing privilege or kernel feature.
func (e *Error) ExitCode() int { return e.code }

// errNotClean ends a run with a fault, after the result was shown.
var errNotClean = errors.New("not every frame was delivered exactly once, in order and unchanged")
