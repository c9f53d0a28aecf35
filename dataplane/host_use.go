package dataplane

import (
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/dataplane/netdev"
	"uelink/dataplane/trouble"
)

// checkUse determines the host's own use of the interface, and decides the settings that are auto: on a link's
// interface the host keeps its network.
func (h *host) checkUse() (err error) {
	if h.use, err = h.owned.Use(); err != nil {
		return h.denied(err)
	}
	if err := h.refuseZeroCopy(); err != nil {
		return err
	}
	h.settings = h.settings.AdaptTo(h.use)
	if h.settings.Role == model.RoleLink && h.use.Any() {
		h.notices = append(h.notices, fmt.Sprintf("the host uses %s itself (%v): native: %v, "+
			"and its MTU, offloads and promiscuous mode stay as they are where the port's keys say auto",
			h.settings.Interface, h.use, h.settings.Native))
	}
	return nil
}

// refuseZeroCopy returns an error if the settings demand zero copy on an interface by which the host is reached.
// Zero copy makes some drivers restart the NIC, and some NICs then deliver nothing.
func (h *host) refuseZeroCopy() error {
	if h.settings.Bind != attach.BindZeroCopy || !h.use.Management() || h.settings.AllowZeroCopy {
		return nil
	}
	return configError("port %s: bind: zerocopy is refused on %s, which has %v: its driver may start the NIC anew, "+
		"and the way to this host is gone. Set bind: auto, or allow_zerocopy: true if there is another way",
		h.settings.Name, h.settings.Interface, h.use)
}

// leavesMTU reports whether the daemon must not set the MTU: the host uses a link's interface, and mtu is auto.
func (h *host) leavesMTU() bool { return h.settings.LeavesMTU(h.use) }

// checkForeign reports a problem while the MTU of a link is too small for the edges, or a link's interface is not in
// promiscuous mode, so that it does not get frames for the hosts behind it; each with the command for the cure.
func (s survey) checkForeign(attrs *netlink.LinkAttrs, kind string) {
	if s.port.settings.Role != model.RoleLink || s.port.host == nil {
		return
	}
	s.checkMTU()
	deaf := s.port.host.settings.Promiscuous == model.PromiscuousOff && kind != "veth" && !s.port.settings.Addressed()
	if !deaf || promiscuous(attrs) {
		s.group.endTrouble(s.port, trouble.ForeignAddresses, "the interface is in promiscuous mode")
		return
	}
	name := s.port.ifname()
	s.group.beginTrouble(s.port, trouble.ForeignAddresses,
		fmt.Sprintf("%s is not in promiscuous mode, for %s: frames for the hosts behind this "+
			"end do not arrive by a NIC, only those for its own address: set encapsulation: addressed at both ends, or "+
			"promiscuous: true for the port, or type: ip link set dev %s promisc on", name, s.port.host.deafness(), name))
}

// deafness returns in words the reason why the interface is not in promiscuous mode.
func (h *host) deafness() string {
	if h.use.Any() {
		return fmt.Sprintf("the host uses it itself (%v)", h.use)
	}
	return "the port has promiscuous: false"
}

// promiscuous reports whether an interface is in promiscuous mode, set by any process or user.
func promiscuous(a *netlink.LinkAttrs) bool { return a.Promisc > 0 || a.RawFlags&unix.IFF_PROMISC != 0 }

// checkMTU reports a problem while the MTU of a running link is too small for its edges and the data plane may not
// raise it (the host uses the interface, or mtu: check), and its end.
func (s survey) checkMTU() {
	need := s.group.need(s.port)
	if !s.port.host.leavesMTU() && s.port.settings.MTU != model.MTUCheck || s.port.host.mtu >= need {
		s.group.endTrouble(s.port, trouble.MTU, "the MTU is large enough now")
		return
	}
	name, reason, mode := s.port.ifname(), fmt.Sprintf("The host uses the interface itself (%v)", s.port.host.use), "set"
	if !s.port.host.leavesMTU() {
		reason, mode = "The port has mtu: check", "auto"
	}
	s.group.beginTrouble(s.port, trouble.MTU,
		fmt.Sprintf("the MTU of %s is %d, and %d are needed: %d of the edge port and %d of the "+
			"shim. %s, so it stays as it is, and longer frames are dropped (rx_oversized): lower the MTU of the edge port, "+
			"set mtu: %s for this one, or type: ip link set dev %s mtu %d", name, s.port.host.mtu, need,
			need-s.port.settings.Overhead(), s.port.settings.Overhead(), reason, mode, name, need))
}

// foreseeDriver returns an error if the kernel reports that the driver lacks a demanded mode: XDP, or zero copy.
func (h *host) foreseeDriver() error {
	s := &h.settings
	can := abilitiesOf(s.Interface, h.ifindex)
	mode, _ := can.XDP(s.XDP)
	switch {
	case mode == attach.ModeDriver && can.Features.Native() == netdev.No:
		return privilegeError("port %s: the driver of %s has no XDP: set xdp: generic or auto", s.Name, s.Interface)
	case mode != attach.ModeGeneric && s.Bind == attach.BindZeroCopy && can.Features.Native() == netdev.Yes &&
		can.Features.ZeroCopy() == netdev.No:
		return privilegeError("port %s: the driver of %s has no zero copy: set bind: copy or auto", s.Name, s.Interface)
	}
	return nil
}
