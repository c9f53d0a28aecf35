package machine

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// archive writes an initramfs in the format that the kernel calls newc
// (Documentation/driver-api/early-userspace/buffer-format.rst).
type archive struct {
	w     io.Writer
	inode int
	dirs  map[string]bool // directories
}

// Modes of entries.
const (
	modeDirectory = 0o040755
	modeProgram   = 0o100755
)

// owned is type, permissions and owner of an entry, as in stat(2).
type owned struct{ mode, uid, gid uint32 }

func newArchive(w io.Writer) *archive { return &archive{w: w, dirs: map[string]bool{".": true}} }

// directory adds a directory, and the directories above it, to the archive, unless they are in it already.
func (a *archive) directory(name string) error {
	if a.dirs[name] {
		return nil
	}
	if err := a.directory(path.Dir(name)); err != nil {
		return err
	}
	a.dirs[name] = true
	return a.entry(name, owned{mode: modeDirectory}, nil)
}

// file adds an executable file with the given content, and the directories above it, to the archive. name is relative
// to the root.
func (a *archive) file(name string, octets []byte) error {
	if err := a.directory(path.Dir(name)); err != nil {
		return err
	}
	return a.entry(name, owned{mode: modeProgram}, octets)
}

// tree adds all folders, files and symbolic links below a folder of this machine, with their owners, and adds other
// kinds of files as empty ones.
func (a *archive) tree(root string) error {
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || file == root {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		var stat unix.Stat_t
		if err := unix.Lstat(file, &stat); err != nil {
			return err
		}
		var octets []byte
		switch d.Type() {
		case fs.ModeDir:
			a.dirs[name] = true
		case fs.ModeSymlink:
			var to string
			to, err = os.Readlink(file)
			octets = []byte(to)
		case 0:
			octets, err = os.ReadFile(file)
		}
		if err != nil {
			return err
		}
		return a.entry(name, owned{stat.Mode, stat.Uid, stat.Gid}, octets)
	})
}

// end writes the entry that ends a cpio archive.
func (a *archive) end() error { return a.entry("TRAILER!!!", owned{}, nil) }

// entry writes an entry of a cpio archive: a header of 13 hexadecimal numbers, the name and the content, both padded
// to a multiple of 4 octets.
func (a *archive) entry(name string, o owned, octets []byte) error {
	a.inode++
	header := fmt.Sprintf("070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%s\x00",
		a.inode, o.mode, o.uid, o.gid, 1, 0, len(octets), 0, 0, 0, 0, len(name)+1, 0, name)
	for _, part := range [][]byte{[]byte(header), octets} {
		if _, err := a.w.Write(append(part, make([]byte, -len(part)&3)...)); err != nil {
			return err
		}
	}
	return nil
}
