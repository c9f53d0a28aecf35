package pcap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Create makes a new file at path, in the place of an existing file, and returns a capture that writes to it. Only
// the owner may read the file, because it holds the traffic of others. The file never grows beyond limit octets;
// the capture ends there. A path that is not a plain file is refused and left unchanged: a link leads elsewhere.
// An error names the next step.
func Create(path string, limit int64) (*Capture, error) {
	f, err := create(path)
	if err != nil {
		return nil, fmt.Errorf("capture: create file: %w", err)
	}
	return New(f, path, limit), nil
}

// CreateNew makes a file as Create does, but where there is none: any file at path is refused and left unchanged.
func CreateNew(path string, limit int64) (*Capture, error) {
	f, err := os.OpenFile(path, createFlags, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("capture: %s exists: remove it, or name another file", path)
	}
	if err != nil {
		return nil, fmt.Errorf("capture: create file: %w", err)
	}
	return New(f, path, limit), nil
}

// createFlags makes a new file to write, and follows no link.
const createFlags = os.O_WRONLY | os.O_CREATE | os.O_EXCL | unix.O_NOFOLLOW

// Check returns the error that Create would return now, as far as it can be known without creating the file.
func Check(path string) error {
	if _, err := replaceable(path); err != nil {
		return fmt.Errorf("capture: create file: %w", err)
	}
	folder := filepath.Dir(path)
	if err := unix.Faccessat(unix.AT_FDCWD, folder, unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
		return fmt.Errorf("capture: create file: write to the folder %s: %w", folder, err)
	}
	return nil
}

// replaceable reports whether there is a file at path. A file that is not plain (a link, a pipe, a directory) is
// an error.
func replaceable(path string) (exists bool, err error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !info.Mode().IsRegular():
		return false, fmt.Errorf("%s is a %s, no plain file: remove it, or name another file", path, kind(info.Mode()))
	}
	return true, nil
}

// create removes an existing file and makes a new file: the old file may be readable for others, be open elsewhere,
// or have a second name (a hard link).
func create(path string) (*os.File, error) {
	exists, err := replaceable(path)
	if err != nil {
		return nil, err
	}
	if exists {
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, createFlags, 0o600)
}

// kind returns the type of a file that is not plain, in words: "symbolic link", "directory".
func kind(m fs.FileMode) string {
	switch m.Type() {
	case fs.ModeSymlink:
		return "symbolic link"
	case fs.ModeDir:
		return "directory"
	case fs.ModeNamedPipe:
		return "pipe"
	case fs.ModeSocket:
		return "socket"
	}
	return "device"
}
