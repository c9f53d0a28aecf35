// Package history keeps lines in a file of bounded size, the oldest lines going first.
package history

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// History is two files: NAME, to which lines are appended, and NAME.1, which was NAME until it was full. One goroutine
// at a time calls the methods other than Lines. The zero value is of no use.
type History struct {
	name string
	most int64 // octets of each of the two files
	file *os.File
	size int64

	rotating sync.Mutex // held while the files change their names, and while Lines opens them
}

// New returns a History that keeps lines in the file called name and in an older file, name.1, of at most most octets
// each. The first Append opens the file.
func New(name string, most int64) *History { return &History{name: name, most: most} }

// Append writes a line to the file; line must end with a line feed, and have no other. If the file would exceed its
// size, a new file is begun. After an error (a full disk, say) the line is not kept, no part of it stays in the file,
// and the next Append tries again.
func (h *History) Append(line []byte) error {
	if h.file == nil {
		if err := h.open(); err != nil {
			return err
		}
	}
	if h.size > 0 && h.size+int64(len(line)) > h.most {
		if err := h.rotate(); err != nil {
			return err
		}
	}
	_, err := h.file.Write(line)
	if err != nil {
		return errors.Join(err, h.file.Truncate(h.size), h.Close())
	}
	h.size += int64(len(line))
	return nil
}

// open opens the file for appending, and creates it and its folder where they are missing. If a crash has left an
// incomplete last line, open removes that line.
func (h *History) open() error {
	if err := os.MkdirAll(filepath.Dir(h.name), 0o700); err != nil {
		return err
	}
	// NONBLOCK: a FIFO in place of the file does not stop the daemon.
	f, err := os.OpenFile(h.name, os.O_RDWR|os.O_CREATE|os.O_APPEND|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no plain file: remove it", h.name)
	}
	if err == nil {
		h.size, err = wholeLines(f, info.Size(), h.most)
	}
	if err == nil && h.size < info.Size() {
		err = f.Truncate(h.size)
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	h.file = f
	return nil
}

// wholeLines returns the length in octets of the part of a file that ends with its last line feed. size is the file's
// length. Only the last most octets are searched; if they have no line feed, the result is size-most, at least 0.
func wholeLines(f *os.File, size, most int64) (int64, error) {
	from := max(0, size-most)
	end := make([]byte, size-from)
	if _, err := f.ReadAt(end, from); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return from + int64(bytes.LastIndexByte(end, '\n')+1), nil
}

// rotate renames the full file to name.1, in place of any older file, and opens a new file.
func (h *History) rotate() error {
	h.rotating.Lock()
	defer h.rotating.Unlock()
	if err := os.Rename(h.name, h.name+".1"); err != nil {
		return errors.Join(err, h.Close())
	}
	if err := h.Close(); err != nil {
		return err
	}
	return h.open()
}

// Close closes the file. A later Append opens it again.
func (h *History) Close() error {
	if h.file == nil {
		return nil
	}
	f := h.file
	h.file = nil
	return f.Close()
}

// Lines returns all kept lines, the oldest first, without their line feeds; none if no file exists. After an error it
// returns the lines that it could read. Any goroutine may call it at any time.
func (h *History) Lines() (lines [][]byte, err error) {
	h.rotating.Lock()
	old, errOld := openPlain(h.name + ".1")
	present, errPresent := openPlain(h.name)
	h.rotating.Unlock()
	err = errors.Join(errOld, errPresent)
	for _, f := range []*os.File{old, present} {
		if f == nil {
			continue
		}
		text, errRead := io.ReadAll(io.LimitReader(f, h.most))
		err = errors.Join(err, errRead, f.Close())
		for line := range bytes.Lines(text) {
			if whole, ok := bytes.CutSuffix(line, []byte("\n")); ok {
				lines = append(lines, whole)
			}
		}
	}
	return lines, err
}

// openPlain opens a regular file for reading. It returns nil, without an error, if the file does not exist or is not
// regular.
func openPlain(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
