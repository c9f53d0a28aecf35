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
	"uelink/dataplane/trouble"
	"uelink/internal/events"
	"uelink/wire"
)

// reconcile updates the ports of the xconnect or bridge to the present state of their interfaces: absent, back
// again, up, down, a new address or MTU.
func (g *group) reconcile() {
	for _, a := range edgesFirst(g.members) {
		g.reconcileMember(a)
		if err := g.manage(a); err != nil { // the interface has come back, and cannot have what it had
			g.fault(a, err)
		}
	}
	g.forwardLoss()
	for _, a := range g.members {
		a.push.follow(g, a)
		switch {
		case a.settings.Role == model.RoleLink:
			g.refit(a)
		case a.settings.Host != nil:
			a.veth.fit(g, a)
		}
	}
}

// reconcileMember updates one port to the present state of its interface: absent, back again, up, down, a new
// address or MTU.
func (g *group) reconcileMember(a *attachment) {
	nl, err := a.lookUp()
	if err != nil && !errors.As(err, new(netlink.LinkNotFoundError)) {
		g.beginTrouble(a, trouble.Query, fmt.Sprintf("the interface cannot be queried, its port stays unchanged: %v", err))
		return
	}
	a.monitor.Set(trouble.Query, "")
	if err == nil {
		a.monitor.Set(trouble.Absent, "")
	}
	if a.host != nil && (err != nil || nl.Attrs().Index != a.host.ifindex) {
		g.log.Warn("the interface has gone", a.fields()...)
		g.detach(a)
		a.ifindex = 0
		g.emitOper(a, "absent")
	}
	if err != nil && a.settings.Host == nil {
		g.beginTrouble(a, trouble.Absent, (&absentError{a.settings.Interface}).Error()+"; it is waited for")
		return
	}
	if a.host == nil && !g.reopen(a) {
		return
	}
	if err != nil { // the veth was created just now
		if nl, err = netlink.LinkByIndex(a.host.ifindex); err != nil {
			return
		}
	}
	if g.enlarge(a, nl.Attrs().MTU) {
		if nl, err = netlink.LinkByIndex(a.host.ifindex); err != nil {
			return // the interface is going; the next round handles that
		}
	}
	if a.host != nil {
		g.followName(a, nl.Attrs())
		g.follow(a, nl.Attrs())
	}
}

// fields returns the log fields of a port: the name, the interface, and more.
func (a *attachment) fields(more ...zap.Field) []zap.Field {
	return append(more, zap.String("port", a.settings.Name), zap.String("interface", a.settings.Interface))
}

// reopen attaches an interface that is present again, and reports success. After a failure reconcile calls it
// again in each round.
func (g *group) reopen(a *attachment) bool {
	if err := g.attach(a); err != nil {
		g.fault(a, err)
		return false
	}
	a.lastErr = ""
	g.log.Info("the interface is attached", a.fields()...)
	return true
}

// follow passes the present address, carrier and MTU of an interface to the worker. The MTU of a link is passed by
// refit instead.
func (g *group) follow(a *attachment, attrs *netlink.LinkAttrs) {
	var mac wire.MAC
	if copy(mac[:], attrs.HardwareAddr); mac != a.host.mac {
		a.host.mac = mac
		g.worker.Do(func(now wire.Time) { g.domain.SetMAC(a.port, mac, now) })
	}
	attached := a.admin == model.AdminUnknown // just now, and push back was tried
	a.switchedOn = attrs.RawFlags&unix.IFF_UP != 0
	if a.admin = model.AdminDown; a.switchedOn || a.takesCarrier() {
		a.admin = model.AdminUp
	}
	up := running(attrs)
	if up == a.up && attrs.MTU == a.host.mtu {
		return
	}
	if up != a.up {
		text := "down"
		if up {
			text = "up"
		}
		if up && !attached {
			a.push.retry = 0
			a.super.trySuper()
		}
		g.emitOper(a, text)
	}
	if attrs.MTU < a.host.mtu && !attached && a.settings.Host == nil && !a.host.owned.SetsMTU(attrs.MTU) {
		a.lowering.record(g, a, attrs.MTU, time.Now())
	}
	a.up, a.host.mtu = up, attrs.MTU
	g.worker.Do(func(now wire.Time) { g.domain.SetUp(a.port, up, now) })
	if a.settings.Role != model.RoleLink {
		g.carry(a)
	}
}

// carry passes the MTU of a port's interface to the worker, if the MTU has changed since the last call.
func (g *group) carry(a *attachment) {
	if mtu := a.host.mtu; mtu != a.carried {
		a.carried = mtu
		g.worker.Do(func(wire.Time) {
			g.domain.SetMTU(a.port, mtu)
			if a.host.super != nil {
				a.host.super.SetLongest(mtu + netif.Slack)
			}
		})
		if a.push.is == model.PushOn {
			a.push.checkHostEnd(g, a)
		}
	}
}

// running reports whether an interface is up and has its carrier.
func running(attrs *netlink.LinkAttrs) bool {
	return attrs.RawFlags&unix.IFF_UP != 0 && attrs.RawFlags&unix.IFF_RUNNING != 0
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
// the link.
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
		return // surveyMTU reports it
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

// fault records err as the present error of a port, and publishes it as an event. If the text is the same as that of
// the port's previous error, it does nothing.
func (g *group) fault(a *attachment, err error) {
	if err.Error() == a.lastErr {
		return
	}
	a.lastErr = err.Error()
	g.worker.Hub.Publish(a.settings.Name, model.EventError, a.lastErr)
}

// emitOper publishes an event about the operational status of a port: absent, down or up.
func (g *group) emitOper(a *attachment, text string) {
	level := events.Warning
	if text == "up" {
		level = events.Info
	}
	g.worker.Hub.PublishAt(level, a.settings.Name, model.EventOperStatus, text)
}
