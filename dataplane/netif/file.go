package netif

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Names and size of the files in the directory of records.
const (
	suffix    = ".json"  // ends the name of a record file
	unfixed   = ".new-"  // begins the name of a file that is being written
	fileLimit = 64 << 10 // octets, many times the length of a record
)

// ErrHeld is the error when another live process has changed the interface.
var ErrHeld = errors.New("in use by another uelinkd")

// errForeign is the error when a path holds something that no process of ours has put there.
var errForeign = errors.New("the path is not that of a regular file")

// claim opens a file and locks it (flock), without waiting. Only the holder of the lock may replace or remove the
// file at that path. A path that is not a plain file is refused: a symbolic link unopened, and a FIFO without
// blocking.
func claim(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if errors.Is(err, unix.ELOOP) {
			return nil, errForeign
		}
		if err != nil {
			return nil, err
		}
		current, err := claimOpen(f, path)
		if err == nil && current {
			return f, nil
		}
		_ = f.Close()
		if err != nil {
			return nil, err
		}
	}
}

// claimOpen locks the open file f (flock), without waiting. current is false if the path leads to another file, or
// none, by now. Errors: errForeign for anything but a regular file; ErrHeld if another process has the lock.
func claimOpen(f *os.File, path string) (current bool, err error) {
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, errForeign
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = ErrHeld
		}
		return false, err
	}
	atPath, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(info, atPath), err
}

// contents returns the contents of an open file from its beginning; more than fileLimit octets are an error.
func contents(f *os.File) ([]byte, error) {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, fileLimit+1))
	if err == nil && len(text) > fileLimit {
		err = fmt.Errorf("the file is longer than %d octets", fileLimit)
	}
	return text, err
}

// put writes text to the file at a path, whole or not at all, readable for the owner alone, and returns the new
// file, locked. old is the locked file that is at the path before, which put closes; nil if there is none.
func put(path string, text []byte, old *os.File) (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), unfixed)
	if err != nil {
		return nil, err
	}
	place := os.Rename
	if old == nil {
		place = link // another process may have made the file meanwhile
	}
	if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
		_, err = f.Write(text)
	}
	if err == nil {
		err = place(f.Name(), path)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(f.Name()), f.Close())
	}
	if old != nil {
		_ = old.Close()
	}
	return f, nil
}

// link renames a file. If there is a file at the new path, it returns ErrHeld and replaces nothing.
func link(from, to string) error {
	err := os.Link(from, to)
	if errors.Is(err, fs.ErrExist) {
		return ErrHeld
	}
	if err != nil {
		return err
	}
	return os.Remove(from)
}
