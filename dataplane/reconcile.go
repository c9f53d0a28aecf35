package dataplane

import (
	"errors"
	"fmt"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/model"
	"uelink/dataplane/trouble"
	"uelink/internal/events"
	"uelink/wire"
)

// reconcile updates the ports of the xconnect or bridge to the present state of their interfaces: absent, back again,
// up, down, a new address or MTU. Then it gives or takes the carrier of hosts, restores push back, raises the MTU of
// links for their edges, and fits the MTU of created veths to the links.
func (g *group) reconcile() {
	for _, a := range edgesFirst(g.members) {
		g.reconcileMember(a)
		if err := g.manage(a); err != nil { // the interface has come back, and refuses its former MTU or state
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

// reconcileMember updates one port to the present state of its interface: absent, back again, up, down, a new name,
// address or MTU. It detaches a port whose interface has gone, attaches an interface that is back, and reopens sockets
// whose chunks are too small for the MTU.
func (g *group) reconcileMember(a *attachment) {
	nl, err := a.lookUp()
	if err != nil && !errors.As(err, new(netlink.LinkNotFoundError)) {
		g.beginTrouble(a, trouble.Query, fmt.Sprintf("the interface cannot be queried, the port stays unchanged: %v", err))
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
		g.beginTrouble(a, trouble.Absent, (&absentError{a.settings.Interface}).Error()+"; the daemon waits for the interface")
		return
	}
	if a.host == nil && !g.reopen(a) {
		return
	}
	if err != nil { // reopen has created the veth just now
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
		a.followName(g, nl.Attrs())
		g.follow(a, nl.Attrs())
	}
}

// reopen attaches an interface that is present again, and reports success. After a failure reconcile calls it
// again in each round.
func (g *group) reopen(a *attachment) bool {
	if err := g.attach(a); err != nil {
		g.fault(a, err)
		return false
	}
	a.lastErr = ""
	g.log.Info("the daemon has attached its XDP program and sockets to the interface", a.fields()...)
	return true
}

// follow passes the present address, carrier and MTU of an interface to the worker. The MTU of a link is passed by
// refit instead. follow publishes a change between up and down, and an MTU that somebody has lowered.
func (g *group) follow(a *attachment, attrs *netlink.LinkAttrs) {
	var mac wire.MAC
	if copy(mac[:], attrs.HardwareAddr); mac != a.host.mac {
		a.host.mac = mac
		g.worker.Do(func(now wire.Time) { g.domain.SetMAC(a.port, mac, now) })
	}
	attached := a.status.admin == model.AdminUnknown // the interface was attached just now, with push back
	a.status.switchedOn = attrs.RawFlags&unix.IFF_UP != 0
	if a.status.admin = model.AdminDown; a.status.switchedOn || a.takesCarrier() {
		a.status.admin = model.AdminUp
	}
	up := running(attrs)
	if up == a.status.up && attrs.MTU == a.host.mtu {
		return
	}
	if up != a.status.up {
		text := "down"
		if up {
			text = "up"
		}
		if up && !attached {
			a.push.retry = 0
			a.super.tryAgain()
		}
		g.emitOper(a, text)
	}
	if attrs.MTU < a.host.mtu && !attached && a.settings.Host == nil && !a.host.owned.SetsMTU(attrs.MTU) {
		a.lowering.record(g, a, attrs.MTU, time.Now())
	}
	a.status.up, a.host.mtu = up, attrs.MTU
	g.worker.Do(func(now wire.Time) { g.domain.SetUp(a.port, up, now) })
	if a.settings.Role != model.RoleLink {
		g.carry(a)
	}
}

// running reports whether an interface is up and has its carrier.
func running(attrs *netlink.LinkAttrs) bool {
	return attrs.RawFlags&unix.IFF_UP != 0 && attrs.RawFlags&unix.IFF_RUNNING != 0
}

// emitOper publishes an event about the operational status of a port: absent, down or up.
func (g *group) emitOper(a *attachment, text string) {
	level := events.Warning
	if text == "up" {
		level = events.Info
	}
	g.worker.Hub.PublishAt(level, a.settings.Name, model.EventOperStatus, text)
}

// manage gives the interface of a port the MTU and the state that a client of SAI has set, as far as they have changed
// since the last call. What the client has not set is as it was found. The kernel's end of a veth is not touched. An
// error leaves what could not be set as it was.
func (g *group) manage(a *attachment) error {
	if a.host == nil || a.host.managed.Managed == a.settings.Managed {
		return nil
	}
	if mtu := a.settings.Managed.MTU; mtu != a.host.managed.MTU {
		if err := a.host.managed.setMTU(g, a, mtu); err != nil {
			return err
		}
		a.host.managed.MTU = mtu
	}
	if state := a.settings.Managed.Admin; state != a.host.managed.Admin {
		if err := a.host.managed.setState(a, state); err != nil {
			return err
		}
		a.host.managed.Admin = state
	}
	g.reconcileMember(a)
	return nil
}

// forwardLoss gives or takes the carrier of the hosts behind the edges of a group, by the state of the xconnect's
// link. A group that does not forward the loss of a link gives every carrier back.
func (g *group) forwardLoss() {
	for _, a := range g.members {
		switch {
		case a.settings.Managed.Admin == model.AdminDown: // the carrier is off by the administrative state
		case a.settings.Role != model.RoleEdge || a.host == nil || a.pushWaits: // pushWaits: another process serves the edge
		case g.linkLoss == model.LinkLossForward:
			a.carrier.follow(g, a)
		default:
			if a.carrier.taken = false; a.host.owned.TakesCarrier() {
				a.carrier.give(g, a, "the host has its carrier again: the loss of the link is not forwarded any more")
			}
		}
	}
}
