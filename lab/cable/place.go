package cable

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"uelink/internal/netns"
)

// place is a network namespace. The zero value is that of the calling thread. A place does not keep its namespace
// alive: a container's interface ends with the container.
type place struct {
	path  string // path of the namespace's file
	inode uint64 // inode of that file: the path may name another namespace later, because process numbers are reused
}

// parsePeer splits NETNS:IF. NETNS is a name of `ip netns`, the number of a process, or a path.
func parsePeer(text string) (path, ifname string, err error) {
	at := strings.LastIndexByte(text, ':')
	if at < 1 || at == len(text)-1 {
		return "", "", fmt.Errorf("peer %q is not NETNS:IF, such as 4711:eth0 "+
			"(a name of ip netns, the number of a process, or a path)", text)
	}
	space, ifname := text[:at], text[at+1:]
	if strings.ContainsRune(space, '/') {
		return space, ifname, nil
	}
	// A number is that of a process, unless `ip netns` has a namespace of this name.
	named := filepath.Join(netns.Dir, space)
	if _, err := strconv.Atoi(space); err == nil {
		if _, err := os.Stat(named); err != nil {
			return filepath.Join("/proc", space, "ns/net"), ifname, nil
		}
	}
	return named, ifname, nil
}

// openPlace returns the place of a namespace's file.
func openPlace(path string) (place, error) {
	inode, err := inodeOf(path)
	if err != nil {
		return place{}, err
	}
	return place{path, inode}, nil
}

// inodeOf returns the inode of a namespace's file; the error is netns.ErrNone if there is no such file.
func inodeOf(path string) (uint64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, fmt.Errorf("%w: %s", netns.ErrNone, path)
	}
	return info.Sys().(*syscall.Stat_t).Ino, nil
}

// elsewhere reports whether the place is another namespace than that of the calling thread.
func (p place) elsewhere() bool { return p.path != "" }

// within runs f in the namespace, and returns its error; netns.ErrNone if the namespace is gone.
func (p place) within(f func() error) error {
	if !p.elsewhere() {
		return f()
	}
	inode, err := inodeOf(p.path)
	if err != nil {
		return err
	}
	if inode != p.inode {
		return fmt.Errorf("%w: %s names another namespace now", netns.ErrNone, p.path)
	}
	return netns.Within(p.path, f)
}
