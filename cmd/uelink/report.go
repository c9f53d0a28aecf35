package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"uelink/internal/printable"
)

// Exit codes of uelink; an error with a method ExitCode brings its own.
const (
	exitFailed = 1
	exitUsage  = 2
)

// usageError is an error of a command line that no command has run for.
type usageError struct {
	error
	path string // of the command whose help has the right usage, such as "uelink llr"
}

// ExitCode returns 2, the exit code of a wrong command line.
func (*usageError) ExitCode() int { return exitUsage }

// failure is an error of a command as JSON.
type failure struct {
	Error    string `json:"error"`     // the problem, and the remedy
	ExitCode int    `json:"exit_code"` // of the command
}

// report writes err, of a command, to stderr, as one line of JSON or for people, and returns the exit code. An error
// without a text is not written: the output of the command has the reason.
func report(stderr io.Writer, err error, asJSON bool) int {
	code := exitFailed
	var coded interface{ ExitCode() int }
	if errors.As(err, &coded) {
		code = coded.ExitCode()
	}
	var usage *usageError
	to := &printable.Writer{To: stderr}
	switch {
	case err.Error() == "":
	case asJSON:
		e := json.NewEncoder(to)
		e.SetEscapeHTML(false)
		_ = e.Encode(failure{err.Error(), code}) // an error is ignored: nobody reads standard error
	case errors.As(err, &usage):
		fmt.Fprintf(to, "uelink: %v (see %s --help)\n", err, usage.path)
	default:
		fmt.Fprintf(to, "uelink: %v\n", err)
	}
	return code
}

// wantsJSON reports whether arguments ask for JSON. It reads the arguments themselves: the flag has its value only
// after all flags were understood.
func wantsJSON(args []string) bool {
	for i, arg := range args {
		switch {
		case arg == "--":
			return false
		case slices.Contains([]string{"-o", "--output"}, arg) && i+1 < len(args) && args[i+1] == string(asJSON):
			return true
		case slices.Contains([]string{"-ojson", "-o=json", "--output=json"}, arg):
			return true
		}
	}
	return false
}

// helpOnError prints the help of a group of commands on standard error, for a person who has named no command of the
// group; a program, which asks for JSON, gets none.
func helpOnError(cmd *cobra.Command) error {
	if cmd.Flag("output").Value.String() == string(asJSON) {
		return nil
	}
	cmd.SetOut(cmd.ErrOrStderr())
	return cmd.Help()
}
