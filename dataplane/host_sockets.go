package dataplane

import (
	"fmt"
	"slices"

	"uelink/dataplane/attach"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/trouble"
	"uelink/dataplane/xsk"
	"uelink/wire"
)

// socketsOf returns the options of the sockets to open, with memory laid out as in g but with chunks of the chosen
// size.
func (h *host) socketsOf(g frame.Geometry) *netif.Sockets {
	g.ChunkSize = h.chunk
	g = h.settings.InPieces(g, h.pieces)
	if state, _ := h.wantsSuper(); state == model.SuperOn { // the frames of the packet socket get places
		g.Places = g.Spare + frame.UnderWay
	}
	live := h.wantsLive()
	if live {
		g.RX += g.RX & 1 // an even number of RX chunks, so that the TX slots behind them begin at a page
	}
	return &netif.Sockets{
		Options: xsk.Options{
			Opener: h.settings.Opener, RingSize: h.settings.RingSize, RxRing: h.settings.RxRing(), Bind: h.settings.Bind,
			Geometry: g, Live: live,
			BoundQueue: h.settings.Role == model.RoleEdge && h.settings.Assured() == 0,
		},
		Queues: h.settings.Queues, TxQueue: h.settings.TxQueue,
	}
}

// offloads returns where offloads are switched off: on a link's interface, on an edge's interface and the other end of
// its veth, or nowhere. Without offloads frames arrive as they were on the wire, with their checksums computed.
func (h *host) offloads() netif.Offloads {
	switch {
	case h.settings.Offloads == model.OffloadsLeave:
		return netif.OffloadsStay
	case h.settings.Role == model.RoleEdge:
		return netif.OffloadsOffAtBothEnds
	}
	return netif.OffloadsOff
}

// queues returns the set of the RX queues that have a socket; at least one.
func (h *host) queues() (q attach.Queues) {
	for _, s := range h.sockets {
		n := s.Info().Queue
		q.Add(n, n)
	}
	return q
}

// txQueue returns the number of the queue by which frames leave.
func (h *host) txQueue() int { return h.sockets[0].Info().Queue }

// kicks returns the number of system calls that the worker has made to send and receive on the port's sockets;
// only the worker may call kicks.
func (h *host) kicks() (sum uint64) {
	for _, s := range h.sockets {
		sum += s.Kicks()
	}
	return sum
}

// keepStats adds the kernel's counts of the present sockets, which are about to be closed and replaced, to those
// of earlier sockets.
func (h *host) keepStats() { h.past, h.sockets = h.stats(), nil }

// stats returns the sum of the kernel's counts on the port's present and earlier sockets, and of the counts of
// super-frames.
func (h *host) stats() frame.Stats {
	sum := h.past
	for _, s := range h.sockets {
		st, err := s.Stats()
		if err != nil {
			continue // the interface is going, and its counters with it
		}
		sum.Add(st)
	}
	if h.super != nil {
		sum.SuperCounts.Add(h.super.Counts())
	}
	return sum
}

// tap sets h.devices, which the worker uses: the sockets, with h.super in place of the first while super-frames are on,
// and with a capture a tap in front of each, which records its frames.
func (h *host) tap() {
	h.recording.taps, h.devices = nil, nil
	for i, s := range h.sockets {
		var d frame.Device = s
		if i == 0 && h.super != nil {
			d = h.super
		}
		if h.recording.capture != nil {
			tap := h.recording.capture.Tap(d, fmt.Sprintf("%s queue %d", h.settings.Interface, s.Info().Queue))
			if h.settings.Role == model.RoleEdge {
				tap.AsCarried()
			}
			h.recording.taps, d = append(h.recording.taps, tap), tap
		}
		h.devices = append(h.devices, d)
	}
}

// retap makes the worker use the present devices of a port's interface, after h.super has come or gone. A capture and a
// watch of frames get new taps on them; the old taps hand on their last frames and end.
func (h *host) retap(g *group, a *attachment) {
	taps := h.recording.taps
	h.tap()
	g.worker.Do(func(wire.Time) {
		a.port.Replace(h.devices)
		g.worker.WatchDevices()
	})
	a.frames.tap(g, a)
	for _, tap := range taps {
		tap.Detach()
	}
}

// closeDevices makes the capture's taps pass their last frames to the capture. The sockets below the taps are
// closed already.
func (h *host) closeDevices() {
	for _, d := range h.devices {
		_ = d.Close()
	}
	h.recording.taps, h.devices = nil, nil
}

// wantsSuper returns whether an edge shall take super-frames, as far as settings and interface say.
func (h *host) wantsSuper() (state model.SuperState, reason string) {
	driver, _ := driverAndQueues(h.settings.Interface)
	return h.settings.WantsSuper(driver, h.pieces, netif.Pushes() == nil)
}

// untouched reports whether no other process has moved a frame through the sockets of an interface since Stop.
func (h *host) untouched() bool {
	return !slices.ContainsFunc(h.sockets, func(s *xsk.Socket) bool { return !s.Untouched() })
}

// fewerQueues returns in words, with the command, how the interface gets frames by its first n RX queues alone. A frame
// arrives at a veth by the RX queue with the number of the other end's TX queue. While a program is on a veth, the veth
// must have as many RX queues as the other end has TX queues, so the command is for the other end.
func (h *host) fewerQueues(n int) string {
	if h.owned.IsVeth() {
		return fmt.Sprintf("have the other end of the veth send by as many queues as there are sockets; type at that end: "+
			"ethtool -L IF tx %d", n)
	}
	return "have the interface use as many queues as there are sockets; type: " +
		ethtool.SteeringOf(h.settings.Interface).SetQueues(h.settings.Interface, n)
}

// queueCommands returns the commands by which frames arrive by the queues with a socket alone.
func (h *host) queueCommands(sockets attach.Queues) trouble.QueueCommands {
	name := h.settings.Interface
	return trouble.QueueCommands{
		Steer: netif.Steer(name, ethtool.SteeringOf(name), sockets, h.txQueue(), h.settings.OwnEtherTypes()...),
		Fewer: h.fewerQueues(len(sockets.List())),
	}
}
