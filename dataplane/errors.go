package dataplane

import "fmt"

// Error is why the data plane does not start, with the exit code of the daemon
// that it means.
type Error struct {
	code int
	err  error
}

// The exit codes of an Error.
const (
	exitConfiguration = 2 // what was asked for does not fit this host
	exitPrivilege     = 3 // a privilege or a feature of the kernel is missing
)

func configError(format string, args ...any) error {
	return &Error{exitConfiguration, fmt.Errorf(format, args...)}
}

func privilegeError(format string, args ...any) error {
	return &Error{exitPrivilege, fmt.Errorf(format, args...)}
}

// absentError says that there is no interface of a name, which may come yet.
type absentError struct{ ifname string }

func (e *absentError) Error() string {
	return fmt.Sprintf("there is no interface %s in this network namespace: create it, or correct the interface of the "+
		"port", e.ifname)
}

// Error is one line that names the port and what to do.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.err }

// ExitCode is 2 for a configuration that does not fit this host and 3 for a
// missing privilege or kernel feature.
func (e *Error) ExitCode() int { return e.code }
