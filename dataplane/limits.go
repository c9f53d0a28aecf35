package dataplane

import (
	"github.com/vishvananda/netlink"

	"uelink/dataplane/netif"
)

// CheckLimits refuses credits that a link grants and that the longest frame of its edges costs more than: the partner
// would give its channel up. mtuOf is the MTU of an interface, octets, 0 of one that is not there: what is not known
// yet is told when it is. An error names the numbers, and what to do; its exit code is 2.
func (s *Settings) CheckLimits(mtuOf func(ifname string) int) error { return s.checkLimits(nil, mtuOf) }

// checkLimits is CheckLimits but for the links of old settings that grant the same: an MTU that has grown since is no
// reason to refuse other changes.
func (s *Settings) checkLimits(old *Settings, mtuOf func(ifname string) int) error {
	for i := range s.Ports {
		p := &s.Ports[i]
		octets := s.longestOf(p, mtuOf)
		if p.Role != RoleLink || !p.CBFC.On || octets == 0 {
			continue
		}
		if old != nil && old.has(p.Name) && old.port(p.Name).CBFC == p.CBFC {
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

// limitKey is the key by which credits are granted.
func limitKey(total uint16) string {
	if total > 0 {
		return "total_credits or credit_pool_size"
	}
	return "limit"
}

// longestOf is the longest frame that a link may carry for the ports that it is joined to, octets; 0: not known.
func (s *Settings) longestOf(l *PortSettings, mtuOf func(ifname string) int) (octets int) {
	for _, name := range s.JoinedTo(l.Name) {
		p := s.port(name)
		mtu := mtuOf(p.Interface)
		switch {
		case name == l.Name:
			continue
		case p.Role == RoleLink:
			mtu -= p.Overhead()
		case p.Host != nil: // which is made, and goes by the link
			mtu = mtuOf(l.Interface) - l.Overhead()
		}
		if mtu > 0 {
			octets = max(octets, mtu+netif.Slack)
		}
	}
	return octets
}

// JoinedTo is the ports that an xconnect or a bridge joins to a link, the link too where it is in a bridge.
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

// InterfaceMTU is the MTU of an interface of the thread's network namespace, octets; 0: there is none.
func InterfaceMTU(ifname string) int {
	nl, err := netlink.LinkByName(ifname)
	if err != nil {
		return 0
	}
	return nl.Attrs().MTU
}
