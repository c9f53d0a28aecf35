package xsk

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/internal/netns/nstest"
)

// The memory of a native socket is in a memfd: whoever has the descriptor maps the same memory.
func TestNativeMemoryCanBeMappedAgain(t *testing.T) {
	o := small(attach.OpenerNative)
	a, _ := newWire(t).pair(o)
	fd, err := unix.FcntlInt(uintptr(a.bound.memory), unix.F_DUPFD_CLOEXEC, 0) // as another process gets it
	if err != nil {
		t.Fatal(err)
	}
	again, err := unix.Mmap(fd, 0, len(a.Area()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = unix.Munmap(again), unix.Close(fd) }()
	at := a.Geometry().SlotAddr(1)
	copy(a.Area()[at:], "the same memory")
	if !bytes.HasPrefix(again[at:], []byte("the same memory")) {
		t.Errorf("%q", again[at:at+16])
	}
	if err := unix.Ftruncate(fd, int64(len(again))); err != nil {
		t.Errorf("the size it has: %v", err)
	}
}

// The slots of live frames lie in a BPF array. The pages of the memfd below them are not allocated.
func TestSlotsOfLiveFramesTakeNoMemoryTwice(t *testing.T) {
	o := small(attach.OpenerNative)
	o.Live = true
	a, _ := newWire(t).pair(o)
	if a.Transmitter() == nil {
		nstest.Missing(t, "live XDP frames (Linux 5.18): "+fmt.Sprint(a.Info().LiveFailed))
	}
	var st unix.Stat_t
	if err := unix.Fstat(a.bound.memory, &st); err != nil {
		t.Fatal(err)
	}
	if used, below := st.Blocks*512, int64(a.Geometry().SlotAddr(0)); used > below {
		t.Errorf("%d octets are allocated, %d are below the slots", used, below)
	}
}

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
