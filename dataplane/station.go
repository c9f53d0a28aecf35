package dataplane

import (
	"fmt"
	"time"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/dataplane/frame"
	"uelink/dataplane/netif"
	"uelink/llr"
	"uelink/wire"
)

// station is one xconnect as the daemon manages it: the two interfaces that it
// owns, and the worker that moves the frames between them. Its methods belong to
// the goroutine that holds the data plane's lock.
type station struct {
	worker  *worker
	records *netif.Records
	x       *xconnect
	edge    attachment
	link    attachment
	window  int // replay slots that the link's devices are given
}

// attachment is a port, and its interface while there is one.
type attachment struct {
	port     *port
	settings PortSettings
	host     *host
	up       bool
	lastErr  string      // of the last attempt to open, so that it is logged once
	baseline frame.Stats // of the kernel, when the counters were cleared
}

func newStation(w *worker, edge, lnk PortSettings, p llr.Profile, id identity, drain time.Duration) *station {
	s := &station{worker: w, window: p.MaxOutstandingFrames}
	w.do(func(now int64) {
		s.x = newXConnect(edge, newLink(lnk, p, edge.RingSize, id, int64(drain), now))
		w.add(s.x)
	})
	s.edge = attachment{port: &s.x.edge, settings: edge}
	s.link = attachment{port: &s.x.link.port, settings: lnk}
	return s
}

// edgeGeometry: what lies in the rings, and what waits in the queues. How large a chunk
// is the MTU decides.
func (s *station) edgeGeometry() frame.Geometry {
	ring := s.edge.settings.RingSize
	return frame.Geometry{RX: 2 * ring, TX: ring}
}

// linkAway is how many frames of a link may lie in its TX ring, or with the driver, that
// are not in the replay buffer: those of before LLR is up, and such as are acknowledged
// before the kernel says that they have been sent.
const linkAway = 256

// linkGeometry: what lies in the rings, and the replay buffer.
func (s *station) linkGeometry() frame.Geometry {
	ring := s.link.settings.RingSize
	return frame.Geometry{RX: ring, TX: min(ring, linkAway) + s.window}
}

// open takes both interfaces into possession. What is changed on them, now and when
// they are opened again, is written down in records.
func (s *station) open(records *netif.Records, log *zap.Logger) error {
	s.records = records
	if err := s.openEdge(log); err != nil {
		return err
	}
	return s.openLink(log)
}

func (s *station) openEdge(log *zap.Logger) error {
	return s.attach(&s.edge, 0, s.edgeGeometry(), log)
}

// openLink needs the edge port's MTU; while the edge is absent, any will do.
func (s *station) openLink(log *zap.Logger) error {
	need := 0
	if s.edge.host != nil {
		need = s.edge.host.mtu + wire.Overhead
	}
	return s.attach(&s.link, need, s.linkGeometry(), log)
}

func (s *station) attach(a *attachment, needMTU int, g frame.Geometry, log *zap.Logger) error {
	h, err := openHost(a.settings, needMTU, g, s.records, log)
	if err != nil {
		return err
	}
	a.host, a.baseline = h, frame.Stats{}
	s.worker.do(func(int64) {
		a.port.attach(h.devices, h.mac, h.mtu)
		s.worker.watchDevices()
	})
	return nil
}

// detach gives an interface up: because it has gone, or because the daemon ends.
func (s *station) detach(a *attachment) {
	if a.host == nil {
		return
	}
	s.worker.do(func(now int64) {
		s.x.detach(a.port, now)
		s.worker.watchDevices()
	})
	a.host.close()
	a.host, a.up = nil, false
}

// close takes the xconnect off its worker and puts both interfaces back.
func (s *station) close() {
	s.detach(&s.link)
	s.detach(&s.edge)
	s.worker.do(func(int64) { s.worker.remove(s.x) })
}

// reconcile makes a port what its interface is now: absent, there again, up,
// down, of another MTU.
func (s *station) reconcile(a *attachment, open func(*zap.Logger) error, log *zap.Logger) {
	nl, err := netlink.LinkByName(a.settings.Interface)
	if a.host != nil && (err != nil || nl.Attrs().Index != a.host.ifindex) {
		log.Warn("the interface has gone", zap.String("port", a.settings.Name), zap.String("interface", a.settings.Interface))
		s.detach(a)
		s.emitOper(a, "absent")
	}
	if err != nil {
		return
	}
	if a.host == nil && !s.reopen(a, open, log) {
		return
	}
	if s.enlarge(a, nl.Attrs().MTU, open, log) {
		if nl, err = netlink.LinkByIndex(a.host.ifindex); err != nil {
			return // it is going; the next round sees that
		}
	}
	if a.host != nil {
		s.follow(a, nl.Attrs())
	}
}

// reopen takes an interface that is there again; it is tried until it succeeds.
func (s *station) reopen(a *attachment, open func(*zap.Logger) error, log *zap.Logger) bool {
	err := open(log)
	if err == nil {
		a.lastErr = ""
		log.Info("the interface is there again", zap.String("port", a.settings.Name), zap.String("interface", a.settings.Interface))
		return true
	}
	s.fault(a, err, log)
	return false
}

// follow takes over the carrier and the MTU.
func (s *station) follow(a *attachment, attrs *netlink.LinkAttrs) {
	up := attrs.RawFlags&unix.IFF_UP != 0 && attrs.RawFlags&unix.IFF_RUNNING != 0
	if up == a.up && attrs.MTU == a.host.mtu {
		return
	}
	if up != a.up {
		text := "down"
		if up {
			text = "up"
		}
		s.emitOper(a, text)
	}
	a.up, a.host.mtu = up, attrs.MTU
	s.worker.do(func(now int64) {
		a.port.setMTU(attrs.MTU)
		s.x.setUp(a.port, up, now)
	})
}

// enlarge opens an interface again whose MTU has outgrown the chunks, and tells whether
// that was so and is done. One whose MTU is too large for any chunk stays as it is:
// frames that are too long are dropped.
func (s *station) enlarge(a *attachment, mtu int, open func(*zap.Logger) error, log *zap.Logger) bool {
	if a.host == nil || !a.host.outgrown(mtu) {
		return false
	}
	log.Info("the chunks are too small for the new MTU: the interface is opened again",
		zap.String("port", a.settings.Name), zap.String("interface", a.settings.Interface), zap.Int("mtu", mtu))
	s.detach(a)
	return s.reopen(a, open, log)
}

// refit raises the link's MTU when the edge has come to need more: because it has
// got a larger one, or came back after the link.
func (s *station) refit(log *zap.Logger) {
	if s.edge.host == nil || s.link.host == nil {
		return
	}
	need := s.edge.host.mtu + wire.Overhead
	if s.link.host.mtu >= need {
		s.link.lastErr = ""
		return
	}
	if _, err := netlink.LinkByIndex(s.link.host.ifindex); err != nil {
		return // it is going; the next round sees that
	}
	if err := s.link.host.fitMTU(need); err != nil {
		s.fault(&s.link, err, log)
		return
	}
	s.worker.do(func(int64) { s.link.port.setMTU(need) })
}

// fault tells an error of a port that is met again and again, once.
func (s *station) fault(a *attachment, err error, log *zap.Logger) {
	if err.Error() == a.lastErr {
		return
	}
	a.lastErr = err.Error()
	log.Error("port fault", zap.Error(err))
	s.worker.hub.emit(a.settings.Name, EventError, a.lastErr)
}

func (s *station) emitOper(a *attachment, text string) {
	s.worker.hub.emit(a.settings.Name, EventOperStatus, text)
}

// states is a snapshot of both ports, the edge first.
func (s *station) states() (edge, lnk PortState) {
	s.worker.do(func(int64) {
		edge, lnk = s.x.edge.state(), s.x.link.state()
		edge.StandsStill = s.x.edgeStill.refusing
	})
	s.edge.fill(&edge, s.worker.id, s.link.settings.Name)
	s.link.fill(&lnk, s.worker.id, s.edge.settings.Name)
	return edge, lnk
}

// fill adds what the worker does not know.
func (a *attachment) fill(st *PortState, worker int, other string) {
	st.Worker, st.XConnect = worker, other
	if a.host == nil {
		return
	}
	info := a.host.sockets[0].Info()
	st.XDPMode, st.Opener, st.BindMode = a.host.program.Mode().String(), info.Opener.String(), info.BindMode().String()
	st.Socket = a.host.stats()
	st.Socket.Sub(a.baseline)
}

// clear sets the counters of one port to zero.
func (s *station) clear(a *attachment) {
	if a.host != nil {
		a.baseline = a.host.stats()
	}
	s.worker.do(func(int64) {
		a.port.counters = PortCounters{}
		if a.port == &s.x.link.port {
			*s.x.link.llr.Counters() = llr.Counters{}
			s.x.link.llr.Tx.ClearFlush()
		}
	})
}

// String names the xconnect in errors.
func (s *station) String() string {
	return fmt.Sprintf("xconnect %s-%s", s.edge.settings.Name, s.link.settings.Name)
}
