package main

import (
	"io"
	"os"

	"uelink/internal/printable"
	"uelink/internal/table"
)

// screen is the standard output of a command. Texts of neighbours, labels and file names lose what would control the
// terminal.
type screen struct {
	printable.Writer
	raw io.Writer // for what is no text, and for the tool's own control of the terminal
}

func newScreen(raw io.Writer) *screen { return &screen{printable.Writer{To: raw}, raw} }

// Width returns the number of characters that a line may have, for package table; 0 for no limit.
func (s *screen) Width() int { return table.Width(s.raw) }

// rawOutput returns the writer below a command's output, which takes any octets.
func rawOutput(w io.Writer) io.Writer {
	if s, is := w.(*screen); is {
		return s.raw
	}
	return w
}

// onTerminal reports whether a command's output is a terminal.
func onTerminal(w io.Writer) bool {
	f, is := rawOutput(w).(*os.File)
	return is && isTerminal(f)
}
