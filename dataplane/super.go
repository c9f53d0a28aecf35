package dataplane

import (
	"fmt"
	"time"

	"go.uber.org/zap"

	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/trouble"
	"uelink/dataplane/vnet"
	"uelink/wire"
)

// An edge on a veth takes super-frames by a packet socket while nothing else needs its AF_XDP sockets. The AF_XDP
// sockets stay open: the frames of the packet socket lie in their memory, too, and code that opens, closes or hands
// over sockets finds them as on any other edge. So super-frames end before any such work, and begin again after it.
//
//	start   the packet socket is opened and the Device put on the AF_XDP socket, which still gets all frames;
//	        then the XDP program is taken off, and frames come by the packet socket
//	end     the XDP program is put back; the Device hands out what the packet socket has, and is taken away

// superFrames is the state of super-frames at an edge: whether the edge takes them, the counts at the last look, and
// the time of the next attempt.
type superFrames struct {
	state   model.SuperState
	reason  string       // reason for not SuperOn, in words
	socket  *vnet.Socket // nil: not SuperOn
	refused uint64       // frames for the host that the kernel had refused, at the last look
	lost    uint64       // malformed super-frames from the host, at the last look
	dropped uint64       // frames from the host that found no room in the socket, at the last look
	read    uint64       // frames read from the socket, at the last look
	wait    int          // ticks from the last end by the daemon (retreat) to the next attempt; 0: none
	retry   int          // ticks until the next attempt
	good    int          // ticks since the edge began to take super-frames
}

// superRoom is the total size of the receive buffers of all edges that take super-frames, in octets.
type superRoom struct{ octets int }

// mostSuperRoom is the most octets of all receive buffers together: those of 16 edges.
const mostSuperRoom = 16 * vnet.WantedRoom

// start makes an attached edge port take super-frames, if its settings say so. Where that does not work it is a
// problem of the port, unless offload is auto; the port works without.
func (s *superFrames) start(g *group, a *attachment) {
	if a.settings.Role != model.RoleEdge || a.host == nil || a.host.super != nil || a.counts.closed {
		return
	}
	state, reason := a.host.wantsSuper()
	switch {
	case state != model.SuperOn:
		s.record(g, a, state, reason)
		return
	case a.push.state == model.PushOn:
		reason = "the edge pushes back until the frames that wait with the host have left"
	case g.supers.octets+vnet.WantedRoom > mostSuperRoom:
		reason = fmt.Sprintf("%d other edges take super-frames, and no more edges may", mostSuperRoom/vnet.WantedRoom)
	case a.host.sockets[0].Geometry().Places == 0: // opened by settings, or by a release, without super-frames
		g.renew(a, func() error { return a.host.resize(g.need(a), a.geometry()) }) // reopens the sockets, and calls start
		return
	default:
		err := s.begin(g, a)
		if err == nil {
			return
		}
		reason = err.Error()
	}
	s.record(g, a, a.settings.SuperWithout(), reason)
}

// record records that an edge port takes no super-frames, and why, and sets the time of the next attempt. The state
// SuperFailed is a problem of the port; any other state ends the problem.
func (s *superFrames) record(g *group, a *attachment, state model.SuperState, reason string) {
	s.state, s.reason, s.retry = state, reason, max(superRetry, s.wait)
	if state != model.SuperFailed {
		a.monitor.Set(trouble.Super, "")
		return
	}
	g.beginTrouble(a, trouble.Super, "the edge cannot exchange super-frames with its host: "+reason)
}

// begin makes an edge port take super-frames, in the steps of the head of this file: packet socket and Device first,
// then the XDP program is taken off. After an error the port works without.
func (s *superFrames) begin(g *group, a *attachment) error {
	h := a.host
	if err := h.owned.SuperFrames().CheckOtherEnd(); err != nil {
		return err
	}
	socket, err := h.owned.SuperFrames().Open()
	if err != nil {
		return err
	}
	g.empty(a) // before the Device: posted frames of the AF_XDP socket leave ahead of those of the Device
	h.super = vnet.New(h.sockets[0], socket, h.mtu+netif.Slack)
	s.socket = socket
	g.supers.octets += socket.Room()
	s.refused, s.lost, s.dropped, s.read = 0, 0, 0, 0
	h.retap(g, a)
	g.worker.Do(func(wire.Time) { a.port.Suspended = false })
	a.host.tagging.follow(g, a)
	s.state, s.reason, s.retry, s.good = model.SuperOn, "", 0, 0
	if err := h.owned.SuperFrames().Take(h.offloads()); err != nil {
		s.retreat(g, a)
		return err
	}
	netif.WaitGracePeriod()
	g.worker.Do(func(wire.Time) { h.super.Begin() })
	g.log.Info("the edge exchanges super-frames with its host", a.fields(zap.Int("receive_buffer", socket.Room()))...)
	g.endTrouble(a, trouble.Super, "the edge exchanges super-frames with its host now")
	return nil
}

// superDrain is how long end waits until the packet socket's frames have found room, and have left again.
const superDrain = 100 * time.Millisecond

// end stops an edge port from taking super-frames, and reports whether the Device and its packet socket are gone.
// Where frames of the packet socket find no room within superDrain, or wait elsewhere, the Device stays until they have
// left (survey), and hands out the frames of the AF_XDP socket behind them.
func (s *superFrames) end(g *group, a *attachment) (ended bool) {
	if a.host == nil || a.host.super == nil {
		return true
	}
	h := a.host
	if s.state == model.SuperOn {
		if err := h.owned.SuperFrames().ReturnXDP(h.offloads()); err != nil {
			g.log.Warn("the edge takes no more super-frames, but the XDP program cannot be attached again",
				a.fields(zap.Error(err))...)
		}
		s.state, s.reason = model.SuperOff, "the edge takes no more super-frames, and still forwards earlier ones"
		g.worker.Do(func(wire.Time) { h.super.Return() })
		h.retap(g, a)
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
		h.retap(g, a) // before the memory of the packet socket goes
		s.close(g, a, device)
	}
	return drained
}

// discard drops the frames of the packet socket that end found no room for, as behind a link that stands still, and
// reports as end does.
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

// close closes the packet socket of a Device that no worker uses any more, keeps the Device's counts, gives the receive
// buffer back to superRoom, and removes the filter of tc.
func (s *superFrames) close(g *group, a *attachment, device *vnet.Device) {
	a.host.past.SuperCounts.Add(device.Counts())
	g.supers.octets -= s.socket.Room()
	_ = s.socket.Close()
	s.socket = nil
	if err := a.host.owned.SuperFrames().Close(); err != nil {
		g.log.Warn("the daemon's filter of tc could not be removed from the interface", a.fields(zap.Error(err))...)
	}
}
