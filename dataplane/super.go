package dataplane

import (
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/trouble"
	"uelink/dataplane/vnet"
	"uelink/wire"
)

// An edge on a veth takes super-frames by a packet socket while nothing else needs its AF_XDP sockets. These stay open:
// their memory is that of the packet socket's frames, too, and whatever opens, closes or hands over sockets finds them
// as on any other edge. So super-frames end before any such work, and begin again after it.
//
//	startSuper   the packet socket is opened and the Device put on the AF_XDP socket, which still gets all frames;
//	             then the XDP program is taken off, and frames come by the packet socket
//	endSuper     the XDP program is put back; the Device hands out what the packet socket has, and is taken away

// superFrames is whether an edge takes super-frames.
type superFrames struct {
	is      model.SuperState
	why     string       // reason for not SuperOn, in words
	socket  *vnet.Socket // nil: not SuperOn
	refused uint64       // super-frames and frames that the kernel had refused at the last look
	lost    uint64       // and malformed ones
	dropped uint64       // and those without room
	read    uint64       // frames that had been read from the socket at the last look
	wait    int          // ticks between the last end by itself and the next attempt; 0: there was no such end
	retry   int          // ticks until the next attempt
	good    int          // ticks since they began
}

// superRoom counts the receive buffers of all edges that take super-frames.
type superRoom struct{ octets int }

// mostSuperRoom is the most octets of all receive buffers together: those of 16 edges.
const mostSuperRoom = 16 * vnet.WantedRoom

// wantsSuper returns whether an edge shall take super-frames, as far as settings and interface say.
func (h *host) wantsSuper() (is model.SuperState, why string) {
	driver, _ := driverAndQueues(h.settings.Interface)
	return h.settings.WantsSuper(driver, h.pieces, netif.Pushes() == nil)
}

// start makes an attached edge port take super-frames, if its settings say so. Where that does not work it is a
// problem of the port, unless offload is auto; the port works without.
func (s *superFrames) start(g *group, a *attachment) {
	if a.settings.Role != model.RoleEdge || a.host == nil || a.host.super != nil || a.closed {
		return
	}
	is, why := a.host.wantsSuper()
	switch {
	case is != model.SuperOn:
		s.record(g, a, is, why)
		return
	case a.push.is == model.PushOn:
		why = "the edge pushes back until the frames that wait with the host have left"
	case g.supers.octets+vnet.WantedRoom > mostSuperRoom:
		why = fmt.Sprintf("%d other edges take super-frames, which is the most", mostSuperRoom/vnet.WantedRoom)
	case a.host.sockets[0].Geometry().Places == 0: // opened by settings, or by a release, without super-frames
		g.renew(a, func() error { return a.host.resize(g.need(a), a.geometry()) }) // and calls startSuper again
		return
	default:
		err := s.begin(g, a)
		if err == nil {
			return
		}
		why = err.Error()
	}
	s.record(g, a, a.settings.SuperWithout(), why)
}

// record records that an edge port takes no super-frames, and why.
func (s *superFrames) record(g *group, a *attachment, is model.SuperState, why string) {
	s.is, s.why, s.retry = is, why, max(superRetry, s.wait)
	if is != model.SuperFailed {
		a.monitor.Set(trouble.Super, "")
		return
	}
	g.beginTrouble(a, trouble.Super, "the edge cannot take super-frames: "+why)
}

// begin makes an edge port take super-frames. After an error the port works without.
func (s *superFrames) begin(g *group, a *attachment) error {
	h := a.host
	if err := h.owned.CheckOtherEnd(); err != nil {
		return err
	}
	socket, err := h.owned.OpenSuper()
	if err != nil {
		return err
	}
	g.empty(a) // frames that are posted below leave before those of the Device
	h.super = vnet.New(h.sockets[0], socket, h.mtu+netif.Slack)
	s.socket = socket
	g.supers.octets += socket.Room()
	s.refused, s.lost, s.dropped, s.read = 0, 0, 0, 0
	g.retap(a)
	g.worker.Do(func(wire.Time) { a.port.Suspended = false })
	a.host.tagging.follow(g, a)
	s.is, s.why, s.retry, s.good = model.SuperOn, "", 0, 0
	if err := h.owned.TakeSuper(h.offloads()); err != nil {
		s.retreat(g, a)
		return err
	}
	netif.WaitGracePeriod()
	g.worker.Do(func(wire.Time) { h.super.Begin() })
	g.log.Info("the edge takes super-frames", a.fields(zap.Int("receive_buffer", socket.Room()))...)
	g.endTrouble(a, trouble.Super, "the edge takes super-frames now")
	return nil
}

// superDrain is how long endSuper waits until the packet socket's frames have found room, and have left again.
const superDrain = 100 * time.Millisecond

// end makes an edge port that takes super-frames one that does not, and reports whether nothing is left of them.
// Where frames of the packet socket find no room within superDrain, or wait elsewhere, the Device stays until they have
// left (surveySuper), and hands out the frames of the AF_XDP socket behind them.
func (s *superFrames) end(g *group, a *attachment) (ended bool) {
	if a.host == nil || a.host.super == nil {
		return true
	}
	h := a.host
	if s.is == model.SuperOn {
		if err := h.owned.ReturnXDP(h.offloads()); err != nil {
			g.log.Warn("the XDP program cannot be put back", a.fields(zap.Error(err))...)
		}
		s.is, s.why = model.SuperOff, "they end when their frames have left"
		g.worker.Do(func(wire.Time) { h.super.Return() })
		g.retap(a)
		netif.WaitGracePeriod() // no frame is on its way to the packet socket any more
	}
	drained := false
	for end := time.Now().Add(superDrain); ; time.Sleep(time.Millisecond) {
		g.worker.Do(func(wire.Time) { drained = h.super.Drained() })
		if drained || time.Now().After(end) {
			break
		}
	}
	if drained {
		device := h.super
		h.super = nil
		g.retap(a) // before the memory of the packet socket goes
		s.close(g, a, device)
	}
	return drained
}

// discard drops the frames of the packet socket that endSuper found no room for, as behind a link that stands
// still, and reports whether nothing is left of super-frames.
func (s *superFrames) discard(g *group, a *attachment) (ended bool) {
	g.worker.Do(func(wire.Time) { a.host.super.Discard() })
	return s.end(g, a)
}

// drop closes the packet socket of an edge port whose worker does not use the Device any more. Frames that the
// Device has not handed out are lost.
func (s *superFrames) drop(g *group, a *attachment) {
	if h := a.host; h != nil && h.super != nil {
		device := h.super
		h.super = nil
		s.close(g, a, device)
	}
}

// close closes the packet socket of a Device that no worker uses any more.
func (s *superFrames) close(g *group, a *attachment, device *vnet.Device) {
	a.host.past.SuperCounts.Add(device.Counts())
	g.supers.octets -= s.socket.Room()
	_ = s.socket.Close()
	s.socket = nil
	if err := a.host.owned.CloseSuper(); err != nil {
		g.log.Warn("a filter of tc stays on the interface", a.fields(zap.Error(err))...)
	}
}

// startSupers makes all edge ports take super-frames that shall.
func (d *Dataplane) startSupers() {
	for _, g := range d.groups {
		for _, a := range g.members {
			a.super.start(g, a)
		}
	}
}

// superRetry is how many ticks of the watch (10 s) after an attempt an edge that shall take super-frames tries again.
// Super-frames that have ended by themselves cost frames each time: so each such end doubles the time, up to
// longestSuperRetry (3 hours).
const (
	superRetry        = 40
	longestSuperRetry = superRetry << 10
)

// retreat ends super-frames at an edge port where they do not work, and doubles the time to the next attempt.
func (s *superFrames) retreat(g *group, a *attachment) {
	s.wait = min(max(superRetry, 2*s.wait), longestSuperRetry)
	s.end(g, a)
}

// trySuper lets the next look at an edge port try super-frames again, however often they have ended by themselves:
// somebody has changed something.
func (s *superFrames) trySuper() { s.wait, s.retry = 0, 0 }

// mostRefused is how many frames the kernel may refuse to give or to take, between two looks, before the edge takes
// super-frames no more: a host behind a veth sends some that a virtio_net_hdr cannot describe.
const mostRefused = 32

// survey checks an edge port that takes super-frames, or shall. tick counts the calls.
func (s *superFrames) survey(g *group, a *attachment, tick int) {
	if a.settings.Role != model.RoleEdge || tick%surveyEvery != 0 {
		return
	}
	switch {
	case a.host.super == nil:
		if s.retry -= surveyEvery; s.retry <= 0 {
			s.start(g, a)
		}
	case s.is != model.SuperOn:
		if s.end(g, a) && s.retry <= 0 {
			s.start(g, a)
		}
	default:
		s.check(g, a)
	}
}

// check checks whether super-frames get through at an edge port, and whether the filter is still there that keeps
// the network stack from them.
func (s *superFrames) check(g *group, a *attachment) {
	if err := a.host.owned.CheckOtherEnd(); errors.Is(err, netif.ErrOtherXDP) {
		s.end(g, a)
		s.record(g, a, a.settings.SuperWithout(), err.Error())
		g.log.Info("the edge takes no super-frames any more", a.fields(zap.Error(err))...)
		return
	}
	if why := s.stopCause(g, a); why != "" {
		s.retreat(g, a)
		s.record(g, a, a.settings.SuperWithout(), why)
		g.notify(a, model.NoticeSuper, fmt.Sprintf("the edge takes no super-frames for %v: %s",
			time.Duration(s.wait)*reconcilePeriod, why))
		return
	}
	if s.good += surveyEvery; s.good > s.wait {
		s.wait = 0
	}
	there, err := a.host.owned.Guarded()
	switch {
	case err != nil:
		g.beginTrouble(a, trouble.Super, err.Error())
		return
	case !there:
		g.notify(a, model.NoticeSuper, "somebody has removed the filter that keeps the host's frames from the network "+
			"stack: it is there again")
	}
	a.monitor.Set(trouble.Super, "")
	if off, err := a.host.owned.LimitPeer(); err == nil && len(off) > 0 {
		g.notify(a, model.NoticeSuper, fmt.Sprintf("somebody has switched offloads on at the host's end of the veth, with "+
			"which it sends super-frames that the daemon cannot get: the offloads are off again: %v", off))
	}
}

// stopCause returns why an edge port shall take super-frames no more; "": it shall go on.
func (s *superFrames) stopCause(g *group, a *attachment) (why string) {
	c := a.host.super.Counts()
	bad := c.RxSuperMalformed - s.lost + c.TxSuperRefused - s.refused
	var read uint64
	waits := false
	g.worker.Do(func(wire.Time) { read, waits = a.host.super.Progress() })
	stands := c.RxSuperNoRoom > s.dropped && read == s.read && !waits
	s.lost, s.refused, s.dropped, s.read = c.RxSuperMalformed, c.TxSuperRefused, c.RxSuperNoRoom, read
	switch {
	case bad > mostRefused:
		return fmt.Sprintf("%d of the host's, or for it, did not get through in a second", bad)
	case stands:
		return "the kernel drops all frames of the host, since one came that a virtio_net_hdr cannot describe"
	}
	return ""
}
