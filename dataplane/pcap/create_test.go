package pcap

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/dataplane/mem"
)

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

// Only the owner may read a capture, whatever the umask and the mode of an older file.
func TestCaptureIsForItsOwner(t *testing.T) {
	defer unix.Umask(unix.Umask(0))
	path := filepath.Join(t.TempDir(), "c.pcapng")
	for range 2 {
		c, err := Create(path, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if m := mode(t, path); m != 0o600 {
			t.Errorf("the file has mode %v", m)
		}
		if err := os.Chmod(path, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// An existing file is replaced, not written to: it may have another name, and be open
// elsewhere.
func TestCaptureWritesToNoOtherFile(t *testing.T) {
	dir := t.TempDir()
	precious, path := filepath.Join(dir, "precious"), filepath.Join(dir, "c.pcapng")
	if err := os.WriteFile(precious, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(precious, path); err != nil {
		t.Fatal(err)
	}
	c, err := Create(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(precious); err != nil || string(text) != "precious" {
		t.Errorf("the file of the other name has %q, %v", text, err)
	}
}

// A path that is not a plain file is refused at once and left unchanged; Create does not wait for the reader of a pipe.
func TestCaptureFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	precious := filepath.Join(dir, "precious")
	if err := os.WriteFile(precious, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	for kind, make := range map[string]func(path string) error{
		"symbolic link": func(path string) error { return os.Symlink(precious, path) },
		"pipe":          func(path string) error { return unix.Mkfifo(path, 0o600) },
		"directory":     func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		path := filepath.Join(dir, strings.ReplaceAll(kind, " ", "-"))
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		before := mode(t, path)
		_, err := Create(path, 1<<20)
		if err == nil || !strings.Contains(err.Error(), "is a "+kind+", no plain file: remove it, or name another file") {
			t.Errorf("%s: %v", kind, err)
		}
		if after := mode(t, path); after != before {
			t.Errorf("%s: it was %v and is %v", kind, before, after)
		}
	}
	if text, err := os.ReadFile(precious); err != nil || string(text) != "precious" {
		t.Errorf("the file behind the link has %q, %v", text, err)
	}
}

// A full disk ends the capture with an error at once. The file ends with a whole block.
func TestCaptureOnAFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("skipped, missing root: a file system of a few octets")
	}
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("skipped, no file system can be mounted here: %v", err)
	}
	defer unix.Unmount(dir, 0)
	path := filepath.Join(dir, "c.pcapng")
	c, err := Create(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	a, b := mem.NewPair(geometry, geometry, 16)
	defer b.Close()
	tap := c.Tap(a, "link0")
	sent := 0
	for end := time.Now().Add(10 * time.Second); c.Err() == nil && time.Now().Before(end); sent++ {
		transmit(t, tap, strings.Repeat("x", 1000))
		receive(b)
		time.Sleep(100 * time.Microsecond) // the writer keeps up
	}
	if err := c.Err(); !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), path) {
		t.Fatalf("after %d frames: %v", sent, err)
	}
	if err := tap.Close(); err != nil {
		t.Error(err)
	}
	if err := c.Close(); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("Close: %v", err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	packets, _ := readPackets(t, data)
	if n := c.Counts().Frames; uint64(len(packets)) != n || n == 0 || n > 64 {
		t.Errorf("%d frames in the file, %d counted", len(packets), n)
	}
}
