package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/containernetworking/cni/pkg/types"
	"golang.org/x/sys/unix"

	"uelink/internal/netns"
)

// sandbox is an open network namespace of a container.
type sandbox struct {
	path string
	fd   int
}

// errNoSandbox is the error of a namespace that is gone.
var errNoSandbox = errors.New("the network namespace is gone")

// openSandbox opens the network namespace of a container. What is no namespace is refused, and so is a symbolic link:
// the plugin runs as root, and the path comes from outside. The error wraps errNoSandbox if the path does not exist, or
// leads to a file that is no namespace any more.
func openSandbox(path string) (*sandbox, error) {
	wrong := func(err error) error {
		return types.NewError(types.ErrInvalidNetNS, fmt.Sprintf("CNI_NETNS %s: %v", path, err), "")
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.Join(wrong(errNoSandbox), errNoSandbox)
	case errors.Is(err, unix.ELOOP):
		return nil, wrong(errors.New("a symbolic link is refused"))
	case err != nil:
		return nil, wrong(err)
	}
	s := &sandbox{path, fd}
	var file unix.Statfs_t
	if err := unix.Fstatfs(fd, &file); err != nil || file.Type != unix.NSFS_MAGIC {
		s.close()
		return nil, errors.Join(wrong(errors.New("this is no namespace")), errNoSandbox)
	}
	if kind, err := unix.IoctlRetInt(fd, unix.NS_GET_NSTYPE); err != nil || kind != unix.CLONE_NEWNET {
		s.close()
		return nil, wrong(errors.New("this is no network namespace"))
	}
	return s, nil
}

func (s *sandbox) close() { _ = unix.Close(s.fd) }

// do runs f in the namespace.
func (s *sandbox) do(f func() error) error {
	return netns.Within(fmt.Sprintf("/proc/self/fd/%d", s.fd), f)
}
