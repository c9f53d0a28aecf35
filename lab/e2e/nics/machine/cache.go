package machine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Cache is the directory of downloads and of files made from them, kept between runs.
type Cache struct {
	Dir      string
	Progress func(format string, args ...any) // reports the progress of long work
}

// ensure returns the path of the cached directory with a name. If it does not exist, ensure first calls make with a
// temporary directory, which it renames afterwards: an existing one is therefore complete.
func (c Cache) ensure(name string, make func(dir string) error) (string, error) {
	path := filepath.Join(c.Dir, name)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	partial := path + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return "", err
	}
	if err := os.MkdirAll(partial, 0o755); err != nil {
		return "", err
	}
	if err := make(partial); err != nil {
		return "", err
	}
	return path, os.Rename(partial, path)
}
