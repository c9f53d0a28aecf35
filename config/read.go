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

// readTimeout bounds the wait for data when the path is a pipe.
const readTimeout = 10 * time.Second

// Load reads and checks the file at path with the files of its drop-in folder and of more folders (see ReadTexts), and
// checks that capture files do not collide with the daemon's other files. An error has
// the method ExitCode() int; an error about the contents is a *schema.Error.
func Load(path string, folders ...string) (*Config, error) {
	c, _, err := LoadText(path, folders...)
	return c, err
}

// LoadText reads and checks the configuration file at path with the files beside it, as Load does, and returns the text
// of an equivalent single file: the file's own content, if there are no files beside it.
func LoadText(path string, folders ...string) (c *Config, text []byte, err error) {
	t, err := ReadTexts(path, folders...)
	if err != nil {
		return nil, nil, err
	}
	return t.Load()
}

// read returns the contents of the file at path, cut one octet beyond schema.MaxDocument. For a pipe, read does not
// wait for a writer to open the other end, nor longer than readTimeout for data.
func read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	_ = f.SetReadDeadline(time.Now().Add(readTimeout)) // an error means a file on a disk, which never makes a reader wait
	return io.ReadAll(io.LimitReader(f, schema.MaxDocument+1))
}

// unreadable is the error of a configuration file that could not be read at all.
type unreadable struct{ err error }

func (u *unreadable) Error() string { return u.err.Error() }
func (u *unreadable) Unwrap() error { return u.err }

// ExitCode returns the exit code of a file that cannot be read, the same as of a configuration with problems.
func (*unreadable) ExitCode() int { return schema.ExitCode }

// advice returns the end of an error message: the cure for an error of opening the configuration file, or "".
func advice(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ": give --config the path of an existing file"
	case errors.Is(err, syscall.EISDIR) && os.Getenv("NODE_NAME") != "": // a folder, made by kubelet if the key is missing
		return fmt.Sprintf(": the ConfigMap has no key %s.yaml: add the configuration of this node",
			os.Getenv("NODE_NAME"))
	case errors.Is(err, fs.ErrPermission) && os.Geteuid() == 0:
		return ": a running uelinkd has given up root's right to read files of other users: chown the file to root"
	case errors.Is(err, fs.ErrPermission):
		return ": use sudo, or make the file readable"
	}
	return ""
}
