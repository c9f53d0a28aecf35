package dataplane

import (
	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/wire"
)

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

// pairMTU returns the largest MTU whose frames every link of the xconnect or bridge carries; 0 if no link is
// attached.
func (g *group) pairMTU() (mtu int) {
	for _, m := range g.members {
		if m.settings.Role != model.RoleLink {
			continue
		}
		nl, err := netlink.LinkByName(m.ifname())
		if err != nil {
			continue // the interface is absent
		}
		if carries := nl.Attrs().MTU - m.settings.Overhead(); mtu == 0 || carries < mtu {
			mtu = carries
		}
	}
	return mtu
}

// carryTagRoom passes to the worker how many octets of the MTU of an edge are room for a second VLAN tag.
func (g *group) carryTagRoom(a *attachment, octets int) {
	g.worker.Do(func(wire.Time) { g.domain.SetTagRoom(a.port, octets) })
}

// enlarge reopens the sockets of an interface with larger chunks if the MTU has outgrown the present chunks. It reports
// whether the sockets were reopened. If the MTU is too large for any chunk nothing changes: longer frames are dropped.
func (g *group) enlarge(a *attachment, mtu int) bool {
	if a.host == nil || !a.host.outgrown(mtu) {
		return false
	}
	g.log.Info("the chunks are too small for the new MTU: the sockets are reopened", a.fields(zap.Int("mtu", mtu))...)
	return g.renew(a, func() error { return a.host.enlarge(mtu, a.geometry()) })
}

// refit raises the MTU of a link if it is too small for an edge, and passes the resulting MTU to the worker. The worker
// never sees an MTU that somebody lowered and refit raised at once, so no frame is dropped.
func (g *group) refit(a *attachment) {
	if a.host == nil {
		return
	}
	g.raise(a)
	if a.host != nil {
		g.carry(a)
	}
}

// raise raises the MTU of a link when an edge needs more: the MTU of the edge has grown, or the edge came back after
// the link. If the driver refuses, fitAnew tries without an XDP program, and a failure becomes a fault of the port.
func (g *group) raise(a *attachment) {
	need := g.need(a)
	if need == 0 || a.host.leavesMTU() {
		return
	}
	if a.host.mtu >= need {
		a.lastErr = ""
		return
	}
	if a.settings.MTU == model.MTUCheck {
		return // survey.checkMTU reports that the MTU is too small
	}
	if _, err := netlink.LinkByIndex(a.host.ifindex); err != nil {
		return // the interface is going; the next round handles that
	}
	if err := a.host.fitMTU(need); err != nil && !g.fitAnew(a, need, err) {
		if a.host != nil && a.refused != need {
			g.fault(a, err)
		}
	}
}

// carry passes the MTU of a port's interface to the worker, if the MTU has changed since the last call. Super-frames
// and push back get the new length, too.
func (g *group) carry(a *attachment) {
	if mtu := a.host.mtu; mtu != a.carried {
		a.carried = mtu
		g.worker.Do(func(wire.Time) {
			g.domain.SetMTU(a.port, mtu)
			if a.host.super != nil {
				a.host.super.SetLongest(mtu + netif.Slack)
			}
		})
		if a.push.state == model.PushOn {
			a.push.checkHostEnd(g, a)
		}
	}
}
