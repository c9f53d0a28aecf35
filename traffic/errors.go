package traffic

import (
	"errors"
	"fmt"
	"os"
)

// The exit codes of an Error.
const (
	exitUsage     = 2 // what was asked for does not fit
	exitPrivilege = 3 // a privilege or a feature of the kernel is missing
)

// Error is why a run did not start, with the exit code that it means.
type Error struct {
	code int
	err  error
}

func usageError(err error) error { return &Error{exitUsage, err} }

// openError names the end that could not be opened. What the kernel denied or
// does not have is an error of privilege.
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

// Error says what failed, to what, and what to do.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.err }

// ExitCode is 2 for wrong usage, 3 for a missing privilege or kernel feature.
func (e *Error) ExitCode() int { return e.code }

// errNotClean is the verdict on a run whose numbers have been shown.
var errNotClean = errors.New("not every frame was delivered exactly once, in order and unchanged")
