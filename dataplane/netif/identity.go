package netif

import (
	"fmt"
	"os"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Identity is one interface for as long as it exists. The kernel gives its index to
// another interface only if somebody asks for that; then the address tells them apart.
type Identity struct {
	Boot      string `json:"boot"`      // of the machine: nothing of it outlives that
	Namespace string `json:"namespace"` // network namespace
	Index     int    `json:"ifindex"`
	MAC       string `json:"mac"`
	Name      string `json:"interface"` // when it was written, for people
}

// place is a boot and a network namespace.
type place struct{ boot, namespace string }

// here is the place of the calling thread.
func here() (place, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return place{}, err
	}
	ns, err := namespace()
	return place{strings.TrimSpace(string(boot)), ns}, err
}

// namespace names the network namespace of the calling thread: by its cookie, which the
// kernel gives to no other until the machine boots, or before Linux 5.14 by its inode,
// which another namespace gets when this one has gone.
func namespace() (string, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", fmt.Errorf("identify the network namespace: %w", err)
	}
	defer unix.Close(fd)
	if cookie, err := unix.GetsockoptUint64(fd, unix.SOL_SOCKET, unix.SO_NETNS_COOKIE); err == nil {
		return fmt.Sprintf("cookie-%d", cookie), nil
	}
	var st unix.Stat_t
	if err := unix.Stat("/proc/thread-self/ns/net", &st); err != nil {
		return "", fmt.Errorf("identify the network namespace: %w", err)
	}
	return fmt.Sprintf("inode-%d", st.Ino), nil
}

// identify is the identity of an interface that is in a place.
func (p place) identify(a *netlink.LinkAttrs) Identity {
	return Identity{Boot: p.boot, Namespace: p.namespace, Index: a.Index, MAC: a.HardwareAddr.String(), Name: a.Name}
}

// in says whether the interface is in a place, or was.
func (i Identity) in(p place) bool { return i.Boot == p.boot && i.Namespace == p.namespace }

// file is the name of the file that the interface is written down in.
func (i Identity) file() string { return fmt.Sprintf("%s-if-%d%s", i.Namespace, i.Index, suffix) }
