package machine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Cache is the directory of what was downloaded and made, and is kept between runs.
type Cache struct {
	Dir string
	Say func(format string, args ...any) // progress of long work
}

// made is the path of a part of the cache, made by make if it is not there. It is made beside its
// place, so that what is there is complete.
func (c Cache) made(name string, make func(dir string) error) (string, error) {
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
