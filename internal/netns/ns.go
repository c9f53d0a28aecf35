// Package netns makes network namespaces, the veths between them and their addresses, by netlink, for the demo and
// for tests with real interfaces. Names contain the process ID, so CleanStale can remove the namespaces of a
// crashed run.
//
// Within enters an existing namespace. A thread that has been in a namespace is used for nothing else afterwards:
// the thread ends.
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

// Dir is the directory of named namespaces, as `ip netns` shows them.
const Dir = "/run/netns"

const prefix = "uelink-"

// ErrPrivilege is the error of New without the right to make namespaces.
var ErrPrivilege = errors.New("network namespaces need root (CAP_SYS_ADMIN and CAP_NET_ADMIN)")

// ErrNone is the error of Within if no namespace has the path.
var ErrNone = errors.New("there is no such network namespace")

// NS is a network namespace with a name that `ip netns` shows. One OS thread lives in the namespace until Close.
// All methods may be called from any goroutine.
type NS struct {
	name    string
	handle  vns.NsHandle
	links   *netlink.Handle
	work    chan func() // run on the resident thread, one at a time
	unnamed bool        // the name is removed already
}

// New makes a network namespace named uelink-PID-name, with its loopback interface up, and a thread of this process
// that lives in the namespace until Close.
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

// make makes the named namespace and moves the calling thread into it for good. ErrPrivilege: the process may not make
// namespaces.
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

// Name returns the namespace's name as `ip netns` shows it.
func (n *NS) Name() string { return n.name }

// Path returns the path of the file in /run/netns that represents the namespace, for processes that enter by path.
func (n *NS) Path() string { return filepath.Join(Dir, n.name) }

// Unname removes the namespace's name. The namespace goes on, as that of a container that was never named.
func (n *NS) Unname() error {
	n.unnamed = true
	return remove(n.name)
}

// Close removes the namespace's name, and kills every process that Start has started in it. The kernel destroys
// the namespace and its interfaces when no process or socket is left inside. Close must be the last call.
func (n *NS) Close() error {
	n.links.Close()
	close(n.work)
	if n.unnamed {
		return n.handle.Close()
	}
	return errors.Join(remove(n.name), n.handle.Close())
}

// remove removes the name of a namespace from /run/netns.
func remove(name string) error {
	if err := vns.DeleteNamed(name); err != nil {
		return fmt.Errorf("remove namespace %s: %w", name, err)
	}
	return nil
}
