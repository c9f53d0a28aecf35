package xsk

import (
	"errors"
	"os"
	"slices"
	"strings"
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

// Frames of hosts are in no core dump, also where a successor has mapped them.
func TestFramesAreInNoCoreDump(t *testing.T) {
	area, fd, err := mapMemory(os.Getpagesize())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = unix.Munmap(area), unix.Close(fd) }()
	again, err := mapFrames(fd, os.Getpagesize(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(again)
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	mappings := strings.Split(string(maps), "uelink-umem")[1:]
	if len(mappings) != 2 {
		t.Fatalf("%d mappings", len(mappings))
	}
	for _, text := range mappings {
		_, flags, _ := strings.Cut(text, "VmFlags: ")
		flags, _, _ = strings.Cut(flags, "\n")
		if !slices.Contains(strings.Fields(flags), "dd") {
			t.Errorf("flags %q", flags)
		}
	}
}
