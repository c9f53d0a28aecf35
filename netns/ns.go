// Package netns makes network namespaces, the veths between them and their
// addresses, by netlink. It is for the demo and for tests with real interfaces:
// everything it makes carries the process's id in its name, so that what a
// crashed run left behind can be told apart and removed.
//
// It is also the one way into a namespace that is there already. A thread that has been in
// one is used for nothing else afterwards: it dies.
package netns

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/vishvananda/netlink"
	vns "github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// Dir is where namespaces that have a name are, as `ip netns` shows them.
const Dir = "/run/netns"

const prefix = "uelink-"

// ErrPrivilege is what New returns without the right to make namespaces.
var ErrPrivilege = errors.New("network namespaces need root (CAP_SYS_ADMIN and CAP_NET_ADMIN)")

// ErrNone is what Within returns where there is no namespace.
var ErrNone = errors.New("there is no such network namespace")

// NS is a network namespace with a name that `ip netns` shows. One OS thread
// lives in it until Close. Its methods may be called from any goroutine.
type NS struct {
	name   string
	handle vns.NsHandle
	links  *netlink.Handle
	work   chan func() // run on the resident thread, one at a time
}

// New makes a namespace named uelink-PID-name with its loopback up.
func New(name string) (*NS, error) {
	n := &NS{name: prefix + strconv.Itoa(os.Getpid()) + "-" + name, work: make(chan func())}
	ready := make(chan error, 1)
	onThread(func() {
		err := n.make()
		ready <- err
		if err != nil {
			return
		}
		for f := range n.work {
			f()
		}
	})
	if err := <-ready; err != nil {
		return nil, fmt.Errorf("make namespace %s: %w", n.name, err)
	}
	if err := n.SetLink("lo", true); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

// make makes the namespace with the calling thread in it, which never leaves.
func (n *NS) make() error {
	err := shareMountDir()
	var handle vns.NsHandle
	if err == nil {
		handle, err = vns.NewNamed(n.name)
	}
	if errors.Is(err, fs.ErrPermission) {
		return ErrPrivilege
	}
	if err != nil {
		return err
	}
	links, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return errors.Join(fmt.Errorf("open netlink: %w", err), handle.Close(), remove(n.name))
	}
	n.handle, n.links = handle, links
	return nil
}

// Name is the name as `ip netns` shows it.
func (n *NS) Name() string { return n.name }

// Path is the file that stands for the namespace, for a process that wants to
// enter it by itself.
func (n *NS) Path() string { return filepath.Join(Dir, n.name) }

// Close removes the name, ends the resident thread, and with it every child
// that Start made. The kernel destroys the namespace and its interfaces when
// nothing is left in it. Close must be the last call.
func (n *NS) Close() error {
	n.links.Close()
	close(n.work)
	return errors.Join(remove(n.name), n.handle.Close())
}

// remove takes a name away from /run/netns.
func remove(name string) error {
	if err := vns.DeleteNamed(name); err != nil {
		return fmt.Errorf("remove namespace %s: %w", name, err)
	}
	return nil
}
