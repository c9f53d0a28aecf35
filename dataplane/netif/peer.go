package netif

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vishvananda/netlink"
	vns "github.com/vishvananda/netns"

	"uelink/internal/netns"
)

// atPeer calls f with the name of a veth's other end, in the network namespace of the other end. The other end is
// the same interface for as long as the veth exists, wherever it is moved.
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
	call := func() error {
		peer, err := netlink.LinkByIndex(a.ParentIndex)
		if err != nil {
			return err
		}
		return f(peer.Attrs().Name)
	}
	if path == "" {
		return call()
	}
	return netns.Within(path, call)
}

// peerNamespace returns the path of the network namespace that holds a veth's other end, empty for the present
// namespace. It returns an error if that namespace has no name, so that this process cannot enter it.
func peerNamespace(a *netlink.LinkAttrs) (string, error) {
	if a.NetNsID < 0 {
		return "", nil
	}
	entries, err := os.ReadDir(netns.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	for _, e := range entries {
		path := filepath.Join(netns.Dir, e.Name())
		handle, err := vns.GetFromPath(path)
		if err != nil {
			continue // a leftover file, not a namespace
		}
		id, err := netlink.GetNetNsIdByFd(int(handle))
		_ = handle.Close()
		if err == nil && id == a.NetNsID {
			return path, nil
		}
	}
	return "", fmt.Errorf("the network namespace of the veth's other end has no name under %s", netns.Dir)
}
