package dataplane

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/netif"
)

// An edge with a HostInterface is a veth that the data plane makes. It goes when the data plane is closed, or when the
// settings no longer have it, and not with a port that is only opened anew: what the host has on it stays.

// plainMTU is that of a veth without a link to go by, octets.
const plainMTU = 1500

// pair is the veth of an edge that has a HostInterface.
func (s *PortSettings) pair() netif.Pair {
	return netif.Pair{Interface: s.Interface, Host: s.Host.Name, Addresses: s.Host.Addresses}
}

// makePair makes the veth of an edge that has a HostInterface, or takes over the one that is there.
func (g *group) makePair(a *attachment) error {
	if a.settings.Host == nil {
		return nil
	}
	mtu := g.pairMTU()
	if mtu == 0 {
		mtu = plainMTU
	}
	err := a.settings.pair().Make(mtu, g.log)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return privilegeError("port %s: %w", a.settings.Name, err)
	case err != nil:
		return configError("port %s: %w", a.settings.Name, err)
	}
	return nil
}

// pairMTU is the MTU whose frames every link of the group carries; 0 if there is none now.
func (g *group) pairMTU() (mtu int) {
	for _, m := range g.members {
		if m.settings.Role != RoleLink {
			continue
		}
		nl, err := netlink.LinkByName(m.settings.Interface)
		if err != nil {
			continue // it is absent
		}
		if carries := nl.Attrs().MTU - m.settings.Overhead(); mtu == 0 || carries < mtu {
			mtu = carries
		}
	}
	return mtu
}

// fitPair gives the veth of an edge the MTU that the links have come to leave it.
func (g *group) fitPair(a *attachment) {
	mtu := g.pairMTU()
	if a.host == nil || mtu <= 0 {
		return
	}
	if mtu != a.host.mtu {
		if err := a.settings.pair().SetMTU(mtu); err != nil {
			g.trouble(a, troublePairMTU, fmt.Sprintf("the links leave it an MTU of %d: %v", mtu, err))
			return
		}
		g.reconcileMember(a)
	}
	a.faults[troublePairMTU] = ""
}

// changePair gives the kernel's end of a veth the name and the addresses of new settings.
func (g *group) changePair(a *attachment, s PortSettings) {
	if a.settings.Host == nil || s.Host == nil {
		return
	}
	err := a.settings.pair().Change(s.pair())
	if err != nil {
		g.trouble(a, troublePair, err.Error()+"; then reload")
		return
	}
	a.faults[troublePair] = ""
}

// surveyPair puts back on the kernel's end what somebody has changed: offloads with which frames would cross the link
// with checksums that are not done, an MTU that the link does not carry, addresses.
func (g *group) surveyPair(a *attachment) {
	if a.settings.Host == nil || a.host == nil {
		return
	}
	off, err := a.host.owned.DisableAtPeer()
	if err == nil && len(off) > 0 {
		g.notice(a, NoticeVeth, fmt.Sprintf("somebody has switched offloads of %s on, with which frames would cross "+
			"the link unfinished: they are off again: %v", a.settings.Host.Name, off))
	}
	kept, err := a.settings.pair().Restore()
	if len(kept) > 0 {
		g.notice(a, NoticeVeth, fmt.Sprintf("somebody has changed %s: %s; what it has is set by the port's keys and a reload",
			a.settings.Host.Name, strings.Join(kept, ", ")))
	}
	if err != nil {
		g.trouble(a, troublePairKept, err.Error())
		return
	}
	a.faults[troublePairKept] = ""
}

// sweepPairs deletes the veths that were made for a data plane and are in no settings any more.
func (d *Dataplane) sweepPairs(s Settings) {
	var wanted []string
	for _, p := range s.Ports {
		if p.Host != nil {
			wanted = append(wanted, p.Interface)
		}
	}
	netif.SweepPairs(wanted, d.log)
}

// removePairs deletes the veths that were made.
func (d *Dataplane) removePairs() {
	for _, p := range d.settings.Ports {
		if p.Host != nil {
			p.pair().Remove(d.log)
		}
	}
}
