package dataplane

import (
	"github.com/vishvananda/netlink"

	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/path"
)

// CheckLimits returns an error if a credit limit is smaller than the cost of the longest frame of the link's
// edges, because the partner would give the channel up. mtuOf returns the MTU of an interface, octets, 0 for an
// absent interface: its check follows when the interface comes. An error names the numbers and the next step; its
// exit code is 2.
func (s *Settings) CheckLimits(mtuOf func(ifname string) int) error { return s.checkLimits(nil, mtuOf) }

// checkLimits does the work of CheckLimits, but skips the links that grant the same credits in the old settings: an MTU
// that has grown since is no reason to refuse other changes. old may be nil.
func (s *Settings) checkLimits(old *Settings, mtuOf func(ifname string) int) error {
	for i := range s.Ports {
		p := &s.Ports[i]
		octets := s.longestOf(p, mtuOf)
		if p.Role != model.RoleLink || !p.CBFC.On || octets == 0 {
			continue
		}
		if old != nil && old.hasPort(p.Name) && old.port(p.Name).CBFC == p.CBFC {
			continue
		}
		cost := p.CBFC.Size.Credits(octets)
		for vc, limit := range p.CBFC.Limit {
			if limit == 0 || int(limit) >= cost {
				continue
			}
			return configError("port %s: VC %d: %d credits are too few: by the MTU of the edges a frame has up to %d "+
				"octets, which cost %d: grant at least so many (%s), or lower the MTU", p.Name, vc, limit, octets, cost,
				limitKey(p.CBFC.Total))
		}
	}
	return nil
}

// limitKey returns the names of the keys that grant credits, for an error message; total is the pool of all channels.
func limitKey(total uint16) string {
	if total > 0 {
		return "total_credits or credit_pool_size"
	}
	return "limit"
}

// longestOf returns the longest frame, in octets, that the other ports of a link's domain may send over the link; 0:
// not known.
func (s *Settings) longestOf(l *model.PortSettings, mtuOf func(ifname string) int) (octets int) {
	for _, name := range s.JoinedTo(l.Name) {
		p := s.port(name)
		mtu := mtuOf(p.Interface)
		switch {
		case name == l.Name:
			continue
		case p.Role == model.RoleLink:
			mtu -= p.Overhead()
		case p.Host != nil: // the veth is created, and follows the link
			mtu = mtuOf(l.Interface) - l.Overhead()
		}
		if mtu > 0 {
			octets = max(octets, mtu+netif.Slack)
		}
	}
	return octets
}

// JoinedTo returns the names of the ports in the xconnect or the bridge of a link: of an xconnect the edge, of a bridge
// all ports including the link.
func (s *Settings) JoinedTo(link string) (ports []string) {
	for _, x := range s.XConnects {
		if x.Link == link {
			ports = append(ports, x.Edge)
		}
	}
	for i := range s.Bridges {
		if s.Bridges[i].port(link) == nil {
			continue
		}
		for _, p := range s.Bridges[i].Ports {
			ports = append(ports, p.Port)
		}
	}
	return ports
}

// checkClass returns an error if a process is in a real-time class that the settings do not allow. A successor
// (TakeOver) is not checked: it has the class of the process before, and its workers leave the class by themselves.
func (s *Settings) checkClass(process int) error {
	class := path.Class(process)
	if s.RealTime || !class.RealTime() {
		return nil
	}
	return configError("uelinkd runs in the real-time class %v: under load it would keep the kernel's own threads from "+
		"their CPU, and the whole machine would stop: start it without chrt, and without CPUSchedulingPolicy in its unit, "+
		"or set real_time: true, with which the workers sleep 5 %% of the time", class)
}

// InterfaceIndex returns the index of the interface with a name or an altname in the thread's network namespace; 0: the
// interface is absent.
func InterfaceIndex(ifname string) int {
	nl, err := netlink.LinkByName(ifname)
	if err != nil {
		return 0
	}
	return nl.Attrs().Index
}

// InterfaceMTU returns the MTU of an interface in the thread's network namespace, octets; 0: the interface is absent.
func InterfaceMTU(ifname string) int {
	nl, err := netlink.LinkByName(ifname)
	if err != nil {
		return 0
	}
	return nl.Attrs().MTU
}
