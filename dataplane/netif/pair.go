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
)

// Pair is a veth that a process makes, so that its own host takes part in the traffic that the process forwards: one
// end is the process's, the other end stays the kernel's. The pair outlives the process, with all that the host has put
// on it. The next process that wants the pair takes it over. Its owner, a daemon, removes the pair when its
// configuration no longer has it.
type Pair struct {
	Interface string         // the process's end
	Host      string         // the kernel's end
	Addresses []netip.Prefix // of the kernel's end; none: others set them
	Owner     Owner
	// MAC is the address of the kernel's end; nil: an existing end keeps its address, a new end gets that given to Make.
	MAC net.HardwareAddr
}

// marker begins the hardware address of the process's end of every pair. The address is set with the creation of
// the pair, so an abandoned pair can always be recognized.
var marker = net.HardwareAddr{0x02, 0x75, 0x65, 0x6c}

// generatesNone is IN6_ADDR_GEN_MODE_NONE: IPv6 gives the interface no address by itself.
const generatesNone = 1

// Make makes the veth pair with an MTU, or takes over the existing pair: names, addresses and MTU are set. Make refuses
// an interface of the same name that no process of ours has made, and a pair that another process serves. created
// reports whether the pair was not there before. For a new pair with no MAC, Make calls address for the hardware
// address of the kernel's end.
func (p Pair) Make(mtu int, address func() net.HardwareAddr, log *zap.Logger) (created bool, err error) {
	log = log.With(zap.String("interface", p.Interface), zap.String("host_interface", p.Host))
	end, err := netlink.LinkByName(p.Interface)
	switch {
	case errors.As(err, new(netlink.LinkNotFoundError)):
		if end, err = p.create(mtu, address); err == nil {
			created = true
			log.Info("made a veth for the host", zap.Int("mtu", mtu))
		}
	case err == nil && !IsPair(end):
		err = p.taken()
	case err == nil:
		if err = checkFree(end.Attrs().Index); err == nil {
			log.Info("took over the existing veth for the host", zap.String("owner", end.Attrs().Alias))
		}
	}
	if err == nil {
		err = p.claim(end)
	}
	if err != nil {
		return created, p.failed(err)
	}
	if err := p.describe(end); err != nil {
		log.Warn("the veth cannot be labelled as uelink's (altname, alias)", zap.Error(err))
	}
	if err := guard(end); err != nil {
		log.Warn("what the host sends while no uelinkd runs will reach the network stack of this machine, which may answer",
			zap.Error(err))
	}
	return created, p.failed(p.arrange(end, mtu))
}

// Check returns the error that Make would return now because of the names of the two ends, and changes nothing.
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
		err = checkFree(end.Attrs().Index)
	}
	return p.failed(err)
}

// taken returns the error that another interface has the name of the process's end of the veth.
func (p Pair) taken() error {
	return fmt.Errorf("%s is there already, and uelink has not made it: choose another name, or remove it "+
		"(ip link delete dev %s)", p.Interface, p.Interface)
}

// failed wraps err with the names of both ends and the advice for a missing privilege; nil stays nil.
func (p Pair) failed(err error) error {
	if err != nil {
		err = fmt.Errorf("veth of %s and %s: %w", p.Interface, p.Host, advise(err))
	}
	return err
}

// create makes the veth pair, with both ends down, and returns the process's end. Both hardware addresses are
// given, because udev replaces addresses that the kernel has chosen.
func (p Pair) create(mtu int, address func() net.HardwareAddr) (netlink.Link, error) {
	if _, err := netlink.LinkByName(p.Host); err == nil {
		return nil, hostTaken(p.Host)
	}
	var random [2]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand ends the program instead
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU, attrs.HardwareAddr = p.Interface, mtu, slices.Concat(marker, random[:])
	host := p.MAC
	if host == nil {
		host = address()
	}
	veth := &netlink.Veth{LinkAttrs: attrs, PeerName: p.Host, PeerMTU: uint32(mtu), PeerHardwareAddr: host}
	if err := netlink.LinkAdd(veth); err != nil {
		return nil, err
	}
	end, err := netlink.LinkByName(p.Interface)
	if err == nil { // the stack must send nothing by this end; a kernel without IPv6 refuses, and sends nothing
		_ = netlink.LinkSetIP6AddrGenMode(end, generatesNone)
	}
	return end, err
}

// hostTaken returns the error that another interface has the name of the kernel's end of the veth.
func hostTaken(name string) error {
	return fmt.Errorf("%s is there already: choose another host_interface, or remove it (ip link delete dev %s)",
		name, name)
}

// IsPair reports whether an interface is the process's end of a veth pair made by a process of ours.
func IsPair(l netlink.Link) bool {
	return l.Type() == "veth" && bytes.HasPrefix(l.Attrs().HardwareAddr, marker)
}

// arrange sets the name and the addresses of the veth's kernel's end and the MTU of both ends, and sets both ends
// up. end is the process's end.
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
	if err := p.setMAC(host); err != nil {
		return err
	}
	if err := p.SetMTU(mtu); err != nil {
		return err
	}
	if err := laterIPv6(p.SetAddresses(nil)); err != nil {
		return err
	}
	return errors.Join(netlink.LinkSetUp(end), netlink.LinkSetUp(host))
}

// host returns the kernel's end of the veth whose process's end is end; nil if somebody has moved the kernel's end
// into another network namespace, where it is left alone.
func (p Pair) host(end netlink.Link) (netlink.Link, error) {
	if end.Attrs().NetNsID >= 0 {
		return nil, nil
	}
	return netlink.LinkByIndex(end.Attrs().ParentIndex)
}
