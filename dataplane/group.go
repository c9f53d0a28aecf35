package dataplane

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/path"
	"uelink/dataplane/place"
	"uelink/dataplane/trouble"
	"uelink/llr"
	"uelink/wire"
)

// group is a domain as managed by the daemon: the attached interfaces, and the worker that moves frames between them.
// Its methods belong to the goroutine that holds the data plane's lock.
type group struct {
	bridge    *BridgeSettings // nil: an xconnect
	worker    *path.Worker
	records   *netif.Records
	shelf     place.Shelf        // nil: no bookmarks are kept
	vethOwner netif.Owner        // of the veths, the data plane's
	fresh     map[string]bool    // veths made, by the process's end; the data plane's
	addresses *netif.AddressBook // the data plane's
	supers    *superRoom         // the data plane's
	log       *zap.Logger
	domain    *path.Domain
	members   []*attachment

	linkLoss      model.LinkLoss // of an xconnect
	linkLossDelay time.Duration

	inherited map[string]*inheritance // by port: interfaces that another process hands over; the data plane's
}

// attachment is a port, with its interface while the interface exists.
type attachment struct {
	port       *path.Port
	settings   model.PortSettings
	room       replayRoom
	bookmark   bookmark // link
	host       *host
	ifindex    int // of the interface that it has, or had last; 0: none, or it has gone
	up         bool
	admin      model.AdminStatus
	switchedOn bool                 // the interface was set up (IFF_UP) at the last look
	carrier    hostCarrier          // of an edge
	carried    int                  // MTU known to the worker, octets
	lastErr    string               // of the last attempt to open, so that the log has each error once
	past       frame.Stats          // kernel counts of sockets already closed
	baseline   trouble.Counters     // kernel counts when the counters were cleared, or the interface was attached
	device     model.DeviceCounters // at the last tick of the watch
	unsocketed uint64               // its program's count of frames without a socket, when the counters were cleared
	closed     bool                 // frames of the host go to the kernel: the daemon ends
	untaken    uint64               // noSocket when it was closed, less the counts that were cleared since
	kicked     uint64               // system calls of the worker on its sockets, when the counters were cleared
	notice     string               // last observation on the interface and the action taken, with the time of day
	frames     *framesWatch         // nil: the frames are not watched

	noticeReason model.NoticeReason // kind of notice
	surveyed
}

// join adds a port to the xconnect or bridge, without an interface yet.
func (g *group) join(s model.PortSettings, p llr.Profile, drain time.Duration) *attachment {
	a := &attachment{settings: s}
	if a.room.window, a.room.kept = roomFor(&s, p); a.room.window > 0 {
		_ = a.bookmark.open(g, a) // surveyPlace tries again, and reports the error
	}
	g.worker.Do(func(now wire.Time) {
		a.port = path.NewPort(s, p, drain, now)
		if a.bookmark.place != nil {
			a.port.Link.SetPlace(a.bookmark.place)
		}
		g.domain.Add(a.port)
	})
	g.members = append(g.members, a)
	return a
}

// leave releases a port's interface and removes the port from its xconnect or bridge.
func (g *group) leave(a *attachment) {
	g.detach(a)
	a.frames.end(a)
	g.worker.Do(func(wire.Time) {
		g.domain.Remove(a.port)
		if g.domain.Bridge != nil {
			g.domain.Bridge.RemovePort(a.port.Number)
		}
	})
	a.bookmark.close(a)
	g.members = slices.DeleteFunc(g.members, func(m *attachment) bool { return m == a })
}

// member returns the port with a name; nil if the xconnect or bridge has none.
func (g *group) member(name string) *attachment {
	for _, a := range g.members {
		if a.settings.Name == name {
			return a
		}
	}
	return nil
}

// geometry returns the layout of the memory of a port's sockets. While a link's sockets are reopened LLR holds slots by
// number, so the number of slots never shrinks.
func (a *attachment) geometry() frame.Geometry {
	g := a.settings.Geometry(a.room.window, a.room.kept)
	if a.settings.Role == model.RoleLink && a.host != nil {
		g.TX = max(g.TX, a.room.slots)
	}
	return g
}

// roomFor returns how much room LLR needs on a port with settings s and profile p: slots for frames that it may have
// to send again, and RX chunks for frames that it keeps behind a gap. A port without LLR needs none.
func roomFor(s *model.PortSettings, p llr.Profile) (slots, kept int) {
	if s.Role != model.RoleLink || s.Protocol != model.LLR {
		return 0, 0
	}
	return p.ReplaySlots(), p.KeptFrames()
}

// edgesFirst returns a copy of ports with the edges before the links.
func edgesFirst(ports []*attachment) []*attachment {
	all := slices.Clone(ports)
	slices.SortStableFunc(all, func(a, b *attachment) int { return int(b.settings.Role) - int(a.settings.Role) })
	return all
}

// need returns the MTU that a port must have, octets: 0 if any MTU will do, as on an edge, or while the edges are
// absent. An edge not yet attached counts, too. A created edge follows the link.
func (g *group) need(a *attachment) (mtu int) {
	if a.settings.Role != model.RoleLink {
		return 0
	}
	for _, m := range g.members {
		if m.settings.Role == model.RoleEdge && m.settings.Host == nil {
			if edge := m.mtu(); edge > 0 {
				mtu = max(mtu, edge-m.tagRoom()+a.settings.Overhead())
			}
		}
	}
	return mtu
}

// mtu returns the MTU of a port's interface, octets; 0: no interface.
func (a *attachment) mtu() int {
	if a.host != nil {
		return a.host.mtu
	}
	return InterfaceMTU(a.settings.Interface)
}

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
	a.host, a.ifindex, a.unsocketed = h, h.ifindex, 0
	a.surveyed = surveyed{pushWaits: adopted, checksums: a.checksums.attached(adopted)}
	if adopted { // the partner and the switches on the way saw no change
		a.veth.announced.links = len(g.members)
	}
	a.beginDrops()
	a.kicked = 0
	a.carrier.begin(g, a)
	g.use(a, nil)
	if !a.pushWaits {
		a.push.start(g, a)
		a.super.start(g, a)
		a.beginDrops() // a host that sends while its end is changed had no edge before
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

// use makes the worker move the frames of an interface, caught frames first.
func (g *group) use(a *attachment, caught [][]byte) {
	if a.closed {
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
	a.up, a.admin = false, model.AdminUnknown
}

// detach releases the interface of a port, because it has gone or the port ends: the worker stops using it, and it
// is put back as found.
func (g *group) detach(a *attachment) {
	if a.host == nil {
		return
	}
	a.super.end(g, a)
	g.releaseHost(a)
	a.super.drop(g, a)
	a.untaken -= a.noSocket() // the next program counts from 0
	a.host.close()
	a.host = nil
}

// closeGroups removes all domains from their workers and puts every interface back as found, links first.
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
	detachAll(all)
	for _, a := range slices.Backward(edgesFirst(all)) {
		if a.host != nil {
			a.host.close()
			a.host = nil
		}
		a.bookmark.close(a)
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

// releaseHost makes the worker stop using the devices of a port's interface, if the port has one, and adds the
// kernel's counts of its sockets to the port's.
func (g *group) releaseHost(a *attachment) {
	if a.host != nil {
		g.release(a)
		a.past = a.counted()
	}
}

// states returns snapshots of the ports of the xconnect or bridge.
func (g *group) states() []model.PortState {
	states := make([]model.PortState, len(g.members))
	g.worker.Do(func(now wire.Time) {
		for i, a := range g.members {
			states[i] = a.port.State(now)
			if a.host != nil {
				states[i].Counters.TxKicks = a.host.kicks() - a.kicked
			}
		}
	})
	for i, a := range g.members {
		a.fill(&states[i])
		if a.host != nil && a.settings.Role == model.RoleLink {
			states[i].CarriedMTU = max(a.host.mtu-a.settings.Overhead(), 0)
		}
		if states[i].Worker = g.worker.ID; g.bridge != nil {
			states[i].Bridge = g.bridge.Name
		}
	}
	return states
}

// fill adds to a port's snapshot the state that the worker does not have: problems, notices, and the counts of
// sockets and interface.
func (a *attachment) fill(st *model.PortState) {
	st.Fault, st.Notice, st.Host = trouble.Join(a.fault(), st.Fault), a.notice, a.settings.Host
	st.Admin, st.Finishes = a.admin, a.checksums.Now
	st.FaultReasons, st.NoticeReason = append(a.faultReasons(), st.FaultReasons...), a.noticeReason
	if a.host == nil {
		return
	}
	if a.monitor.CaptureFull && a.host.capture != nil {
		st.CaptureEnded = fmt.Sprintf("it has reached its capture_limit after %d frames: raise capture_limit, or remove "+
			"capture, and type: uelink reload", a.host.capture.Counts().Frames)
	}
	if c, err := a.host.program.Counters(); err == nil {
		st.Counters.RxNoSocket = c.NoSocket - a.unsocketed
	}
	info := a.host.sockets[0].Info()
	st.Sockets = &model.SocketState{
		XDPMode: a.host.program.Mode(), Opener: info.Opener, BindMode: info.BindMode(), Stats: a.counted(),
		Reason: a.host.reasons(), RxQueues: a.host.queues().List(), TxQueue: a.host.txQueue(),
		NoSocket: a.monitor.UncaughtQueues().List(), TxPath: max(a.tx.is, attach.PathAFXDP), TxWhy: a.tx.why,
		Super: a.super.is, SuperWhy: a.super.why,
		Push: a.push.is, PushWhy: a.push.why, HostWait: a.push.waiting(&a.far.HostEnd),
	}
	st.Sockets.Stats.Sub(a.baseline.Stats)
	st.Device = a.device
	st.Device.Sub(a.baseline.DeviceCounters)
}

// clear sets the counters of a port to zero.
func (g *group) clear(a *attachment) {
	if a.host != nil {
		a.baseline = trouble.Counters{Stats: a.counted(), DeviceCounters: a.device}
		a.untaken -= a.noSocket()
		if c, err := a.host.program.Counters(); err == nil {
			a.unsocketed = c.NoSocket
		}
	}
	g.worker.Do(func(now wire.Time) {
		a.port.Clear(now)
		if a.host != nil {
			a.kicked = a.host.kicks()
		}
	})
}
