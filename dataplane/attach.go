package dataplane

import (
	"slices"
	"sync"

	"uelink/dataplane/model"
	"uelink/wire"
)

// attach attaches the interface of a port, or adopts it from another process, and makes the worker move its frames. It
// makes the veth of a created edge first. An adopted edge begins push back and super-frames with Resume, because until
// then the other process uses its host's end. After an error the port has no interface.
func (g *group) attach(a *attachment) error {
	adopted := g.inherited[a.settings.Name] != nil // the other process serves the interface until Resume
	if !adopted {
		if err := a.veth.make(g, a); err != nil {
			return err
		}
	}
	h, err := g.openHost(a)
	if err != nil {
		return err
	}
	a.host, a.ifindex, a.counts.unsocketed = h, h.ifindex, 0
	// The checks of the watch begin afresh: nothing seen on the port's last interface counts.
	a.surveyed = surveyed{pushWaits: adopted, checksums: a.checksums.attached(adopted)}
	if adopted { // the other hosts know the addresses: the former process has announced them
		a.veth.announced.links = len(g.members)
	}
	a.beginDrops() // before use: drops from the first frame on are reported
	a.counts.kicked = 0
	a.carrier.begin(g, a)
	g.use(a, nil)
	if !a.pushWaits {
		a.push.start(g, a)
		a.super.start(g, a)
		a.beginDrops() // again: frames lost while the host's end of the veth is changed are no news
	}
	return nil
}

// openHost attaches the interface of a port, or adopts it if another process hands it over.
func (g *group) openHost(a *attachment) (*host, error) {
	if i := g.inherited[a.settings.Name]; i != nil {
		delete(g.inherited, a.settings.Name)
		return i.adopt(a.settings, g.log)
	}
	s := a.settings
	if nl, err := a.lookUp(); err == nil {
		s.Interface = nl.Attrs().Name
	}
	return openHost(s, g.need(a), a.geometry(), g.records, g.log)
}

// use makes the worker move the frames of a.host, an interface just attached or with new sockets. The frames in caught,
// which arrived before the sockets were open, come first. Then use publishes the notices that the opening has left.
func (g *group) use(a *attachment, caught [][]byte) {
	if a.counts.closed {
		g.divert(a)
	}
	a.carried, a.room.slots = a.host.mtu, a.host.sockets[0].Geometry().TX
	g.worker.Do(func(wire.Time) {
		g.domain.Attach(a.port, a.host.devices, a.host.mac, a.host.mtu)
		g.domain.Catch(a.port, caught)
		a.port.SetSpeed(a.host.speed)
		a.shimOnly()
		if a.port.Link != nil {
			a.port.Link.SetNetwork(a.host.network)
		}
		g.worker.WatchDevices()
	})
	a.frames.tap(g, a)
	a.host.tagging.follow(g, a)
	for _, text := range a.host.notices {
		g.notify(a, model.NoticeOpened, text)
	}
	a.host.notices = nil
}

// release makes the worker stop using the devices of a port.
func (g *group) release(a *attachment) {
	g.worker.Do(func(now wire.Time) {
		g.domain.Detach(a.port, now)
		g.worker.WatchDevices()
	})
	a.status.up, a.status.admin = false, model.AdminUnknown
}

// detach releases the interface of a port, because it has gone or the port ends: the worker stops using it, and it
// is put back as found.
func (g *group) detach(a *attachment) {
	if a.host == nil {
		return
	}
	a.super.end(g, a)                // while the worker still forwards: the frames of the packet socket find their way out
	g.releaseHost(a)                 // reads the counts of the sockets, so before they close
	a.super.drop(g, a)               // after the worker has released the Device of the super-frames
	a.counts.untaken -= a.noSocket() // the next program counts from 0
	a.host.close()
	a.host = nil
}

// releaseHost makes the worker stop using the devices of a port's interface, if the port has one, and adds the
// kernel's counts of its sockets to the port's.
func (g *group) releaseHost(a *attachment) {
	if a.host != nil {
		g.release(a)
		a.counts.past = a.counted()
	}
}

// closeGroups removes all domains from their workers and puts every interface back as found, links first. The order of
// the steps is that of detach, but the programs of all ports are detached at the same time.
func closeGroups(groups []*group) {
	var all []*attachment
	for _, g := range groups {
		for _, a := range g.members {
			a.super.end(g, a)
			g.logUntaken(a)
			g.releaseHost(a)
			a.super.drop(g, a)
			a.frames.end(a)
			all = append(all, a)
		}
		g.worker.Do(func(wire.Time) { g.worker.Remove(g.domain) })
	}
	detachAll(all) // after all workers have let their devices go: it unmaps the memory of the sockets
	for _, a := range slices.Backward(edgesFirst(all)) {
		if a.host != nil {
			a.host.close()
			a.host = nil
		}
		a.bookmark.close()
	}
}

// detachAll detaches the programs and sockets of all ports' interfaces at the same time, because the kernel waits
// for its readers at each interface.
func detachAll(ports []*attachment) {
	var closing sync.WaitGroup
	for _, a := range ports {
		if a.host != nil && a.host.owned != nil {
			closing.Go(func() { a.host.detach() })
		}
	}
	closing.Wait()
}
