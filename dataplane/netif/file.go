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

// The files of a directory: records, and what is to become one.
const (
	suffix    = ".json"
	unfixed   = ".new-"  // begins the name of a file that is being written
	fileLimit = 64 << 10 // octets, many times what a record has
)

// ErrHeld says that another process, which lives, has changed an interface.
var ErrHeld = errors.New("in use by another uelinkd")

// errForeign says that there is something that no process of ours has put there.
var errForeign = errors.New("it is no plain file")

// claim opens a file and takes its lock. Only who has the lock of the file that is at a
// path may replace or remove it there. What is not a plain file is refused unopened, or
// without having been waited for.
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

// claimOpen takes the lock of an open file. current is false if another file has come
// to be at the path meanwhile.
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
	there, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(info, there), err
}

// contents is a file from its beginning.
func contents(f *os.File) ([]byte, error) {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, fileLimit+1))
	if err == nil && len(text) > fileLimit {
		err = fmt.Errorf("it is longer than %d octets", fileLimit)
	}
	return text, err
}

// put makes text the file at a path, whole or not at all, readable for its owner alone,
// and returns it with its lock. old is the file that is there, with its lock, which is
// closed; nil for none.
func put(path string, text []byte, old *os.File) (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), unfixed)
	if err != nil {
		return nil, err
	}
	place := os.Rename
	if old == nil {
		place = link
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

// link is a rename that refuses to replace a file.
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
