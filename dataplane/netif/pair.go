package netif

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/bpf"
)

// Pair is a veth that a process makes, so that the host has an interface of its own to what the process forwards: one
// end is the process's, the other stays the kernel's. It goes when the process gives it up. One that a killed process
// has left is taken over by the next that wants it, or removed.
type Pair struct {
	Interface string         // the process's end
	Host      string         // the kernel's end
	Addresses []netip.Prefix // of the kernel's end; none: they are left to others
}

// marker begins the hardware address of the process's end of every pair. It is there from the moment on at which the
// kernel has the pair, so one that was left behind is always known again.
var marker = net.HardwareAddr{0x02, 0x75, 0x65, 0x6c}

// generatesNone is IN6_ADDR_GEN_MODE_NONE: IPv6 gives the interface no address by itself.
const generatesNone = 1

// Make makes the pair with an MTU, or takes over the one that is there: then it gets the names, the addresses and the
// MTU. An interface of the name that no process of ours has made is refused, and so is a pair that another process
// serves.
func (p Pair) Make(mtu int, log *zap.Logger) error {
	log = log.With(zap.String("interface", p.Interface), zap.String("host_interface", p.Host))
	end, err := netlink.LinkByName(p.Interface)
	switch {
	case errors.As(err, new(netlink.LinkNotFoundError)):
		if end, err = p.create(mtu); err == nil {
			log.Info("made a veth for the host", zap.Int("mtu", mtu))
		}
	case err == nil && !IsPair(end):
		err = p.taken()
	case err == nil:
		if err = bpf.Free(end.Attrs().Index); err == nil {
			log.Info("the veth for the host that is there is taken over")
		}
	}
	if err != nil {
		return p.failed(err)
	}
	return p.failed(p.arrange(end, mtu))
}

// Check returns the error that Make would return now as far as names go, and changes nothing.
func (p Pair) Check() error {
	end, err := netlink.LinkByName(p.Interface)
	switch {
	case errors.As(err, new(netlink.LinkNotFoundError)):
		if _, err = netlink.LinkByName(p.Host); err == nil {
			return p.failed(hostTaken(p.Host))
		}
		return nil
	case err == nil && !IsPair(end):
		err = p.taken()
	case err == nil:
		err = bpf.Free(end.Attrs().Index)
	}
	return p.failed(err)
}

// taken is the error of a name for the process's end that another interface has.
func (p Pair) taken() error {
	return fmt.Errorf("%s is there already, and uelink has not made it: choose another name, or remove it "+
		"(ip link delete dev %s)", p.Interface, p.Interface)
}

func (p Pair) failed(err error) error {
	if err != nil {
		err = fmt.Errorf("veth of %s and %s: %w", p.Interface, p.Host, advise(err))
	}
	return err
}

// create makes the pair, down. Both addresses are given, so that nobody (udev) replaces ones that the kernel has
// chosen.
func (p Pair) create(mtu int) (netlink.Link, error) {
	if _, err := netlink.LinkByName(p.Host); err == nil {
		return nil, hostTaken(p.Host)
	}
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand ends the program rather
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU, attrs.HardwareAddr = p.Interface, mtu, slices.Concat(marker, random[:2])
	host := net.HardwareAddr(random[2:])
	host[0] = host[0]&^1 | 2 // of one station, locally administered
	veth := &netlink.Veth{LinkAttrs: attrs, PeerName: p.Host, PeerMTU: uint32(mtu), PeerHardwareAddr: host}
	if err := netlink.LinkAdd(veth); err != nil {
		return nil, err
	}
	end, err := netlink.LinkByName(p.Interface)
	if err == nil { // the stack is to send nothing by this end; a kernel without IPv6 does not anyway
		_ = netlink.LinkSetIP6AddrGenMode(end, generatesNone)
	}
	return end, err
}

// hostTaken is the error of a name for the kernel's end that another interface has.
func hostTaken(name string) error {
	return fmt.Errorf("%s is there already: choose another host_interface, or remove it (ip link delete dev %s)",
		name, name)
}

// IsPair tells whether an interface is the process's end of a pair that a process of ours has made.
func IsPair(l netlink.Link) bool {
	return l.Type() == "veth" && bytes.HasPrefix(l.Attrs().HardwareAddr, marker)
}

// arrange gives the kernel's end its name and its addresses, and sets both up.
func (p Pair) arrange(end netlink.Link, mtu int) error {
	host, err := p.host(end)
	if err != nil || host == nil {
		return err
	}
	if host.Attrs().Name != p.Host {
		if err := rename(host, p.Host); err != nil {
			return err
		}
	}
	if err := p.SetMTU(mtu); err != nil {
		return err
	}
	if err := p.Address(nil); err != nil {
		return err
	}
	return errors.Join(netlink.LinkSetUp(end), netlink.LinkSetUp(host))
}

// host is the kernel's end; nil if somebody has moved it into another network namespace, where it is left alone.
func (p Pair) host(end netlink.Link) (netlink.Link, error) {
	if end.Attrs().NetNsID >= 0 {
		return nil, nil
	}
	return netlink.LinkByIndex(end.Attrs().ParentIndex)
}
