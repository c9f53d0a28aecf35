package xsk

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// A file of memory that somebody cuts would end the process by SIGBUS: it cannot be cut.
func TestMemoryCannotBeCut(t *testing.T) {
	area, fd, err := mapMemory(os.Getpagesize())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = unix.Munmap(area), unix.Close(fd) }()
	if err := unix.Ftruncate(fd, 0); !errors.Is(err, unix.EPERM) {
		t.Fatalf("cut: %v", err)
	}
	area[0] = 1
}
