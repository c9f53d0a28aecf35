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
		h.notices = append(h.notices, fmt.Sprintf("the host uses %s itself (%v), so the port has native: %v, "+
			"and leaves the MTU, the offloads and the promiscuous mode of %[1]s alone, where the port's keys for these say auto",
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
	return configError("port %s: bind: zerocopy is refused on %s, which has %v: its driver may restart the NIC, "+
		"and the host cannot be reached after that. Set bind: auto, or allow_zerocopy: true if the host can be reached "+
		"by another interface",
		h.settings.Name, h.settings.Interface, h.use)
}

// leavesMTU reports whether the daemon must not set the MTU: the host uses a link's interface, and mtu is auto.
func (h *host) leavesMTU() bool { return h.settings.LeavesMTU(h.use) }

// checkForeign reports a problem while the MTU of a link is too small for the edges, or a link's interface is not in
// promiscuous mode, so that it does not get frames for the hosts behind it; each with the command for the cure. kind is
// the type of the interface in the kernel: a veth gets all frames in any case.
func (s survey) checkForeign(attrs *netlink.LinkAttrs, kind string) {
	if s.member.settings.Role != model.RoleLink || s.member.host == nil {
		return
	}
	s.checkMTU()
	deaf := s.member.host.settings.Promiscuous == model.PromiscuousOff && kind != "veth" && !s.member.settings.Addressed()
	s.member.monitor.CheckPromiscuous(s.member.ifname(), deaf && !promiscuous(attrs), s.member.host.deafness())
	s.group.publishTroubles(s.member)
}

// deafness returns in words the reason why the interface is not in promiscuous mode.
func (h *host) deafness() string {
	if h.use.Any() {
		return fmt.Sprintf("this machine itself uses the interface (%v)", h.use)
	}
	return "the port has promiscuous: false"
}

// promiscuous reports whether an interface is in promiscuous mode, set by any process or user.
func promiscuous(a *netlink.LinkAttrs) bool { return a.Promisc > 0 || a.RawFlags&unix.IFF_PROMISC != 0 }

// checkMTU reports a problem while the MTU of a running link is too small for its edges and the data plane may not
// raise it (the host uses the interface, or mtu: check), and its end.
func (s survey) checkMTU() {
	h := s.member.host
	s.member.monitor.CheckLinkMTU(trouble.LinkMTU{
		Interface: s.member.ifname(), MTU: h.mtu, Need: s.group.need(s.member), Overhead: s.member.settings.Overhead(),
		ByHost: h.leavesMTU(), Check: s.member.settings.MTU == model.MTUCheck, Use: h.use,
	})
	s.group.publishTroubles(s.member)
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
