package dataplane

import (
	"slices"

	"uelink/llr"
)

// A reload may tie its ports together in another way: an xconnect becomes a bridge, a bridge loses a port to another.
// Ports that go on are taken from one domain to another with their sockets open. Meanwhile no worker steps the domains
// that change; what comes waits in the RX rings.

// shape is a domain as settings have it: a bridge, or an xconnect of an edge and a link.
type shape struct {
	bridge *BridgeSettings
	ports  []string // of an xconnect: the edge, then the link
}

// shapes returns the xconnects, then the bridges.
func (s *Settings) shapes() (all []shape) {
	for _, x := range s.XConnects {
		all = append(all, shape{ports: []string{x.Edge, x.Link}})
	}
	for i := range s.Bridges {
		sh := shape{bridge: &s.Bridges[i]}
		for _, p := range s.Bridges[i].Ports {
			sh.ports = append(sh.ports, p.Port)
		}
		all = append(all, sh)
	}
	return all
}

// is reports whether a group has a shape, with these ports and no others, all of which go on.
func (g *group) is(sh *shape, s Settings) bool {
	if (g.bridge == nil) != (sh.bridge == nil) || g.bridge != nil && g.bridge.Name != sh.bridge.Name ||
		len(g.members) != len(sh.ports) {
		return false
	}
	for i, a := range g.members {
		if !a.goesOn(s) || !slices.Contains(sh.ports, a.settings.Name) || g.bridge == nil && a.settings.Name != sh.ports[i] {
			return false
		}
	}
	return true
}

// common counts the ports of a group that go on in a shape.
func (g *group) common(sh *shape, s Settings) (n int) {
	for _, a := range g.members {
		if a.goesOn(s) && slices.Contains(sh.ports, a.settings.Name) {
			n++
		}
	}
	return n
}

// heirs returns the group that each shape is made of: the bridge of its name, or the group with most of its ports; nil:
// a new one.
func (d *Dataplane) heirs(all []shape, s Settings) []*group {
	chosen := make([]*group, len(all))
	for i := range all {
		if b := all[i].bridge; b != nil {
			chosen[i] = d.group(b.Name)
		}
	}
	for i := range all {
		if chosen[i] != nil {
			continue
		}
		most := 0
		for _, g := range d.groups {
			if n := g.common(&all[i], s); n > most && !slices.Contains(chosen, g) {
				chosen[i], most = g, n
			}
		}
	}
	return chosen
}

// regroup gives each shape its group, with all of its ports, and returns the groups in the order of the shapes, and the
// ports that are new, without an interface. What no longer is there is closed.
func (d *Dataplane) regroup(all []shape) (groups []*group, opened [][]*attachment) {
	s := d.settings
	groups, opened = d.heirs(all, s), make([][]*attachment, len(all))
	var changing []*group
	for _, g := range d.groups {
		if i := slices.Index(groups, g); i < 0 || !g.is(&all[i], s) {
			changing = append(changing, g)
		}
	}
	for _, g := range changing {
		for _, a := range slices.Backward(edgesFirst(g.members)) {
			if !a.goesOn(s) {
				g.detach(a)
			}
		}
	}
	for i := range groups {
		if groups[i] == nil {
			groups[i] = d.newGroup(d.workers[i%len(d.workers)])
			changing = append(changing, groups[i])
		}
	}
	for _, g := range changing {
		g.worker.do(func(int64) { g.worker.remove(g.domain) })
	}
	d.moveMembers(all, groups)
	for i, g := range groups {
		if slices.Contains(changing, g) {
			opened[i] = d.form(g, &all[i])
		}
	}
	d.groups = slices.DeleteFunc(d.groups, func(g *group) bool {
		if slices.Contains(groups, g) {
			return false
		}
		d.trimmed.add(g.trimmed())
		return true
	})
	for _, g := range changing {
		if slices.Contains(groups, g) {
			g.worker.do(func(int64) { g.worker.add(g.domain); g.worker.watchDevices() })
		}
	}
	return groups, opened
}

// moveMembers takes each port that goes on to the group of its shape, and those that do not out of theirs.
func (d *Dataplane) moveMembers(all []shape, groups []*group) {
	for _, from := range slices.Clone(d.groups) {
		for _, a := range slices.Clone(from.members) {
			if !a.goesOn(d.settings) {
				from.leave(a)
				continue
			}
			i := slices.IndexFunc(all, func(sh shape) bool { return slices.Contains(sh.ports, a.settings.Name) })
			if to := groups[i]; to != from {
				from.members = slices.DeleteFunc(from.members, func(m *attachment) bool { return m == a })
				to.members = append(to.members, a)
				to.worker.do(func(now int64) { from.domain.transfer(a.port, to.domain, now) })
			}
		}
	}
}

// form makes a group, whose ports that go on are there, what its shape says. It returns the ports that are new.
func (d *Dataplane) form(g *group, sh *shape) (opened []*attachment) {
	for _, name := range sh.ports {
		if g.member(name) == nil {
			p := d.settings.port(name)
			profile := llr.Profile{}
			if p.Role == RoleLink {
				profile = d.profileOf(name)
			}
			opened = append(opened, g.join(p, profile, d.settings.DrainTimeout))
		}
	}
	if sh.bridge != nil {
		g.worker.do(func(int64) {
			for _, a := range g.members {
				a.port.other = nil
			}
		})
		g.setBridge(*sh.bridge)
		g.setBridgePorts()
		return opened
	}
	slices.SortFunc(g.members, func(a, b *attachment) int {
		return slices.Index(sh.ports, a.settings.Name) - slices.Index(sh.ports, b.settings.Name)
	})
	g.bridge = nil
	edge, lnk := g.members[0], g.members[1]
	g.worker.do(func(int64) {
		g.domain.bridge = nil
		edge.port.other, lnk.port.other = lnk.port, edge.port
	})
	return opened
}
