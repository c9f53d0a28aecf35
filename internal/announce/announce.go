// Package announce tells the other hosts of a network the hardware address of an interface.
package announce

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"net"
	"net/netip"
	"os"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/checksum"
	"uelink/internal/dump"
	"uelink/wire"
)

// Addresses sends, from an interface of the calling thread's network namespace, an announcement of each of its
// addresses: for an IPv4 address an ARP request for the address itself (RFC 5227 §2.3), for an IPv6 address an
// unsolicited neighbour advertisement (RFC 4861 §7.2.6). Hosts that know the addresses learn the hardware address, and
// switches on the way learn the port. n is the number of addresses.
func Addresses(ifname string) (n int, err error) {
	nl, err := netlink.LinkByName(ifname)
	if err != nil {
		return 0, err
	}
	all, err := dump.All(func() ([]netlink.Addr, error) { return netlink.AddrList(nl, unix.AF_UNSPEC) })
	if err != nil {
		return 0, fmt.Errorf("list the addresses of %s: %w", ifname, err)
	}
	forwards := forwardsIPv6(ifname)
	var problems []error
	for _, a := range all {
		ip, ok := netip.AddrFromSlice(a.IP)
		if ip = ip.Unmap(); !ok || a.Flags&(unix.IFA_F_TENTATIVE|unix.IFA_F_DADFAILED) != 0 {
			continue // duplicate address detection has not ended, or has failed
		}
		f := ARP(nl.Attrs().HardwareAddr, ip, ip)
		if ip.Is6() {
			f = advertisement(nl.Attrs().HardwareAddr, ip, forwards)
		}
		problems = append(problems, send(nl.Attrs().Index, f))
		n++
	}
	return n, errors.Join(problems...)
}

// send sends a frame by an interface of the calling thread's network namespace.
func send(ifindex int, frame []byte) error {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open a packet socket: %w", err)
	}
	defer unix.Close(fd)
	if err := unix.Sendto(fd, frame, unix.MSG_DONTWAIT, &unix.SockaddrLinklayer{Ifindex: ifindex}); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	return nil
}

// forwardsIPv6 reports whether the host forwards IPv6 from an interface. Neighbours remove the routes through a router
// whose advertisement says that it is none (RFC 4861 §7.2.5).
func forwardsIPv6(ifname string) bool {
	text, err := os.ReadFile("/proc/sys/net/ipv6/conf/" + ifname + "/forwarding")
	return err == nil && !bytes.HasPrefix(text, []byte("0"))
}

// ARP returns the broadcast frame of an ARP request from the IPv4 address sender for the address target. If both are
// the same, the frame announces the address.
func ARP(mac net.HardwareAddr, sender, target netip.Addr) []byte {
	f := make([]byte, wire.MinFrameLen)
	copy(f, []byte{255, 255, 255, 255, 255, 255})
	copy(f[6:], mac)
	binary.BigEndian.PutUint16(f[12:], unix.ETH_P_ARP)
	arp := f[wire.HeaderLen:]
	copy(arp, []byte{0, 1, 8, 0, 6, 4, 0, 1}) // Ethernet, IPv4, request
	copy(arp[8:], mac)
	copy(arp[14:], sender.AsSlice())
	copy(arp[24:], target.AsSlice())
	return f
}

// Length, in octets, and flags of a neighbour advertisement (RFC 4861 §4.4) with the option of the target's hardware
// address.
const (
	advertisementLen = 32
	neighborOverride = 0x20
	isRouter         = 0x80
)

// advertisement returns the frame, to all nodes, of an unsolicited neighbour advertisement of an IPv6 address. router
// sets the flag for a host that forwards IPv6.
func advertisement(mac net.HardwareAddr, ip netip.Addr, router bool) []byte {
	f := make([]byte, wire.HeaderLen+40+advertisementLen)
	copy(f, []byte{0x33, 0x33, 0, 0, 0, 1})
	copy(f[6:], mac)
	binary.BigEndian.PutUint16(f[12:], unix.ETH_P_IPV6)
	ip6 := f[wire.HeaderLen:]
	ip6[0], ip6[5], ip6[6], ip6[7] = 0x60, advertisementLen, unix.IPPROTO_ICMPV6, 255
	copy(ip6[8:], ip.AsSlice())
	copy(ip6[24:], netip.IPv6LinkLocalAllNodes().AsSlice())
	na := ip6[40:]
	na[0], na[4] = 136, neighborOverride
	if router {
		na[4] |= isRouter
	}
	copy(na[8:], ip.AsSlice())
	na[24], na[25] = 2, 1 // the hardware address of the target, in units of 8 octets
	copy(na[26:], mac)
	// The pseudo header: both addresses, the length, the protocol.
	sum := uint64(checksum.Fold(checksum.Sum(ip6[8:40]))) + uint64(checksum.Fold(checksum.Sum(na))) +
		uint64(bits.ReverseBytes16(advertisementLen+unix.IPPROTO_ICMPV6))
	binary.LittleEndian.PutUint16(na[2:], ^checksum.Fold(sum))
	return f
}
