package netif

import (
	"fmt"
	"os"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Identity identifies one interface as long as the interface exists. The kernel gives the index to another interface
// only if somebody asks for that index; then the hardware address differs.
type Identity struct {
	Boot      string `json:"boot"`      // boot ID of the machine: no interface outlives a boot
	Namespace string `json:"namespace"` // network namespace
	Index     int    `json:"ifindex"`
	MAC       string `json:"mac"`
	Name      string `json:"interface"` // at the time of the record, for people
}

// place is a boot and a network namespace.
type place struct{ boot, namespace string }

// CurrentPlace returns the machine's boot ID, and a name for the network namespace of the calling thread that no other
// namespace gets until the next boot.
func CurrentPlace() (boot, namespace string, err error) {
	p, err := currentPlace()
	return p.boot, p.namespace, err
}

// currentPlace returns where the calling thread is: the machine's boot ID and the network namespace.
func currentPlace() (place, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return place{}, err
	}
	ns, err := namespace()
	return place{strings.TrimSpace(string(boot)), ns}, err
}

// namespace names the network namespace of the calling thread: by the cookie of the namespace, which the kernel gives
// to no other namespace until the next boot, or before Linux 5.14 by the inode, which another namespace may get when
// this namespace has gone.
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

// identify returns the identity of an interface for its record: index, address and name, with the boot ID and
// network namespace of p.
func (p place) identify(a *netlink.LinkAttrs) Identity {
	return Identity{Boot: p.boot, Namespace: p.namespace, Index: a.Index, MAC: a.HardwareAddr.String(), Name: a.Name}
}

// in reports whether the interface belongs, or belonged, to the boot and network namespace of p.
func (i Identity) in(p place) bool { return i.Boot == p.boot && i.Namespace == p.namespace }

// file returns the name of the interface's record file.
func (i Identity) file() string { return fmt.Sprintf("%s-if-%d%s", i.Namespace, i.Index, suffix) }
