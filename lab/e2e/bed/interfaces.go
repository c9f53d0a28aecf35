package bed

import (
	"encoding/binary"
	"fmt"
	"os/exec"
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"uelink/dataplane/ethtool"
	"uelink/internal/netns"
)

// HasNoXDP waits until link0 and edge0 have no XDP program any more: the kernel detaches the programs of a killed
// daemon a little later.
func (d *Daemon) HasNoXDP() {
	d.T.Helper()
	for _, name := range []string{"link0", "edge0"} {
		Eventually(d.T, "no XDP program on "+name, func() string { return XDPOn(d.T, d.NS, name) })
	}
}

// Promiscuity returns how many users want an interface to be promiscuous (IFLA_PROMISCUITY). A veth receives frames for
// every address anyway, so only this number shows the mode.
func Promiscuity(t testing.TB, ns *netns.NS, ifname string) int {
	t.Helper()
	l, err := ns.Link(ifname)
	Must(t, err)
	return l.Promisc
}

// Offloads returns the names of the offloads and other features (ethtool -k) of an interface that are on.
func Offloads(t testing.TB, ns *netns.NS, ifname string) (on []string) {
	t.Helper()
	Must(t, ns.Do(func() (err error) {
		on, err = ethtool.Active(ifname)
		return err
	}))
	return on
}

// XDPOn returns "there is one" if an interface has an XDP program, else "", as Eventually wants it.
func XDPOn(t testing.TB, ns *netns.NS, name string) (problem string) {
	t.Helper()
	l, err := ns.Link(name)
	Must(t, err)
	if l.Xdp != nil && l.Xdp.Attached {
		return "there is one"
	}
	return ""
}

// Channels sets the number of RX and TX queues of an interface, as `ethtool -L IF rx RX tx TX` does.
func Channels(t testing.TB, ns *netns.NS, ifname string, rx, tx uint32) {
	t.Helper()
	Must(t, ns.Do(func() error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		request := make([]byte, 36) // struct ethtool_channels
		binary.NativeEndian.PutUint32(request, unix.ETHTOOL_SCHANNELS)
		binary.NativeEndian.PutUint32(request[20:], rx)
		binary.NativeEndian.PutUint32(request[24:], tx)
		var r struct { // struct ifreq
			name [unix.IFNAMSIZ]byte
			data unsafe.Pointer
			_    [16]byte
		}
		copy(r.name[:], ifname)
		r.data = unsafe.Pointer(&request[0])
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&r)))
		runtime.KeepAlive(request)
		if errno != 0 {
			return fmt.Errorf("ethtool -L %s rx %d tx %d: %w", ifname, rx, tx, errno)
		}
		return nil
	}))
}

// SetAttribute writes a value to an attribute of an interface: a file below /sys/class/net/IF, such as threaded.
func SetAttribute(t testing.TB, ns *netns.NS, ifname, attribute, value string) {
	t.Helper()
	// ip netns mounts the /sys of the namespace.
	write := fmt.Sprintf("echo %s >/sys/class/net/%s/%s", value, ifname, attribute)
	Run(t, ns, exec.Command("ip", "netns", "exec", ns.Name(), "sh", "-c", write))
}
