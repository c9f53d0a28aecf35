package dataplane

import (
	"slices"
	"time"

	"uelink/dataplane/model"
	"uelink/dataplane/path"
	"uelink/llr"
	"uelink/wire"
)

// A reload may join the ports differently: an xconnect becomes a bridge, a port moves to another bridge. Ports that go
// on (goesOn: the new settings have the port with the same interface and role) move from one domain to another with
// open sockets. No worker steps the changing domains during the move; received frames wait in the RX rings.

// shape describes a domain in the settings: a bridge, or an xconnect of an edge and a link.
type shape struct {
	bridge *BridgeSettings // nil: an xconnect
	ports  []string        // names; of an xconnect the edge, then the link

	linkLoss      model.LinkLoss // of an xconnect
	linkLossDelay time.Duration
}

// shapes returns the shapes (kind, and names of the ports) of all xconnects and then of all bridges in the
// settings.
func (s *Settings) shapes() (all []shape) {
	for _, x := range s.XConnects {
		all = append(all, shape{ports: []string{x.Edge, x.Link}, linkLoss: x.LinkLoss, linkLossDelay: x.LinkLossDelay})
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

// hasShape reports whether a group is already the xconnect or bridge that sh describes: it has exactly the ports
// of the shape, and the new settings keep each on its interface and in its role.
func (g *group) hasShape(sh *shape, s Settings) bool {
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

// common returns how many ports of a group belong to the shape sh and stay on their interface in the new settings.
func (g *group) common(sh *shape, s Settings) (n int) {
	for _, a := range g.members {
		if a.goesOn(s) && slices.Contains(sh.ports, a.settings.Name) {
			n++
		}
	}
	return n
}

// heirs returns, for each xconnect or bridge of the new settings, the present group that becomes it: the bridge of
// the same name, or the group with most of its ports; nil: a new group.
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

// regroup moves the ports to one group for each xconnect or bridge in all. It returns the groups in the order of
// all, and for each group the new ports, which have no interface yet. It closes ports and groups that are not in
// the settings.
func (d *Dataplane) regroup(all []shape) (groups []*group, opened [][]*attachment) {
	s := d.settings
	groups, opened = d.heirs(all, s), make([][]*attachment, len(all))
	var changing []*group // groups that get other ports, are new, or end: no worker serves them during the move
	for _, g := range d.groups {
		if i := slices.Index(groups, g); i < 0 || !g.hasShape(&all[i], s) {
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
		g.worker.Do(func(wire.Time) { g.worker.Remove(g.domain) })
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
		d.trimmed.Add(g.trimmed())
		return true
	})
	for _, g := range changing {
		if slices.Contains(groups, g) {
			g.worker.Do(func(wire.Time) { g.worker.Add(g.domain); g.worker.WatchDevices() })
		}
	}
	return groups, opened
}

// moveMembers moves each port that the new settings keep to the group of its xconnect or bridge, and removes all
// other ports.
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
				to.worker.Do(func(now wire.Time) { from.domain.Transfer(a.port, to.domain, now) })
			}
		}
	}
}

// form makes a group, which already has the ports kept from before, the xconnect or bridge that sh describes. It
// creates and returns the missing ports. The ports of an xconnect become each other's Other; those of a bridge get
// none.
func (d *Dataplane) form(g *group, sh *shape) (opened []*attachment) {
	for _, name := range sh.ports {
		if g.member(name) == nil {
			p := d.settings.port(name)
			profile := llr.Profile{}
			if p.Role == model.RoleLink {
				profile = d.profileOf(name)
			}
			opened = append(opened, g.join(p, profile, d.settings.DrainTimeout))
		}
	}
	if sh.bridge != nil {
		g.worker.Do(func(wire.Time) {
			for _, a := range g.members {
				a.port.Other = nil
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
	g.worker.Do(func(wire.Time) {
		g.domain.Bridge = nil
		edge.port.Other, lnk.port.Other = lnk.port, edge.port
	})
	return opened
}

// group returns the bridge with a name, nil if no bridge has the name.
func (d *Dataplane) group(bridge string) *group {
	for _, g := range d.groups {
		if g.bridge != nil && g.bridge.Name == bridge {
			return g
		}
	}
	return nil
}

// newGroup creates a group without ports: a new domain, which the worker w then serves.
func (d *Dataplane) newGroup(w *path.Worker) *group {
	g := &group{
		worker: w, records: d.records, shelf: d.shelf, log: d.log, domain: path.NewDomain(d.settings.DrainTimeout),
		inherited: d.inherited, veths: d.veths, supers: &d.supers,
	}
	w.Do(func(wire.Time) { w.Add(g.domain) })
	g.setTrimming(d.settings.Trimming)
	d.groups = append(d.groups, g)
	return g
}
