package dataplane

import (
	"errors"
	"maps"
	"slices"

	"go.uber.org/zap"

	"uelink/dataplane/model"
	"uelink/dataplane/path"
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
	captures, err := makeCaptures(d.groups, s)
	if err != nil {
		return err
	}
	d.captures = captures
	defer func() {
		d.captures.close()
		d.captures = nil
	}()
	d.followNames(s) // before old is set: if the reload fails, the ports keep the new names
	old := d.settings
	if err := d.applyLocked(s); err != nil {
		if back := d.reapply(old); back != nil {
			d.log.Error("the previous settings could not be restored in full: correct the file and reload", zap.Error(back))
		}
		return err
	}
	d.await(s)
	return nil
}

// reapply applies s, the settings in force before a reload that has failed, again. The caller holds d.mu.
func (d *Dataplane) reapply(s Settings) (err error) {
	d.captures.close() // closes the captures that no port has taken over
	d.captures, err = makeCaptures(d.groups, s)
	return errors.Join(err, d.applyLocked(s))
}

// await adds all interfaces of the settings to those for which the data plane waits while they are absent. A reload
// that names any other absent interface is refused.
func (d *Dataplane) await(s Settings) {
	for _, p := range s.Ports {
		d.awaited[p.Interface] = true
	}
}

// apply checks the first settings of a process, and applies them. Later settings come by Reload, which checks more.
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

// applyLocked makes groups and ports those of the settings: it closes the ports that go, moves the others to their
// groups, configures these, and attaches the new ports. After an error some of this is done. The caller holds d.mu.
func (d *Dataplane) applyLocked(s Settings) error {
	d.settings = s // first: all steps below look settings up here
	all := s.shapes()
	groups, opened := d.regroup(all)
	d.veths.sweep(s.Ports, d.log) // after regroup, which detaches the ports of the veths that go
	maps.DeleteFunc(d.agreed, func(port string, _ path.Negotiated) bool { return !s.hasPort(port) })
	for i, g := range groups {
		if err := d.applyGroup(g, &all[i], opened[i]); err != nil {
			return err
		}
	}
	return nil
}

// applyGroup applies the new settings to a group (an xconnect or a bridge with its ports), and attaches the
// interfaces of the new ports of the group, which opened lists.
func (d *Dataplane) applyGroup(g *group, sh *shape, opened []*attachment) error {
	if sh.bridge != nil {
		g.setBridge(*sh.bridge)
	}
	g.linkLoss, g.linkLossDelay = sh.linkLoss, sh.linkLossDelay
	if err := d.configure(g); err != nil { // before new ports are attached: they ask the others for MTUs
		return err
	}
	if sh.bridge != nil {
		g.setBridgePorts()
	}
	for _, a := range opened {
		d.agree(g, a) // before the first frame: it needs the agreed LLR, CBFC and PFC
	}
	return d.start(g, opened)
}

// profileOf returns the LLR profile that the settings name for a port.
func (d *Dataplane) profileOf(port string) llr.Profile {
	return d.settings.Profiles[d.settings.port(port).LLR.Profile]
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
// the settings need: none, new sockets, a new attachment, or a restart of LLR by relink, which then does all the rest.
func (d *Dataplane) configureMember(g *group, a *attachment) error {
	settings := d.settings.port(a.settings.Name)
	p := d.settings.Profiles[settings.LLR.Profile]
	does, keys := a.neededChange(&settings, p)
	if does != changeNone {
		g.log.Info("reload: the port is reopened", a.fields(zap.Strings("keys", keys), zap.Stringer("cost", does))...)
	}
	if does == changeLink {
		return d.relink(g, a, settings, p)
	}
	// First the steps that compare the new settings with the present ones, which the later steps replace.
	g.reprogram(a, settings)
	a.veth.change(g, a, settings)
	if a.host != nil {
		a.host.recording.change(g, a, settings, d.captures)
	}
	slots, chunks := roomFor(&settings, p)
	a.room.window, a.room.chunks = max(a.room.window, slots), max(a.room.chunks, chunks)
	a.settings = settings
	g.worker.Do(func(now wire.Time) {
		g.domain.Drain = d.settings.DrainTimeout
		g.domain.Configure(a.port, settings, p, now)
	})
	if err := g.adapt(a, does, keys); err != nil { // after Configure: the new devices are for a port with the new settings
		return err
	}
	return g.manage(a) // last: sockets opened anew may have another MTU
}

// agree applies the latest results of LLDP to a new port: a link's negotiation of LLR and CBFC, an edge's DCBX.
func (d *Dataplane) agree(g *group, a *attachment) {
	if a.settings.Role != model.RoleLink {
		g.applyDCB(a, d.dcb[a.settings.Name])
		return
	}
	if a.settings.Protocol == model.LLR {
		g.worker.Do(func(now wire.Time) { a.port.Link.Agree(d.agreed[a.settings.Name], now) })
	}
}

// relink restarts LLR of a link, as with an unknown partner; the counters go on. Frames held by LLR and waiting frames
// are dropped and counted.
func (d *Dataplane) relink(g *group, a *attachment, s model.PortSettings, p llr.Profile) error {
	g.detach(a) // before Exchange: the port that goes must have no devices
	a.settings = s
	a.room.window, a.room.chunks = roomFor(&s, p)
	g.worker.Do(func(now wire.Time) {
		g.domain.Drain = d.settings.DrainTimeout
		next := path.NewPort(s, p, g.domain.Drain, now)
		if a.bookmark.place != nil && next.Link != nil {
			next.Link.Bookmark.Set(a.bookmark.place)
		}
		g.domain.Exchange(a.port, next)
		a.port = next
	})
	d.agree(g, a)
	if g.bridge != nil {
		g.setBridgePort(a, g.bridge.port(s.Name).PortSettings)
	}
	return d.start(g, []*attachment{a})
}

// followNames renames the interface of each port for which the new settings have another name of the same interface,
// so that these ports go on.
func (d *Dataplane) followNames(s Settings) {
	d.settings.Ports = slices.Clone(d.settings.Ports)
	for i := range d.settings.Ports {
		old := &d.settings.Ports[i]
		if !s.hasPort(old.Name) {
			continue
		}
		ifname := s.port(old.Name).Interface
		if ifname == old.Interface {
			continue
		}
		if g, a := d.find(old.Name); a != nil && d.owner(ifname) == a {
			old.Interface = ifname
			a.rename(g, ifname)
		}
	}
}
