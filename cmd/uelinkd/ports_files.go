package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"uelink/config"
	"uelink/config/schema"
)

// unfinished is the pattern of the names of files that are being written. Such a file stays only after a kill.
const unfinished = ".new-*"

// sweep removes unfinished files of ports, which a killed process has left.
func (c portChanger) sweep() {
	boot, persistent := portFolders(c.d.file)
	for _, folder := range []string{boot, persistent} {
		files, _ := filepath.Glob(filepath.Join(folder, unfinished)) // no error: the pattern is well formed
		for _, file := range files {
			_ = os.Remove(file) // after an error, the next start tries again
		}
	}
}

// keep writes an addition to its file, or removes the file if next is nil, and removes the other file of its name (an
// addition is kept over a boot, or not). It remembers an addition that the disk does not take, for try.
func (c portChanger) keep(file, other string, next *addition) error {
	if next == nil {
		return errors.Join(removed(file), removed(other))
	}
	text, err := next.text()
	if err == nil {
		err = writeWhole(file, text)
	}
	if err != nil {
		c.d.untaken.Store(&untaken{file, text})
		return fmt.Errorf("save the ports that the API has added: %w: make room on the disk, or make the folder "+
			"writable", err)
	}
	return removed(other)
}

// restore writes the former texts back to those of the files whose texts are others now, and removes files that had no
// text before.
func (c portChanger) restore(before config.Texts, files ...string) (err error) {
	for _, file := range files {
		i := slices.IndexFunc(before.Additions, func(a schema.Addition) bool { return a.File == file })
		if i < 0 {
			err = errors.Join(err, removed(file))
			continue
		}
		if now, readErr := os.ReadFile(file); readErr != nil || !bytes.Equal(now, before.Additions[i].Text) {
			err = errors.Join(err, writeWhole(file, before.Additions[i].Text))
		}
	}
	return err
}

// removed removes a file, which need not exist.
func removed(file string) error {
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// writeWhole replaces a file in one step, and returns once it is on disk.
func writeWhole(file string, text []byte) error {
	name, err := writeBeside(file, text)
	if err == nil {
		err = os.Rename(name, file)
	}
	if err != nil {
		return errors.Join(err, removed(name))
	}
	folder, err := os.Open(filepath.Dir(file))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// writeBeside writes a text to a new file in the folder of file, and returns the name of the new file once the text is
// on disk; "" if the new file could not be made.
func writeBeside(file string, text []byte) (name string, err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(file), unfinished)
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	return f.Name(), errors.Join(err, f.Sync(), f.Close())
}

// untaken is a file of ports that the disk did not take.
type untaken struct {
	file string
	text []byte
}

// try tries whether the disk now takes the file of ports that it last refused, and returns the error if it does not;
// nil if no file waits. The trial writes another file and removes it: the request for the ports was refused.
func (c portChanger) try() error {
	u := c.d.untaken.Load()
	if u == nil {
		return nil
	}
	name, err := writeBeside(u.file, u.text)
	if name != "" {
		err = errors.Join(err, removed(name))
	}
	if err == nil {
		c.d.untaken.CompareAndSwap(u, nil)
	}
	return err
}
