package dataplane

import (
	"errors"
	"fmt"
	"time"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/dataplane/frame"
	"uelink/dataplane/netif"
)

// renew reopens the sockets of an interface. Frames held by LLR and frames waiting to leave by the port survive, and
// frames received meanwhile are caught. After an error of open the interface is released, and reconcile attaches it
// again.
func (g *group) renew(a *attachment, open func() error) bool {
	if err := g.openAnew(a, open); err != nil {
		g.fault(a, err)
		return false
	}
	return true
}

// openAnew is renew, and returns the error of open.
func (g *group) openAnew(a *attachment, open func() error) error {
	shown := a.noSocket()
	g.hold(a)
	g.empty(a)
	c, err := a.host.beginCatch()
	if err != nil {
		g.log.Warn("what comes while the sockets are opened anew is lost", a.fields(zap.Error(err))...)
	}
	kicks := uint64(0)
	g.worker.do(func(now int64) {
		c.frames = g.domain.suspend(a.port, now)
		kicks, a.host.heldMTU = a.host.kicks(), max(0, a.port.slots.longestKept()-netif.Slack)
		g.worker.watchDevices()
	})
	a.kicked -= kicks
	program, counted := a.host.program, a.noSocket()
	err = open()
	if a.host.program != program { // the new program's counters start at 0
		a.unsocketed = -counted
	}
	n, missed := c.end(&a.host.settings)
	if err != nil {
		g.worker.do(func(int64) { a.port.counters.RxDropDetached += uint64(len(c.frames)) })
		g.detach(a)
		return err
	}
	a.host.heldMTU = 0
	a.lostWithout(shown, n, missed)
	g.use(a, c.frames)
	g.goOn(a)
	g.settle(a)
	g.log.Info("sockets opened anew", a.fields(zap.Uint64("frames_caught", n), zap.Uint64("frames_missed", missed))...)
	return nil
}

// noSocket returns how many frames of a port have found no socket, and were lost.
func (a *attachment) noSocket() uint64 {
	if c, err := a.host.program.Counters(); err == nil {
		return c.NoSocket - a.unsocketed
	}
	return 0
}

// lostWithout counts the frames lost while the sockets of a port were reopened: before is the number lost until then, n
// the number caught, missed the number for which the packet socket had no room.
func (a *attachment) lostWithout(before, n, missed uint64) {
	came := a.noSocket() - before
	a.unsocketed += came - max(came-min(n, came), missed)
}

// hold makes a link tell its partner to wait: for 100 ms the partner neither replays nor gives up unacknowledged
// frames.
func (g *group) hold(a *attachment) {
	if a.port.link != nil {
		g.worker.do(func(int64) { a.port.link.holding = true })
	}
}

// goOn ends hold.
func (g *group) goOn(a *attachment) {
	if a.port.link != nil {
		g.worker.do(func(int64) { a.port.link.holding = false })
	}
}

// emptyFor bounds the wait for posted frames to leave.
const emptyFor = 20 * time.Millisecond

// empty stops posting by a port, and waits until all posted frames have left, because closing a socket discards its
// posted frames.
func (g *group) empty(a *attachment) {
	for end := time.Now().Add(emptyFor); ; time.Sleep(emptyFor / 100) {
		posted := 0
		g.worker.do(func(int64) {
			a.port.suspended = true
			posted = a.port.slots.posted
		})
		if posted == 0 || time.Now().After(end) {
			return
		}
	}
}

// settle tells the worker the carrier of an interface whose sockets were reopened.
func (g *group) settle(a *attachment) {
	nl, err := netlink.LinkByIndex(a.host.ifindex)
	a.up = err == nil && running(nl.Attrs())
	g.worker.do(func(now int64) { g.domain.setUp(a.port, a.up, now) })
}

// fitAnew sets an MTU that the driver has refused under an XDP program: it detaches the program, sets the MTU and
// attaches the program again. It tries each MTU once, because some NICs are away for seconds while a program comes or
// goes. It reports whether the interface has the MTU now.
func (g *group) fitAnew(a *attachment, need int, why error) bool {
	if !refusedByDriver(why) || a.refused == need {
		return false
	}
	a.refused = need
	var still error
	taken := g.renew(a, func() (err error) {
		still, err = a.host.fitMTUAnew(need, a.geometry())
		return err
	})
	switch {
	case !taken:
		return false
	case still != nil:
		g.fault(a, fmt.Errorf("%w (also refused without an XDP program on the interface)", still))
		return false
	}
	a.refused = 0
	g.notice(a, NoticeMTU, fmt.Sprintf("the driver refuses an MTU of %d while an XDP program is on the interface: "+
		"the program was taken off for a moment to set it", need))
	return true
}

// refusedByDriver tells whether an error of setting the MTU may be about the XDP program.
func refusedByDriver(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EBUSY) || errors.Is(err, unix.EOPNOTSUPP)
}

// fitMTUAnew is fitMTU without a program on the interface, and attaches the program afterwards; g is as in openHost.
// After the error still the previous MTU holds and all else works. After err the host can only be closed.
func (h *host) fitMTUAnew(need int, g frame.Geometry) (still, err error) {
	h.keepStats()
	if err := h.owned.Detach(); err != nil {
		return nil, h.denied(err)
	}
	h.closeDevices()
	still = h.fitMTU(need)
	if h.mtu > netif.FitsPieces(h.chunk, h.pieces) { // never smaller chunks: LLR may hold frames as long as before
		if err := h.chooseChunk(0); err != nil {
			return still, err
		}
	}
	if err := h.take(g); err != nil {
		return still, err
	}
	h.tap()
	return still, nil
}

// reopen reopens the sockets with the chosen chunks, one socket for each present RX queue. The program and all other
// changes stay on the interface. The worker must have released the devices; afterwards there are new devices. After an
// error the host can only be closed.
func (h *host) reopen(g frame.Geometry) error {
	h.keepStats()
	err := h.owned.ReopenSockets(*h.socketsOf(g))
	h.closeDevices()
	if err != nil {
		return h.denied(err)
	}
	h.sockets = h.owned.Sockets()
	h.noteChoice()
	h.tap()
	return nil
}
