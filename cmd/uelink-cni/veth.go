package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/containernetworking/cni/pkg/types"
	"github.com/vishvananda/netlink"

	"uelink/internal/dump"
)

// makeVeth makes the veth of an attachment, with the host's end here and the other in the container, and sets up the
// host's end. Before, it removes a pair that a killed ADD has left.
func makeVeth(a attachment, s *sandbox, mtu int, mac string) error {
	if err := removeVeth(a); err != nil {
		return err
	}
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU, attrs.Group = a.hostEnd(), mtu, groupOf(a.network)
	pair := &netlink.Veth{LinkAttrs: attrs, PeerName: a.ifname, PeerMTU: uint32(mtu), PeerNamespace: netlink.NsFd(s.fd)}
	if mac != "" {
		pair.PeerHardwareAddr, _ = net.ParseMAC(mac) // readConf has checked it
	}
	if err := netlink.LinkAdd(pair); err != nil {
		return fmt.Errorf("make the veth %s, %s in the container: %w", a.hostEnd(), a.ifname, err)
	}
	err := setUpHostEnd(a)
	if err != nil {
		err = errors.Join(err, removeVeth(a))
	}
	return err
}

// setUpHostEnd names the host's end for people, keeps the kernel from sending by it, and switches it on.
func setUpHostEnd(a attachment) error {
	end, err := netlink.LinkByName(a.hostEnd())
	if err != nil {
		return fmt.Errorf("%s: %w", a.hostEnd(), err)
	}
	if err := netlink.LinkSetAlias(end, a.alias()); err != nil {
		return fmt.Errorf("set the alias of %s: %w", a.hostEnd(), err)
	}
	if err := netlink.LinkSetGroup(end, 0); err != nil { // the alias names the network from here on
		return fmt.Errorf("set the interface group of %s: %w", a.hostEnd(), err)
	}
	if err := netlink.LinkAddAltName(end, a.altname()); err != nil {
		return fmt.Errorf("set the altname of %s: %w", a.hostEnd(), err)
	}
	if err := setIPv6(a.hostEnd(), "disable_ipv6", "1"); err != nil {
		return err
	}
	if err := netlink.LinkSetUp(end); err != nil {
		return fmt.Errorf("set %s up: %w", a.hostEnd(), err)
	}
	return nil
}

// setIPv6 sets a value of IPv6 for an interface of the calling thread's network namespace; a kernel without IPv6 has
// none.
func setIPv6(ifname, key, value string) error {
	err := os.WriteFile("/proc/sys/net/ipv6/conf/"+ifname+"/"+key, []byte(value), 0)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("set %s of %s: %w", key, ifname, err)
	}
	return nil
}

// removeVeth removes the veth of an attachment, which need not be there. An interface of that name that this plugin has
// not made is an error.
func removeVeth(a attachment) error {
	end, err := netlink.LinkByName(a.hostEnd())
	if errors.As(err, new(netlink.LinkNotFoundError)) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", a.hostEnd(), err)
	}
	if alias := end.Attrs().Alias; end.Type() != "veth" || alias != "" && alias != a.alias() {
		return fmt.Errorf("interface %s (%s) is not this plugin's: %q", a.hostEnd(), end.Type(), alias)
	}
	err = netlink.LinkDel(end)
	if err != nil && !isGone(a.hostEnd()) {
		return fmt.Errorf("remove %s: %w", a.hostEnd(), err)
	}
	return nil
}

// isGone reports whether no interface has the name.
func isGone(ifname string) bool {
	_, err := netlink.LinkByName(ifname)
	return errors.As(err, new(netlink.LinkNotFoundError))
}

// removeNameless removes the veths of a network whose ADD was killed before it had set their alias: until then they
// have the network's group instead (groupOf). A veth of a valid attachment stays.
func removeNameless(network string, valid []types.GCAttachment) (err error) {
	links, err := dump.All(netlink.LinkList)
	if err != nil {
		return fmt.Errorf("list the interfaces: %w", err)
	}
	for _, l := range links {
		at := l.Attrs()
		isValid := slices.ContainsFunc(valid, func(v types.GCAttachment) bool {
			return attachment{network, v.ContainerID, v.IfName}.hostEnd() == at.Name
		})
		isNameless := l.Type() == "veth" && strings.HasPrefix(at.Name, "ue-") && at.Alias == "" &&
			at.Group == groupOf(network)
		if !isNameless || isValid {
			continue
		}
		if delErr := netlink.LinkDel(l); delErr != nil && !isGone(at.Name) {
			err = errors.Join(err, fmt.Errorf("remove %s: %w", at.Name, delErr))
		}
	}
	return err
}

// vethsOf lists the attachments of a network whose host's end is there, by the alias of the host's end.
func vethsOf(network string) (list []attachment, err error) {
	links, err := dump.All(netlink.LinkList)
	if err != nil {
		return nil, fmt.Errorf("list the interfaces: %w", err)
	}
	for _, l := range links {
		a, ok := parseAlias(network, l.Attrs().Alias)
		if ok && strings.HasPrefix(l.Attrs().Name, "ue-") && a.hostEnd() == l.Attrs().Name {
			list = append(list, a)
		}
	}
	return list, nil
}
