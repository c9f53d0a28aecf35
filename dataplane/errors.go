package dataplane

import (
	"errors"
	"fmt"
)

// Error is the reason why the data plane does not start, with an exit code for the daemon.
type Error struct {
	code int
	err  error
}

// The exit codes of an Error.
const (
	exitConfiguration = 2 // the settings do not fit this host
	exitPrivilege     = 3 // a privilege or a feature of the kernel is missing
)

// configError returns an *Error with the exit code of settings that do not fit this host.
func configError(format string, args ...any) error {
	return &Error{exitConfiguration, fmt.Errorf(format, args...)}
}

// privilegeError returns an *Error with the exit code of a missing privilege or kernel feature.
func privilegeError(format string, args ...any) error {
	return &Error{exitPrivilege, fmt.Errorf(format, args...)}
}

// absentError is the error of an interface that does not exist yet.
type absentError struct{ ifname string }

func (e *absentError) Error() string {
	return fmt.Sprintf("there is no interface %s in this network namespace: create it, or correct the interface of the "+
		"port", e.ifname)
}

// Error returns one line that names the port and the next step.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap returns the wrapped error, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.err }

// ExitCode returns 2 for a configuration that does not fit this host, and 3 for a missing privilege or kernel feature.
func (e *Error) ExitCode() int { return e.code }

// ErrNoPort is returned for the name of a port that is not configured.
var ErrNoPort = errors.New("no such port")

// ErrNotLink is returned by operations for link ports only.
var ErrNotLink = errors.New("not a link port")

// ErrNotLLR is returned by operations of LLR and CBFC for a link that speaks HIPPI-6400-PH.
var ErrNotLLR = errors.New("the link speaks hippi6400, not llr (protocol)")

// ErrNotHIPPI is returned by operations of HIPPI-6400-PH for a link that speaks LLR.
var ErrNotHIPPI = errors.New("the link speaks llr, not hippi6400 (protocol)")

// ErrNotEdge is returned by operations for edge ports only.
var ErrNotEdge = errors.New("not an edge port")
