package dataplane

import (
	"errors"
	"maps"
	"slices"

	"go.uber.org/zap"

	"uelink/dataplane/model"
	"uelink/dataplane/path"
	"uelink/dataplane/trouble"
	"uelink/llr"
	"uelink/wire"
)

// Reload applies new settings. Unchanged ports and xconnects go on without an interruption, with new profiles and LLR
// modes; workers and spin keep their values from the start. After an error the previous settings hold. All lookups come
// before the first change, so a reload refused by a lookup changes nothing. An absent interface is refused unless the
// data plane was waiting for it already.
func (d *Dataplane) Reload(s Settings) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.foresee(s); err != nil {
		return err
	}
	if err := d.makeCaptures(s); err != nil {
		return err
	}
	defer d.endMade()
	d.followNames(s)
	was := d.settings
	if err := d.applyLocked(s); err != nil {
		if back := errors.Join(d.makeCaptures(was), d.applyLocked(was)); back != nil {
			d.log.Error("the previous settings could not be restored in full: correct the file and reload", zap.Error(back))
		}
		return err
	}
	d.await(s)
	return nil
}

// await adds all interfaces of the settings to those for which the data plane waits while they are absent. A reload
// that names any other absent interface is refused.
func (d *Dataplane) await(s Settings) {
	for _, p := range s.Ports {
		d.awaited[p.Interface] = true
	}
}

func (d *Dataplane) apply(s Settings) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := everyPortConnected(s); err != nil {
		return err
	}
	if err := s.CheckLimits(InterfaceMTU); err != nil {
		return err
	}
	return d.applyLocked(s)
}

func (d *Dataplane) applyLocked(s Settings) error {
	d.settings = s
	all := s.shapes()
	groups, opened := d.regroup(all)
	d.sweepPairs(s)
	maps.DeleteFunc(d.agreed, func(port string, _ path.Negotiated) bool { return !s.has(port) })
	for i, g := range groups {
		if err := d.applyGroup(g, &all[i], opened[i]); err != nil {
			return err
		}
	}
	return nil
}

// applyGroup applies the new settings to a group (an xconnect or a bridge with its ports), and attaches the
// interfaces of its new ports, opened.
func (d *Dataplane) applyGroup(g *group, sh *shape, opened []*attachment) error {
	if sh.bridge != nil {
		g.setBridge(*sh.bridge)
	}
	g.linkLoss, g.linkLossDelay = sh.linkLoss, sh.linkLossDelay
	if err := d.configure(g); err != nil {
		return err
	}
	if sh.bridge != nil {
		g.setBridgePorts()
	}
	for _, a := range opened {
		d.agree(g, a)
	}
	return d.start(g, opened)
}

// profileOf returns the LLR profile that the settings name for a port.
func (d *Dataplane) profileOf(port string) llr.Profile {
	return d.settings.Profiles[d.settings.port(port).LLR.Profile]
}

// newGroup creates a group without ports: a new domain, which the worker w then serves.
func (d *Dataplane) newGroup(w *path.Worker) *group {
	g := &group{
		worker: w, records: d.records, shelf: d.shelf, log: d.log, domain: path.NewDomain(d.settings.DrainTimeout),
		inherited: d.inherited, vethOwner: d.vethOwner, fresh: d.fresh, addresses: d.addresses, supers: &d.supers,
	}
	w.Do(func(wire.Time) { w.Add(g.domain) })
	g.setTrimming(d.settings.Trimming)
	d.groups = append(d.groups, g)
	return g
}

// start attaches the interfaces of the new ports of a group, links before edges. When the first frame of a host
// arrives, the link has the MTU it needs, and its partner may be known. Frames received meanwhile by the link for an
// edge wait. Where an absent interface is allowed the group waits for it, and reconcile reports the absence.
func (d *Dataplane) start(g *group, ports []*attachment) error {
	g.awaitEdges(ports, true)
	defer g.awaitEdges(ports, false)
	for _, a := range slices.Backward(edgesFirst(ports)) {
		err := g.attach(a)
		if errors.As(err, new(*absentError)) && d.awaited[a.settings.Interface] {
			continue
		}
		if err != nil {
			return err
		}
	}
	g.reconcile()
	return nil
}

// awaitEdges makes frames for edges that are about to be attached wait (on), or ends the wait for edges that were
// not attached (off).
func (g *group) awaitEdges(ports []*attachment, on bool) {
	g.worker.Do(func(wire.Time) {
		for _, a := range ports {
			if a.settings.Role == model.RoleEdge && !a.port.Attached() {
				a.port.Suspended = on
			}
		}
	})
}

// find returns the port with a name, and the xconnect or bridge it belongs to; nil if no port has the name.
func (d *Dataplane) find(port string) (*group, *attachment) {
	for _, g := range d.groups {
		if a := g.member(port); a != nil {
			return g, a
		}
	}
	return nil, nil
}

// configure applies the new settings to those ports of a group that it had before the reload.
func (d *Dataplane) configure(g *group) error {
	for _, a := range g.members {
		if err := d.configureMember(g, a); err != nil {
			return err
		}
	}
	g.setTrimming(d.settings.Trimming)
	return nil
}

// configureMember applies new settings to a port that already exists, with the smallest change to its sockets that
// the settings need.
func (d *Dataplane) configureMember(g *group, a *attachment) error {
	is := d.settings.port(a.settings.Name)
	p := d.settings.Profiles[is.LLR.Profile]
	does, keys := a.neededChange(&is, p)
	if does != changeNone {
		g.log.Info("reload: the port is opened anew", a.fields(zap.Strings("keys", keys), zap.Stringer("cost", does))...)
	}
	if does == changeLink {
		return d.relink(g, a, is, p)
	}
	g.reprogram(a, is)
	a.veth.change(g, a, is)
	g.changeCapture(a, is, d.made)
	slots, kept := roomFor(&is, p)
	a.room.window, a.room.kept = max(a.room.window, slots), max(a.room.kept, kept)
	a.settings = is
	g.worker.Do(func(now wire.Time) {
		g.domain.Drain = d.settings.DrainTimeout
		g.domain.Configure(a.port, is, p, now)
	})
	if err := g.adapt(a, does, keys); err != nil {
		return err
	}
	return g.manage(a)
}

// reprogram updates the XDP program of a port to steer frames by the new settings. After a failure the old steering
// stays, and a fault of the port says so.
func (g *group) reprogram(a *attachment, s model.PortSettings) {
	if a.host == nil {
		return
	}
	if s = s.AdaptTo(a.host.use); steering(&s) != steering(&a.host.settings) {
		if err := a.host.reprogram(s); err != nil {
			g.beginTrouble(a, trouble.Steering, err.Error()+": frames are steered as before: restart uelinkd")
			return
		}
		g.worker.Do(func(wire.Time) { a.shimOnly() })
	}
	a.monitor.Set(trouble.Steering, "")
	a.useKnown = false
}

// everyPortConnected returns an error for the first port in no xconnect and no bridge. Such a port has nowhere to send
// frames.
func everyPortConnected(s Settings) error {
	for _, p := range s.Ports {
		inXConnect := slices.ContainsFunc(s.XConnects, func(x XConnect) bool { return x.Edge == p.Name || x.Link == p.Name })
		if !inXConnect && !slices.ContainsFunc(s.Bridges, func(b BridgeSettings) bool { return b.port(p.Name) != nil }) {
			return configError("port %s is in no xconnect or bridge: add one, or take the port out", p.Name)
		}
	}
	return nil
}

func (s *Settings) has(port string) bool {
	return slices.ContainsFunc(s.Ports, func(p model.PortSettings) bool { return p.Name == port })
}

func (s *Settings) port(name string) model.PortSettings {
	i := slices.IndexFunc(s.Ports, func(p model.PortSettings) bool { return p.Name == name })
	return s.Ports[i]
}
