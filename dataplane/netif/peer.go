package netif

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
)

// namedNamespaces is where iproute2 keeps the namespaces that have a name.
const namedNamespaces = "/run/netns"

// atPeer runs f in the namespace of a veth's other end, with its name there. The other
// end is the same interface for as long as this one exists, wherever it is moved.
func atPeer(index int, f func(ifname string) error) error {
	nl, err := netlink.LinkByIndex(index)
	if err != nil {
		return err
	}
	a := nl.Attrs()
	path, err := peerNamespace(a)
	if err != nil {
		return err
	}
	return inNamespace(path, func() error {
		peer, err := netlink.LinkByIndex(a.ParentIndex)
		if err != nil {
			return err
		}
		return f(peer.Attrs().Name)
	})
}

// peerNamespace is the path of the namespace that holds a veth's other end,
// empty for this one.
func peerNamespace(a *netlink.LinkAttrs) (string, error) {
	if a.NetNsID < 0 {
		return "", nil
	}
	entries, err := os.ReadDir(namedNamespaces)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	for _, e := range entries {
		path := filepath.Join(namedNamespaces, e.Name())
		handle, err := netns.GetFromPath(path)
		if err != nil {
			continue // a leftover file, not a namespace
		}
		id, err := netlink.GetNetNsIdByFd(int(handle))
		_ = handle.Close()
		if err == nil && id == a.NetNsID {
			return path, nil
		}
	}
	return "", fmt.Errorf("its network namespace has no name under %s", namedNamespaces)
}

// inNamespace runs f with its thread in the namespace at path. A thread that
// cannot come back dies with its goroutine.
func inNamespace(path string, f func() error) error {
	if path == "" {
		return f()
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		done <- func() error {
			home, err := netns.Get()
			if err != nil {
				return err
			}
			defer home.Close()
			there, err := netns.GetFromPath(path)
			if err != nil {
				return err
			}
			defer there.Close()
			if err := netns.Set(there); err != nil {
				return fmt.Errorf("enter %s: %w", path, err)
			}
			result := f()
			if netns.Set(home) == nil {
				runtime.UnlockOSThread()
			}
			return result
		}()
	}()
	return <-done
}
