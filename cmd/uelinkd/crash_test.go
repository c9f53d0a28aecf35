package main

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// The daemon writes to a description of its own without blocking. That of the shell, files and sockets stay as they
// are.
func TestOwnDescription(t *testing.T) {
	reader, writer := smallPipe(t)
	defer reader.Close()
	defer writer.Close()
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	socket, other := os.NewFile(uintptr(pair[0]), "socket"), os.NewFile(uintptr(pair[1]), "other")
	defer socket.Close()
	defer other.Close()
	blocks := func(f *os.File) bool {
		flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
		if err != nil {
			t.Fatal(err)
		}
		return flags&unix.O_NONBLOCK == 0
	}
	for f, want := range map[*os.File]bool{writer: false, file: true, socket: true} {
		number, err := unix.Dup(int(f.Fd())) // as a child has it from its shell
		if err != nil {
			t.Fatal(err)
		}
		child := os.NewFile(uintptr(number), "standard error")
		defer child.Close()
		if err := ownDescription(child); err != nil {
			t.Fatal(err)
		}
		if blocks(child) != want || !blocks(f) {
			t.Errorf("%s: the child's blocks: %v, the shell's: %v", f.Name(), blocks(child), blocks(f))
		}
		if _, err := unix.Write(number, []byte("x")); err != nil {
			t.Error(err)
		}
	}
	if n, err := reader.Read(make([]byte, 2)); n != 1 || err != nil {
		t.Errorf("%d octets, %v", n, err)
	}
}
