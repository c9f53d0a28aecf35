package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"uelink/internal/table"
)

// outputPatience is how long a command that a signal has ended waits for the reader of its output.
const outputPatience = 200 * time.Millisecond

// exitNoReader is the exit code of a command whose output has lost its reader, such as head(1): a shell's code for an
// end by SIGPIPE.
const exitNoReader = 128 + int(syscall.SIGPIPE)

// errStandsStill is the error of a write to an output whose reader stands still when a signal ends the command.
var errStandsStill = errors.New("the reader of the output stands still")

// output writes the output of a command. While its reader stands still it waits, as a writer does, but a command that
// a signal ends waits no longer than outputPatience. When the reader has gone, output ends the command by its context,
// so that a command which has made something (namespaces, programs at interfaces) removes it.
type output struct {
	to     io.Writer
	ctx    context.Context
	end    func() // of ctx
	closed bool   // the reader has gone
	late   bool   // a write still stands
}

// File returns the file that takes the output; nil: another writer does.
func (o *output) File() *os.File {
	f, _ := o.to.(*os.File)
	return f
}

// Width returns the width of the terminal that takes the output, in characters; 0: unknown.
func (o *output) Width() int { return table.Columns(o.to) }

// Write writes text, and waits for the reader. Once a signal has ended the command, it waits no longer than
// outputPatience, and returns errStandsStill then and at all later calls.
func (o *output) Write(text []byte) (int, error) {
	if o.late {
		return 0, errStandsStill
	}
	own := bytes.Clone(text) // a write that is still blocked may read the copy after Write has returned
	written := make(chan outcome, 1)
	go func() {
		n, err := o.to.Write(own)
		written <- outcome{n, err}
	}()
	select {
	case w := <-written:
		return o.done(w)
	case <-o.ctx.Done():
	}
	select {
	case w := <-written:
		return o.done(w)
	case <-time.After(outputPatience):
		o.late = true
		return 0, errStandsStill
	}
}

// outcome is the result of a write.
type outcome struct {
	n   int
	err error
}

// done returns the outcome of a write, and ends the command if the reader has gone.
func (o *output) done(w outcome) (int, error) {
	if errors.Is(w.err, syscall.EPIPE) {
		o.closed = true
		o.end()
	}
	return w.n, w.err
}
