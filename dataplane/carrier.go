package dataplane

import (
	"fmt"

	"uelink/dataplane/model"
	"uelink/dataplane/path"
	"uelink/dataplane/trouble"
	"uelink/wire"
)

// An xconnect with link_loss: forward shows the loss of its link to the host of its edge: the edge's interface is set
// down, which takes the carrier of the host's end away, and set up when the link is back.

// begin records whether the carrier of an edge's host is off now, when the interface is attached for the first time or
// taken over: another process, perhaps a killed one, may have taken the carrier just before.
func (c *hostCarrier) begin(g *group, a *attachment) {
	if *c == (hostCarrier{}) {
		g.worker.Do(func(now wire.Time) { *c = hostCarrier{taken: a.host.owned.TakesCarrier(), takenAt: now} })
	}
}

// follow gives or takes the carrier of the host behind the edge of an xconnect, by the presence of the link's partner,
// and reports that as the trouble LinkLoss. If somebody has set the interface up against that, it stays up.
func (c *hostCarrier) follow(g *group, a *attachment) {
	var presence path.Presence
	cause, now := "", wire.Time(0)
	g.worker.Do(func(at wire.Time) {
		now = at
		presence, cause = a.port.Other.Presence(now)
	})
	link, down := a.port.Other.Name(), a.host.owned.TakesCarrier()
	if down && a.status.switchedOn {
		c.overrule()
		c.give(g, a, fmt.Sprintf("somebody has set %s up: the host keeps its carrier although %s is lost, until "+
			"%[2]s is lost the next time", a.settings.Interface, link))
		down = false
	}
	switch taken := c.update(presence, g.linkLossDelay, now); {
	case taken && down:
		a.monitor.Set(trouble.LinkLoss, noCarrierText(link, cause))
	case taken && a.status.switchedOn: // else somebody has set the interface down, and may set it up
		c.take(g, a, noCarrierText(link, cause))
	case down:
		c.give(g, a, link+" is back: the host has its carrier again")
	default:
		a.monitor.Set(trouble.LinkLoss, "")
	}
}

// noCarrierText says in words why a host has no carrier: the link is lost, by cause.
func noCarrierText(link, cause string) string {
	return fmt.Sprintf("the host has no carrier, because %s is lost: %s (link_loss: forward)", link, cause)
}

// take takes the carrier of the host behind an edge; text is the reason. An error is retried in the next round.
func (c *hostCarrier) take(g *group, a *attachment, text string) {
	end, unknown := a.host.owned.HostEnd().State()
	if err := a.host.owned.TakeCarrier(); err != nil {
		g.beginTrouble(a, trouble.LinkLoss,
			"the host's carrier cannot be switched off, although the link is lost (link_loss: forward): "+err.Error())
		return
	}
	a.status.switchedOn = false
	g.beginTrouble(a, trouble.LinkLoss, text)
	if unknown == nil && end.Backlog > 0 {
		g.notify(a, model.NoticeCarrier, fmt.Sprintf("the kernel drops %d frames that waited in the queueing discipline "+
			"of %s, because the carrier of %[2]s is off", end.Backlog, end.Name))
	}
	g.reconcileMember(a)
}

// give gives the host behind an edge its carrier back, and reports text.
func (c *hostCarrier) give(g *group, a *attachment, text string) {
	if err := a.host.owned.GiveCarrier(); err != nil {
		g.beginTrouble(a, trouble.LinkLoss, "the host's carrier cannot be switched on again: "+err.Error())
		return
	}
	g.endTrouble(a, trouble.LinkLoss, text)
	g.reconcileMember(a)
}
