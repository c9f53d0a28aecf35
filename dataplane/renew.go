package dataplane

import (
	"errors"
	"fmt"
	"time"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/wire"
)

// renew reopens the sockets of an interface by calling open, and reports success. Frames held by LLR and frames
// waiting to leave by the port survive. A packet socket catches frames that arrive while the sockets are closed.
// After an error of open the interface is released, and reconcile attaches it again.
func (g *group) renew(a *attachment, open func() error) bool {
	if err := g.openAnew(a, open); err != nil {
		g.fault(a, err)
		return false
	}
	return true
}

// openAnew reopens the sockets of an interface as renew does, and returns the error of open. The order of the steps
// keeps each frame in one place: in a ring, in the packet socket, or copied.
func (g *group) openAnew(a *attachment, open func() error) error {
	a.super.end(g, a)             // first, while the sockets are open: the frames of the packet socket lie in their memory
	lost := a.noSocket()          // before the program passes frames to the packet socket, and counts them as lost
	g.hold(a)                     // before frames wait, or the partner takes the silence for a loss and replays
	g.empty(a)                    // before the sockets close, which discards posted frames
	c, err := a.host.beginCatch() // before the worker empties the RX rings: from now on no frame goes there
	if err != nil {
		g.log.Warn("frames that arrive while the sockets are reopened are lost", a.fields(zap.Error(err))...)
	}
	a.push.pause(g, a) // after beginCatch: the frames that the host has sent already are caught
	kicks := uint64(0)
	g.worker.Do(func(now wire.Time) {
		// In one command: between two rounds the worker must not use devices that Suspend has emptied.
		c.frames = g.domain.Suspend(a.port, now)
		kicks, a.host.heldMTU = a.host.kicks(), max(0, a.port.Slots.LongestKept()-netif.Slack)
		g.worker.WatchDevices()
	})
	a.super.drop(g, a)       // after Suspend: the worker no longer uses this device
	a.counts.kicked -= kicks // the new sockets count from 0
	program, counted := a.host.program, a.noSocket()
	err = open()
	if a.host.program != program { // the new program's counters start at 0
		a.counts.unsocketed = -counted
	}
	n, missed := c.end(&a.host.settings) // after open: until the new sockets have frames, the packet socket does
	if err != nil {
		g.worker.Do(func(wire.Time) { a.port.Counters.RxDropDetached += uint64(len(c.frames)) })
		g.detach(a)
		return err
	}
	a.host.heldMTU = 0 // the new sockets have chunks long enough for the held frames
	a.correctLost(lost, n, missed)
	g.use(a, c.frames)  // caught frames first: they are older than those in the new RX rings
	g.endHold(a)        // after use: the partner sends at once, and the sockets must take the frames
	g.updateCarrier(a)  // ends the port's suspension, so after use: the link has its sockets then
	a.push.start(g, a)  // after use, which gives the worker the sockets that the pumps fill
	a.super.start(g, a) // after push back, which excludes super-frames
	g.log.Info("sockets reopened", a.fields(zap.Uint64("frames_caught", n), zap.Uint64("frames_missed", missed))...)
	return nil
}

// hold makes a link, whose sockets are about to be reopened, announce to its partner that it accepts no frames:
// for 100 ms the partner neither replays nor gives up unacknowledged frames.
func (g *group) hold(a *attachment) {
	if a.port.Link != nil {
		g.worker.Do(func(wire.Time) { a.port.Link.Hold(true) })
	}
}

// endHold ends the announcement of hold: the link no longer tells its partner to wait.
func (g *group) endHold(a *attachment) {
	if a.port.Link != nil {
		g.worker.Do(func(wire.Time) { a.port.Link.Hold(false) })
	}
}

// emptyFor is the longest wait of empty for posted frames to leave.
const emptyFor = 20 * time.Millisecond

// empty suspends sending by a port, and waits until all posted frames have left, at most emptyFor: closing a socket
// discards the posted frames.
func (g *group) empty(a *attachment) {
	for end := time.Now().Add(emptyFor); ; time.Sleep(emptyFor / 100) {
		posted := 0
		g.worker.Do(func(wire.Time) {
			a.port.Suspended = true
			posted = a.port.Slots.Posted
		})
		if posted == 0 || time.Now().After(end) {
			return
		}
	}
}

// updateCarrier reads the carrier of an interface whose sockets were reopened, and passes it to the worker.
func (g *group) updateCarrier(a *attachment) {
	nl, err := netlink.LinkByIndex(a.host.ifindex)
	a.status.up = err == nil && running(nl.Attrs())
	g.worker.Do(func(now wire.Time) { g.domain.SetUp(a.port, a.status.up, now) })
}

// fitAnew sets the MTU need, which the driver has refused with the error cause under an XDP program: it detaches the
// program, sets the MTU and attaches the program again. It tries each MTU once, because some NICs lose their carrier
// for seconds when a program is attached or detached. It reports whether the interface has the MTU now.
func (g *group) fitAnew(a *attachment, need int, cause error) bool {
	if !refusedByDriver(cause) || a.refused == need {
		return false
	}
	a.refused = need
	var mtuErr error
	taken := g.renew(a, func() (err error) {
		mtuErr, err = a.host.fitMTUAnew(need, a.geometry())
		return err
	})
	switch {
	case !taken:
		return false
	case mtuErr != nil:
		g.fault(a, fmt.Errorf("%w (also refused without an XDP program on the interface)", mtuErr))
		return false
	}
	a.refused = 0
	g.notify(a, model.NoticeMTU, fmt.Sprintf("the driver refuses an MTU of %d while an XDP program is on the interface: "+
		"the program was taken off for a moment to set it", need))
	return true
}

// refusedByDriver reports whether the driver may have refused an MTU because of the XDP program; err is the error of
// setting the MTU.
func refusedByDriver(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EBUSY) || errors.Is(err, unix.EOPNOTSUPP)
}
