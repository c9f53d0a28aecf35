package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// halfCopy is the pattern of the names of copies that are not whole yet.
const halfCopy = ".uelink-cni-*"

// install copies this program into a folder, as uelink-cni: in one step, so that a runtime never calls half a program,
// and on disk before it returns. Before, it removes half copies that a killed install has left.
func install(folder string) (err error) {
	halves, _ := filepath.Glob(filepath.Join(folder, halfCopy)) // no error: the pattern is well formed
	for _, half := range halves {
		if err := os.Remove(half); err != nil {
			return fmt.Errorf("install in %s: %w", folder, err)
		}
	}
	own, err := os.Executable()
	if err != nil {
		return err
	}
	from, err := os.Open(own)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.CreateTemp(folder, halfCopy)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Chmod(0o755), to.Sync(), to.Close()); err == nil {
		err = os.Rename(to.Name(), filepath.Join(folder, owner))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("install in %s: %w", folder, err), os.Remove(to.Name()))
	}
	dir, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
