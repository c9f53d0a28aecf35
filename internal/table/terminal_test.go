package table

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A terminal reports its width; a file and a pipe are of any width.
func TestWidth(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("missing a feature of the kernel, pseudo-terminals: ", err)
	}
	defer terminal.Close()
	for columns, want := range map[uint16]int{80: 80, 200: 200, narrowest: narrowest, narrowest - 1: 0, 0: 0} {
		size := &unix.Winsize{Row: 24, Col: columns}
		if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, size); err != nil {
			t.Fatal(err)
		}
		if is := Width(terminal); is != want {
			t.Errorf("a terminal of %d columns: %d, want %d", columns, is, want)
		}
		if is := Width(behind{file: terminal}); is != want {
			t.Errorf("in front of a terminal of %d columns: %d, want %d", columns, is, want)
		}
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer writer.Close()
	if is := Width(writer); is != 0 {
		t.Errorf("a pipe: %d", is)
	}
	if is := Width(&strings.Builder{}); is != 0 {
		t.Errorf("no file: %d", is)
	}
}

// behind is a writer in front of a file.
type behind struct {
	io.Writer
	file *os.File
}

func (b behind) File() *os.File { return b.file }

// A terminal is one behind another writer, too.
func TestIsTerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("missing a feature of the kernel, pseudo-terminals: ", err)
	}
	defer terminal.Close()
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for w, want := range map[io.Writer]bool{
		terminal: true, behind{file: terminal}: true, file: false, behind{file: file}: false, &strings.Builder{}: false,
		behind{}: false,
	} {
		if IsTerminal(w) != want {
			t.Errorf("%T: %v", w, !want)
		}
	}
}

// Write returns the error of the writer.
func TestWriteFails(t *testing.T) {
	closed, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	if err := ports().Write(closed); err == nil {
		t.Error(fmt.Errorf("written to a file that is closed"))
	}
}
