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
	switch w := to.(type) {
	case interface{ Width() int }:
		characters = w.Width()
	case *os.File:
		if size, err := unix.IoctlGetWinsize(int(w.Fd()), unix.TIOCGWINSZ); err == nil {
			characters = int(size.Col)
		}
	}
	if characters < narrowest {
		return 0
	}
	return characters
}
