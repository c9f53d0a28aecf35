package machine

import (
	"fmt"
	"io"
	"path"
)

// archive writes an initramfs in the format that the kernel calls newc
// (Documentation/driver-api/early-userspace/buffer-format.rst).
type archive struct {
	w     io.Writer
	inode int
	made  map[string]bool // directories
}

// Modes of entries.
const (
	modeDirectory = 0o040755
	modeProgram   = 0o100755
)

func newArchive(w io.Writer) *archive { return &archive{w: w, made: map[string]bool{".": true}} }

// directory adds a directory, and the directories above it, to the archive, unless they are in it already.
func (a *archive) directory(name string) error {
	if a.made[name] {
		return nil
	}
	if err := a.directory(path.Dir(name)); err != nil {
		return err
	}
	a.made[name] = true
	return a.entry(name, modeDirectory, nil)
}

// file adds an executable file with the given content, and the directories above it, to the archive. name is relative
// to the root.
func (a *archive) file(name string, octets []byte) error {
	if err := a.directory(path.Dir(name)); err != nil {
		return err
	}
	return a.entry(name, modeProgram, octets)
}

// end writes the entry that ends a cpio archive.
func (a *archive) end() error { return a.entry("TRAILER!!!", 0, nil) }

// entry writes an entry of a cpio archive: a header of 13 hexadecimal numbers, the name and the content, both padded
// to a multiple of 4 octets.
func (a *archive) entry(name string, mode int, octets []byte) error {
	a.inode++
	header := fmt.Sprintf("070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%s\x00",
		a.inode, mode, 0, 0, 1, 0, len(octets), 0, 0, 0, 0, len(name)+1, 0, name)
	for _, part := range [][]byte{[]byte(header), octets} {
		if _, err := a.w.Write(append(part, make([]byte, -len(part)&3)...)); err != nil {
			return err
		}
	}
	return nil
}
