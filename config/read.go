package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"uelink/config/schema"
)

// readTimeout bounds the wait for a pipe that stands for the file.
const readTimeout = 10 * time.Second

// Load reads and checks the file at path, and the files that it names against each other. An error has the method
// ExitCode() int; one about the contents is a *schema.Error.
func Load(path string) (*Config, error) {
	data, err := read(path)
	if err != nil {
		return nil, &unreadable{fmt.Errorf("read configuration: %w%s", err, advice(err))}
	}
	return readDocument(path, data, func(w checks, d *document) { w.checkFiles(d, path) })
}

// read reads the file at path, or as much of it as says that it is too long. It does not wait for the other end of a
// pipe to be opened, nor longer than readTimeout for what comes by one.
func read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	_ = f.SetReadDeadline(time.Now().Add(readTimeout)) // an error: it is a file on a disk, which nobody waits for
	return io.ReadAll(io.LimitReader(f, schema.MaxDocument+1))
}

// unreadable is a configuration file that could not be read at all.
type unreadable struct{ err error }

func (u *unreadable) Error() string { return u.err.Error() }
func (u *unreadable) Unwrap() error { return u.err }

// ExitCode is that of a configuration with problems.
func (*unreadable) ExitCode() int { return schema.ExitCode }

// advice is what to do about a file that cannot be read.
func advice(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ": give --config the path of a file that is there"
	case errors.Is(err, fs.ErrPermission) && os.Geteuid() == 0:
		return ": a daemon that runs has dropped root's right to other users' files: chown it to root"
	case errors.Is(err, fs.ErrPermission):
		return ": use sudo, or make the file readable"
	}
	return ""
}
