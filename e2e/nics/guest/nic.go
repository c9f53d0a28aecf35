package guest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/netns"
)

// nic is an emulated card. Its interface comes into being in the guest's first namespace, each time
// that a driver is bound to it, and is placed from there.
type nic struct {
	name    string // as the host knows it
	mac     string
	home    *netns.NS // where its interface is to be
	as      string    // and under which name
	address string    // that it is given, as in 192.0.2.1/24; empty: none
	pci     string    // directory of the device in sysfs, once it was placed
}

// appearance is how long a driver may take until its interface is there.
const appearance = 30 * time.Second

// place moves the interface to where it is to be, and sets it up.
func (n *nic) place() error {
	var link netlink.Link
	err := within(appearance, "the interface of NIC "+n.name, func() (problem string) {
		ifname := interfaceOf(n.mac)
		if ifname == "" {
			return "there is none with the address " + n.mac
		}
		var err error
		if link, err = netlink.LinkByName(ifname); err != nil {
			return fmt.Sprintf("%s is in sysfs, and is no link yet: %v", ifname, err)
		}
		return ""
	})
	if err != nil {
		return err
	}
	if n.pci, err = pciOf(link.Attrs().Name); err != nil {
		return err
	}
	if err := n.move(link); err != nil {
		return fmt.Errorf("NIC %s: %w", n.name, err)
	}
	if n.address != "" {
		if err := n.home.AddAddr(n.as, n.address); err != nil {
			return fmt.Errorf("NIC %s: %w", n.name, err)
		}
	}
	return n.home.SetLink(n.as, true)
}

// move has the interface in its namespace under its name, without IPv6.
func (n *nic) move(link netlink.Link) error {
	if err := netlink.LinkSetName(link, n.as); err != nil {
		return err
	}
	fd, err := unix.Open(n.home.Path(), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := netlink.LinkSetNsFd(link, fd); err != nil {
		return err
	}
	return n.home.Do(func() error {
		return os.WriteFile("/proc/sys/net/ipv6/conf/"+n.as+"/disable_ipv6", []byte("1"), 0)
	})
}

// interfaceOf is the interface of this namespace with an address; "" if there is none.
func interfaceOf(mac string) string {
	files, _ := filepath.Glob("/sys/class/net/*/address") // the pattern is well formed
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && strings.TrimSpace(string(text)) == mac {
			return filepath.Base(filepath.Dir(f))
		}
	}
	return ""
}

// address is that of a PCI device, as in 0000:01:00.0.
var address = regexp.MustCompile(`^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`)

// pciOf is the directory in sysfs of an interface's PCI device; a virtio device is below its own.
func pciOf(ifname string) (string, error) {
	dir, err := filepath.EvalSymlinks(filepath.Join("/sys/class/net", ifname, "device"))
	for err == nil && !address.MatchString(filepath.Base(dir)) && dir != "/" {
		dir = filepath.Dir(dir)
	}
	if dir == "/" {
		err = fmt.Errorf("%s is no PCI device", ifname)
	}
	return dir, err
}

// driver is the directory in sysfs of the PCI driver that is bound to the card.
func (n *nic) driver() (string, error) { return filepath.EvalSymlinks(filepath.Join(n.pci, "driver")) }

// ethtool runs ethtool with the interface as the second argument: ethtool("-G", "rx", "512") is
// ethtool -G link0 rx 512.
func (n *nic) ethtool(flag string, args ...string) error {
	return run1(n.home, "ethtool", append([]string{flag, n.as}, args...)...)
}
