package dataplane

import (
	"math"
	"time"

	"go.uber.org/zap"

	"uelink/dataplane/model"
	"uelink/wire"
)

// Leave announces to the partners of all links that this daemon is about to end, so that they hold back frames, and
// pauses hosts behind edge ports that obey PFC. It opens the queues that SAI has stopped, so that their frames leave.
// It also ends the intake of edge ports: frames that hosts send from now on go to the kernel, and frames already in RX
// rings are still forwarded.
func (d *Dataplane) Leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left {
		return
	}
	d.left = true
	for _, g := range d.groups {
		for _, a := range g.members {
			a.super.end(g, a)
		}
	}
	pauses := false
	for _, g := range d.groups {
		g.worker.Do(func(now wire.Time) {
			g.domain.Leave(now)
			g.domain.OpenQueues()
			pauses = pauses || g.domain.Pauses()
		})
	}
	if pauses {
		time.Sleep(pauseTakes)
	}
	for _, g := range d.groups {
		for _, a := range g.members {
			if a.settings.Role == model.RoleEdge && a.host != nil {
				g.endIntake(a)
			}
		}
	}
}

// pauseTakes is how long the hosts of edges with PFC have to stop: the frames that they send meanwhile are still taken.
const pauseTakes = 2 * time.Millisecond

// Drain calls Leave and waits, for at most DrainTimeout, until LLR at both ends holds no frame any more. It reports
// whether every frame was delivered. Close of the data plane ends the wait.
func (d *Dataplane) Drain() bool {
	d.Leave()
	d.mu.Lock()
	timeout := d.settings.DrainTimeout
	d.mu.Unlock()
	taken := uint64(math.MaxUint64)
	for end := time.Now().Add(timeout); ; time.Sleep(drainPoll) {
		left, now := d.countHeld()
		if left == 0 && now == taken { // a whole interval passed, and the edges' RX rings had no frame
			return true
		}
		if taken = now; time.Now().After(end) {
			return false
		}
	}
}

// drainPoll is the interval at which Drain checks for frames still held.
const drainPoll = 2 * time.Millisecond

// countHeld returns n, the number of waiting or unacknowledged frames plus the partners that have not yet stopped
// sending, and taken, the number of frames received by the edges in all.
func (d *Dataplane) countHeld() (n int, taken uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, g := range d.groups {
		g.worker.Do(func(now wire.Time) {
			n += g.domain.Held() + g.domain.Awaited(now)
			for _, p := range g.domain.Edges {
				taken += p.Counters.RxFrames
			}
		})
	}
	return n, taken
}

// endIntake ends the intake of an edge port: frames that arrive from now on go to the kernel, and diverted counts
// them.
func (g *group) endIntake(a *attachment) {
	g.divert(a)
	a.counts.closed, a.counts.untaken = true, a.noSocket()
}

// divert makes the XDP program of an edge pass every further frame of the host to the kernel. If that fails, the domain
// stops its intake instead, and the frames in the RX rings stay there.
func (g *group) divert(a *attachment) {
	if err := a.host.owned.Divert(); err != nil {
		g.log.Warn("frames that the host sends from now on are lost: they cannot be passed to the kernel",
			a.fields(zap.Error(err))...)
		g.worker.Do(func(wire.Time) { g.domain.Draining = true })
	}
}

// logUntaken logs, for an edge port of a daemon that ends, how many frames are left in the RX rings, and how many
// went to the kernel after endIntake. For link ports it logs nothing: such frames are unacknowledged, and the
// partner's LLR sends them again.
func (g *group) logUntaken(a *attachment) {
	if a.host == nil || a.settings.Role != model.RoleEdge {
		return
	}
	left := 0
	g.worker.Do(func(wire.Time) { left = a.port.Untaken() })
	if left > 0 {
		g.log.Warn("the last frames that the host sent are lost: the daemon ended before it forwarded them",
			a.fields(zap.Int("frames", left))...)
	}
	if n := a.diverted(); n > 0 {
		g.log.Warn("frames that the host sent while the daemon ended went to the kernel, and not across the link",
			a.fields(zap.Uint64("frames", n))...)
	}
}
