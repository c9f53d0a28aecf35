package place

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Shelf keeps the files of places from one process to the next.
type Shelf interface {
	// File returns the file with a name, perhaps with the bookmark of an earlier process.
	File(name string) (*os.File, error)
	// Drop removes the file with a name.
	Drop(name string)
}

// Directory is a shelf in a directory of tmpfs. File makes the directory.
type Directory string

// File opens the file with a name in the directory, or makes an empty one.
func (d Directory) File(name string) (*os.File, error) {
	if err := os.MkdirAll(string(d), 0o755); err != nil {
		return nil, fmt.Errorf("bookmark of a link: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(string(d), name), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("bookmark of a link: %w", err)
	}
	return f, nil
}

// Drop removes the file with a name from the directory.
func (d Directory) Drop(name string) { _ = os.Remove(filepath.Join(string(d), name)) }

// OpenFor opens the place of a link on shelf s: the file that keeps the link's bookmark (where its receiver stands)
// for the next process. Its name is made of port, interface and network namespace.
func OpenFor(s Shelf, port, ifname string) (p *Place, err error) {
	name, err := nameOf(port, ifname)
	if err != nil {
		return nil, err
	}
	f, err := s.File(name)
	if err != nil {
		return nil, err
	}
	return Open(f)
}

// Forget removes the place of a deleted link: the file of its bookmark.
func Forget(s Shelf, port, ifname string) {
	if name, err := nameOf(port, ifname); err == nil {
		s.Drop(name)
	}
}

// nameOf returns the name of the file of a link's bookmark. Interfaces of several namespaces may have the same
// name.
func nameOf(port, ifname string) (string, error) {
	var namespace unix.Stat_t
	if err := unix.Stat("/proc/self/ns/net", &namespace); err != nil {
		return "", fmt.Errorf("name the bookmark of a link: read the network namespace: %w", err)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s", namespace.Ino, ifname, port))
	return "link-" + hex.EncodeToString(sum[:12]), nil
}
