package main

import (
	"io"
	"os"

	"uelink/internal/printable"
	"uelink/internal/table"
)

// screen is the standard output of a command. Texts such as those of neighbours, labels and file names are written
// without control characters, which would control the terminal.
type screen struct {
	printable.Writer
	raw *output // for binary data, and for the tool's own control of the terminal
}

func newScreen(raw *output) *screen { return &screen{printable.Writer{To: raw}, raw} }

// Width returns the width of the terminal in characters, by which package table folds lines; 0: unknown.
func (s *screen) Width() int { return s.raw.Width() }

// File returns the file behind the screen; nil: there is none.
func (s *screen) File() *os.File { return s.raw.File() }

// rawOutput returns the writer behind a command's output without the filter for control characters, so that binary
// data can be written.
func rawOutput(w io.Writer) io.Writer {
	if s, ok := w.(*screen); ok {
		return s.raw
	}
	return w
}

// onTerminal reports whether the output w of a command is a terminal.
func onTerminal(w io.Writer) bool { return table.IsTerminal(w) }
