package dataplane

import (
	"slices"

	"uelink/llr"
)

// A reload may tie its ports together in another way: an xconnect becomes a bridge, a port moves to another bridge.
// Ports that go on move from one domain to another with open sockets. Meanwhile no worker steps the changing domains;
// received frames wait in the RX rings.

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

// is reports whether a group already has a shape, with exactly these ports, all of which go on.
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

// common returns the number of a group's ports that go on in a shape.
func (g *group) common(sh *shape, s Settings) (n int) {
	for _, a := range g.members {
		if a.goesOn(s) && slices.Contains(sh.ports, a.settings.Name) {
			n++
		}
	}
	return n
}

// heirs returns the group reused for each shape: the bridge of the shape's name, or the group with most of its ports;
// nil: a new group.
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

// regroup gives each shape a group with all of its ports. It returns the groups in the order of the shapes, and the new
// ports, which have no interface yet. Ports and groups no longer in the settings are closed.
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

// moveMembers moves each port that goes on to the group of its shape, and removes all other ports.
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

// form gives a group, which already has the ports that go on, the settings of its shape. It returns the new ports.
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
