package dataplane

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/model"
	"uelink/dataplane/netif"
)

// An edge with a HostInterface is a veth created by the data plane. The veth is deleted when the data plane is closed,
// or when the settings no longer have it, but not when its port is reopened: the host's configuration on the veth
// stays.

// plainMTU is the MTU of a veth without a link, octets.
const plainMTU = 1500

// vethOf returns the veth pair that the data plane creates for an edge with a HostInterface: names and addresses.
func vethOf(s *model.PortSettings) netif.Pair {
	return netif.Pair{Interface: s.Interface, Host: s.Host.Name, Addresses: s.Host.Addresses}
}

// makePair creates the veth of an edge with a HostInterface, or takes over the existing veth.
func (g *group) makePair(a *attachment) error {
	if a.settings.Host == nil {
		return nil
	}
	mtu := g.pairMTU()
	if mtu == 0 {
		mtu = plainMTU
	}
	err := vethOf(&a.settings).Make(mtu, g.log)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return privilegeError("port %s: %w", a.settings.Name, err)
	case err != nil:
		return configError("port %s: %w", a.settings.Name, err)
	}
	return nil
}

// pairMTU returns the largest MTU whose frames every link of the xconnect or bridge carries; 0 if no link is
// attached.
func (g *group) pairMTU() (mtu int) {
	for _, m := range g.members {
		if m.settings.Role != model.RoleLink {
			continue
		}
		nl, err := netlink.LinkByName(m.settings.Interface)
		if err != nil {
			continue // the interface is absent
		}
		if carries := nl.Attrs().MTU - m.settings.Overhead(); mtu == 0 || carries < mtu {
			mtu = carries
		}
	}
	return mtu
}

// fitPair sets the MTU of an edge's veth to the largest MTU that the links carry now.
func (g *group) fitPair(a *attachment) {
	mtu := g.pairMTU()
	if a.host == nil || mtu <= 0 {
		return
	}
	if mtu != a.host.mtu {
		if err := vethOf(&a.settings).SetMTU(mtu); err != nil {
			g.trouble(a, troublePairMTU, fmt.Sprintf("the veth cannot get the MTU %d of the links: %v", mtu, err))
			return
		}
		g.reconcileMember(a)
	}
	a.faults[troublePairMTU] = ""
}

// changePair gives the kernel's end of an edge's veth the name and the addresses in new settings s.
func (g *group) changePair(a *attachment, s model.PortSettings) {
	if a.settings.Host == nil || s.Host == nil {
		return
	}
	err := vethOf(&a.settings).Change(vethOf(&s))
	if err != nil {
		g.trouble(a, troublePair, err.Error()+"; then reload")
		return
	}
	a.faults[troublePair] = ""
}

// surveyPair undoes changes that somebody has made on the kernel's end of a veth: offloads that would send frames with
// unfinished checksums over the link, an MTU that the link does not carry, addresses.
func (g *group) surveyPair(a *attachment) {
	if a.settings.Host == nil || a.host == nil {
		return
	}
	off, err := a.host.owned.DisableAtPeer()
	if err == nil && len(off) > 0 {
		g.notice(a, model.NoticeVeth, fmt.Sprintf("somebody has switched offloads of %s on, with which frames would cross "+
			"the link with unfinished checksums: the offloads are off again: %v", a.settings.Host.Name, off))
	}
	kept, err := vethOf(&a.settings).Restore()
	if len(kept) > 0 {
		g.notice(a, model.NoticeVeth, fmt.Sprintf("somebody has changed %s: %s; to change the veth, set the port's keys "+
			"and reload", a.settings.Host.Name, strings.Join(kept, ", ")))
	}
	if err != nil {
		g.trouble(a, troublePairKept, err.Error())
		return
	}
	a.faults[troublePairKept] = ""
}

// sweepPairs deletes the veths that a data plane has created and that are absent from the settings.
func (d *Dataplane) sweepPairs(s Settings) {
	var wanted []string
	for _, p := range s.Ports {
		if p.Host != nil {
			wanted = append(wanted, p.Interface)
		}
	}
	netif.SweepPairs(wanted, d.log)
}

// removePairs deletes the veths that the data plane has created.
func (d *Dataplane) removePairs() {
	for _, p := range d.settings.Ports {
		if p.Host != nil {
			vethOf(&p).Remove(d.log)
		}
	}
}
