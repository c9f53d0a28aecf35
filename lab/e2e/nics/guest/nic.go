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

	"uelink/internal/netns"
)

// nic is an emulated card. Each time a driver is bound to the card, its interface appears in the guest's first
// namespace; place moves it from there.
type nic struct {
	name    string // name of the card at the host: a or b
	mac     string
	home    *netns.NS // namespace to place the interface in
	as      string    // name that the interface gets in home
	address string    // IP address that the interface gets, such as 192.0.2.1/24; empty: none
	pci     string    // directory of the device in sysfs, set by place
}

// appearance bounds the time until a driver's interface appears.
const appearance = 30 * time.Second

// place waits until the NIC's interface exists, moves it to the NIC's namespace, gives it its address, if any, and sets
// it up. It also finds the device in sysfs (pci).
func (n *nic) place() error {
	var link netlink.Link
	err := within(appearance, "the interface of NIC "+n.name, func() (problem string) {
		ifname := interfaceOf(n.mac)
		if ifname == "" {
			return "no interface has the MAC address " + n.mac
		}
		var err error
		if link, err = netlink.LinkByName(ifname); err != nil {
			return fmt.Sprintf("%s is in sysfs, but netlink does not list it yet: %v", ifname, err)
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

// move renames the NIC's interface link, moves it to the NIC's namespace, and disables IPv6 on it.
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

// interfaceOf returns the interface of this namespace with a MAC address; "" if there is none.
func interfaceOf(mac string) string {
	files, _ := filepath.Glob("/sys/class/net/*/address") // no error: the pattern is well formed
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && strings.TrimSpace(string(text)) == mac {
			return filepath.Base(filepath.Dir(f))
		}
	}
	return ""
}

// address matches the address of a PCI device, as in 0000:01:00.0.
var address = regexp.MustCompile(`^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`)

// pciOf returns the directory in sysfs of an interface's PCI device. The device of a virtio NIC is a child of it.
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

// driver returns the directory in sysfs of the driver of the NIC's PCI device.
func (n *nic) driver() (string, error) { return filepath.EvalSymlinks(filepath.Join(n.pci, "driver")) }

// ethtool runs ethtool with the interface as the second argument: ethtool("-G", "rx", "512") is ethtool -G link0 rx
// 512.
func (n *nic) ethtool(flag string, args ...string) error {
	return run1(n.home, "ethtool", append([]string{flag, n.as}, args...)...)
}
