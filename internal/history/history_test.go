package history

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/internal/netns/nstest"
)

// read returns the lines kept, as texts.
func read(t *testing.T, h *History) (lines []string) {
	t.Helper()
	all, err := h.Lines()
	if err != nil {
		t.Error(err)
	}
	for _, line := range all {
		lines = append(lines, string(line))
	}
	return lines
}

func add(t *testing.T, h *History, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if err := h.Append([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
	}
}

func expect(t *testing.T, h *History, want ...string) {
	t.Helper()
	if got := read(t, h); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLinesOutliveTheirWriter(t *testing.T) {
	name := filepath.Join(t.TempDir(), "folder", "events")
	first := New(name, 1000)
	expect(t, first)
	add(t, first, "one", "two")
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	second := New(name, 1000)
	defer second.Close()
	add(t, second, "three")
	expect(t, second, "one", "two", "three")
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// However many lines come, the two files have at most twice the bound, and the latest lines are there.
func TestHistoryIsBounded(t *testing.T) {
	dir := t.TempDir()
	h := New(filepath.Join(dir, "events"), 1000)
	defer h.Close()
	for n := range 5000 {
		add(t, h, fmt.Sprintf("line %d", n))
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Fatalf("%v, %v", entries, err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Size() > 1000 {
			t.Errorf("%s: %d octets, %v", e.Name(), info.Size(), err)
		}
	}
	lines := read(t, h)
	for i, line := range lines {
		if want := fmt.Sprintf("line %d", 5000-len(lines)+i); line != want {
			t.Fatalf("line %d is %q, want %q", i, line, want)
		}
	}
	if len(lines) < 90 {
		t.Errorf("%d lines", len(lines))
	}
}

// A reader misses no line while the file becomes the old one.
func TestLinesAreReadWhileTheFileRotates(t *testing.T) {
	h := New(filepath.Join(t.TempDir(), "events"), 4000)
	defer h.Close()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for n := range 50_000 {
			if err := h.Append(fmt.Appendf(nil, "%d\n", n)); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	defer func() { <-ended }()
	for reading := true; reading; {
		select {
		case <-ended:
			reading = false
		default:
		}
		lines := read(t, h)
		for i := range lines {
			first, err := strconv.Atoi(lines[0])
			if err != nil || lines[i] != strconv.Itoa(first+i) {
				t.Fatalf("after line %d comes %s, %v", first+i-1, lines[i], err)
			}
		}
	}
}

// A crash, or a disk that was full, has left a line without its end.
func TestLineWithoutEndIsCutOff(t *testing.T) {
	name := filepath.Join(t.TempDir(), "events")
	if err := os.WriteFile(name, []byte("one\ntw"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := New(name, 1000)
	defer h.Close()
	expect(t, h, "one")
	add(t, h, "three")
	expect(t, h, "one", "three")
	huge := New(name, 1000)
	defer huge.Close()
	if err := os.WriteFile(name, bytes.Repeat([]byte{0}, 100_000), 0o600); err != nil {
		t.Fatal(err)
	}
	add(t, huge, "four")
	if got := read(t, huge); got[len(got)-1] != "four" {
		t.Errorf("%q", got[len(got)-1])
	}
}

// What stands in the place of the file is neither followed nor waited for, and the next line is tried again.
func TestFileOfAnotherKind(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "events")
	target := filepath.Join(dir, "target")
	for what, put := range map[string]func() error{
		"link":   func() error { return os.Symlink(target, name) },
		"FIFO":   func() error { return syscall.Mkfifo(name, 0o600) },
		"folder": func() error { return os.Mkdir(name, 0o700) },
	} {
		if err := put(); err != nil {
			t.Fatal(err)
		}
		h := New(name, 1000)
		if err := h.Append([]byte("one\n")); err == nil {
			t.Errorf("%s: no error", what)
		}
		if lines, _ := h.Lines(); len(lines) != 0 {
			t.Errorf("%s: %q", what, lines)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		add(t, h, "two")
		expect(t, h, "two")
		h.Close()
		os.Remove(name)
	}
	if _, err := os.Lstat(target); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the link was followed: %v", err)
	}
}

// On a full disk lines are lost whole, and when there is room again the next lines are kept.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		nstest.Missing(t, fmt.Sprintf("root, to mount a small file system: %v", err))
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	filler := filepath.Join(dir, "filler")
	h := New(filepath.Join(dir, "events"), 100_000)
	defer h.Close()
	add(t, h, "one")
	// The page of the first line has room for some lines more.
	if err := os.WriteFile(filler, make([]byte, 60<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	written := 1
	for ; err == nil && written < 100; written++ {
		err = h.Append([]byte(strings.Repeat("x", 1000) + "\n"))
	}
	if !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("%d lines, %v", written, err)
	}
	before := read(t, h)
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	add(t, h, "after")
	expect(t, h, append(before, "after")...)
}
