package dataplane

import (
	"slices"
	"time"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/dataplane/frame"
	"uelink/dataplane/netif"
	"uelink/llr"
	"uelink/wire"
)

// group is a domain as the daemon manages it: the interfaces that it owns, and the worker
// that moves the frames between them. Its methods belong to the goroutine that holds the
// data plane's lock.
type group struct {
	bridge  *BridgeSettings // nil: an xconnect
	worker  *worker
	records *netif.Records
	log     *zap.Logger
	domain  *domain
	members []*attachment
}

// attachment is a port, and its interface while there is one.
type attachment struct {
	port     *port
	settings PortSettings
	window   int // link: replay slots that its devices are given
	host     *host
	up       bool
	lastErr  string      // of the last attempt to open, so that it is logged once
	baseline frame.Stats // of the kernel, when the counters were cleared
}

// join gives the group a port, which has no interface yet.
func (g *group) join(s PortSettings, p llr.Profile, drain time.Duration) *attachment {
	a := &attachment{settings: s}
	if s.Role == RoleLink {
		a.window = p.MaxOutstandingFrames
	}
	g.worker.do(func(now int64) {
		a.port = newPort(s, p, int64(drain), now)
		g.domain.add(a.port)
	})
	g.members = append(g.members, a)
	return a
}

// leave gives a port's interface up and takes the port out of the domain.
func (g *group) leave(a *attachment) {
	g.detach(a)
	g.worker.do(func(int64) {
		g.domain.remove(a.port)
		if g.domain.bridge != nil {
			g.domain.bridge.RemovePort(a.port.number)
		}
	})
	g.members = slices.DeleteFunc(g.members, func(m *attachment) bool { return m == a })
}

// member is the port of a name; nil if it is not here.
func (g *group) member(name string) *attachment {
	for _, a := range g.members {
		if a.settings.Name == name {
			return a
		}
	}
	return nil
}

// away is how many frames may lie in a port's TX ring, or with the driver, that are not in a
// replay buffer: what has no slot waits in the chunk that it came in.
const away = 256

// geometry is how the memory of a port's socket is cut: what lies in the rings, what waits
// in queues, and the replay buffer. How large a chunk is the MTU decides.
func (a *attachment) geometry() frame.Geometry {
	ring := a.settings.RingSize
	return frame.Geometry{RX: 2 * ring, Spare: ring, TX: min(ring, away) + a.window}
}

// edgesFirst sorts ports.
func edgesFirst(ports []*attachment) []*attachment {
	all := slices.Clone(ports)
	slices.SortStableFunc(all, func(a, b *attachment) int { return int(b.settings.Role) - int(a.settings.Role) })
	return all
}

// need is the MTU that a port has to have, octets: 0 if any will do, as on an edge, or while
// the edges are absent.
func (g *group) need(a *attachment) (mtu int) {
	if a.settings.Role != RoleLink {
		return 0
	}
	for _, m := range g.members {
		if m.settings.Role == RoleEdge && m.host != nil {
			mtu = max(mtu, m.host.mtu+wire.Overhead)
		}
	}
	return mtu
}

func (g *group) attach(a *attachment) error {
	h, err := openHost(a.settings, g.need(a), a.geometry(), g.records, g.log)
	if err != nil {
		return err
	}
	a.host = h
	g.use(a)
	return nil
}

// use has the worker move the frames of an interface.
func (g *group) use(a *attachment) {
	a.baseline = frame.Stats{}
	g.worker.do(func(int64) {
		g.domain.attach(a.port, a.host.devices, a.host.mac, a.host.mtu)
		g.worker.watchDevices()
	})
}

// release ends that: the worker has let go of the devices.
func (g *group) release(a *attachment) {
	g.worker.do(func(now int64) {
		g.domain.detach(a.port, now)
		g.worker.watchDevices()
	})
	a.up = false
}

// detach gives an interface up: because it has gone, or because the daemon ends.
func (g *group) detach(a *attachment) {
	if a.host == nil {
		return
	}
	g.release(a)
	a.host.close()
	a.host = nil
}

// close takes the domain off its worker and puts every interface back, links first.
func (g *group) close() {
	for _, a := range slices.Backward(edgesFirst(g.members)) {
		g.detach(a)
	}
	g.worker.do(func(int64) { g.worker.remove(g.domain) })
}

// reconcile makes the ports what their interfaces are now: absent, there again, up, down,
// of another MTU.
func (g *group) reconcile() {
	for _, a := range edgesFirst(g.members) {
		g.reconcileMember(a)
	}
	for _, a := range g.members {
		if a.settings.Role == RoleLink {
			g.refit(a)
		}
	}
}

func (g *group) reconcileMember(a *attachment) {
	nl, err := netlink.LinkByName(a.settings.Interface)
	if a.host != nil && (err != nil || nl.Attrs().Index != a.host.ifindex) {
		g.log.Warn("the interface has gone", a.fields()...)
		g.detach(a)
		g.emitOper(a, "absent")
	}
	if err != nil {
		return
	}
	if a.host == nil && !g.reopen(a) {
		return
	}
	if g.enlarge(a, nl.Attrs().MTU) {
		if nl, err = netlink.LinkByIndex(a.host.ifindex); err != nil {
			return // it is going; the next round sees that
		}
	}
	if a.host != nil {
		g.follow(a, nl.Attrs())
	}
}

// fields names a port in the log.
func (a *attachment) fields(more ...zap.Field) []zap.Field {
	return append(more, zap.String("port", a.settings.Name), zap.String("interface", a.settings.Interface))
}

// reopen takes an interface that is there again; it is tried until it succeeds.
func (g *group) reopen(a *attachment) bool {
	if err := g.attach(a); err != nil {
		g.fault(a, err)
		return false
	}
	a.lastErr = ""
	g.log.Info("the interface is there again", a.fields()...)
	return true
}

// follow takes over the carrier and the MTU.
func (g *group) follow(a *attachment, attrs *netlink.LinkAttrs) {
	up := attrs.RawFlags&unix.IFF_UP != 0 && attrs.RawFlags&unix.IFF_RUNNING != 0
	if up == a.up && attrs.MTU == a.host.mtu {
		return
	}
	if up != a.up {
		text := "down"
		if up {
			text = "up"
		}
		g.emitOper(a, text)
	}
	a.up, a.host.mtu = up, attrs.MTU
	g.worker.do(func(now int64) {
		g.domain.setMTU(a.port, attrs.MTU)
		g.domain.setUp(a.port, up, now)
	})
}

// enlarge opens the sockets of an interface anew whose MTU has outgrown the chunks, and tells
// whether that was so and is done. One whose MTU is too large for any chunk stays as it is:
// frames that are too long are dropped.
func (g *group) enlarge(a *attachment, mtu int) bool {
	if a.host == nil || !a.host.outgrown(mtu) {
		return false
	}
	g.log.Info("the chunks are too small for the new MTU: the sockets are opened anew", a.fields(zap.Int("mtu", mtu))...)
	g.release(a)
	if err := a.host.enlarge(mtu, a.geometry()); err != nil {
		g.fault(a, err)
		a.host.close()
		a.host = nil
		return false
	}
	g.use(a)
	return true
}

// refit raises a link's MTU when an edge has come to need more: because it has got a
// larger one, or came back after the link.
func (g *group) refit(a *attachment) {
	need := g.need(a)
	if need == 0 || a.host == nil {
		return
	}
	if a.host.mtu >= need {
		a.lastErr = ""
		return
	}
	if _, err := netlink.LinkByIndex(a.host.ifindex); err != nil {
		return // it is going; the next round sees that
	}
	if err := a.host.fitMTU(need); err != nil {
		g.fault(a, err)
		return
	}
	g.worker.do(func(int64) { g.domain.setMTU(a.port, need) })
}

// fault tells an error of a port that is met again and again, once.
func (g *group) fault(a *attachment, err error) {
	if err.Error() == a.lastErr {
		return
	}
	a.lastErr = err.Error()
	g.log.Error("port fault", zap.Error(err))
	g.worker.hub.emit(a.settings.Name, EventError, a.lastErr)
}

func (g *group) emitOper(a *attachment, text string) {
	g.worker.hub.emit(a.settings.Name, EventOperStatus, text)
}

// states is a snapshot of the ports.
func (g *group) states() []PortState {
	states := make([]PortState, len(g.members))
	g.worker.do(func(int64) {
		for i, a := range g.members {
			states[i] = a.port.state()
		}
	})
	for i, a := range g.members {
		a.fill(&states[i])
		if states[i].Worker = g.worker.id; g.bridge != nil {
			states[i].Bridge = g.bridge.Name
		}
	}
	return states
}

// fill adds what the worker does not know.
func (a *attachment) fill(st *PortState) {
	if a.host == nil {
		return
	}
	info := a.host.sockets[0].Info()
	st.Sockets = &SocketState{
		XDPMode: a.host.program.Mode(), Opener: info.Opener, BindMode: info.BindMode(), Stats: a.host.stats(),
	}
	st.Sockets.Stats.Sub(a.baseline)
}

// clear sets the counters of one port to zero.
func (g *group) clear(a *attachment) {
	if a.host != nil {
		a.baseline = a.host.stats()
	}
	g.worker.do(func(int64) { a.port.clear() })
}
