package table

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// narrowest is the narrowest terminal for which tables are folded, in characters.
const narrowest = 40

// Width returns how many characters a line may have: the width of the terminal, or the result of the writer's
// method Width. 0: no limit, as for a file, a pipe, or a terminal that is too narrow.
func Width(to io.Writer) (characters int) {
	if characters = Columns(to); characters < narrowest {
		return 0
	}
	return characters
}

// Columns returns the width of a terminal in characters, or the result of the writer's method Width; 0: unknown.
func Columns(to io.Writer) (characters int) {
	if w, ok := to.(interface{ Width() int }); ok {
		characters = w.Width()
	} else if f := file(to); f != nil {
		if size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err == nil {
			characters = int(size.Col)
		}
	}
	return characters
}

// IsTerminal reports whether a writer is a terminal, or stands in front of one.
func IsTerminal(to io.Writer) bool {
	f := file(to)
	if f == nil {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// InBackground reports whether a writer is (or stands in front of) the controlling terminal of this process, and the
// process is in the background there: its lines would run into the line being typed.
func InBackground(to io.Writer) bool {
	f := file(to)
	if f == nil {
		return false
	}
	foreground, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err == nil && foreground != unix.Getpgrp()
}

// file returns the file of a writer, itself or the result of its method File; nil: no file.
func file(to io.Writer) *os.File {
	switch w := to.(type) {
	case *os.File:
		return w
	case interface{ File() *os.File }:
		return w.File()
	}
	return nil
}
