package dataplane

import (
	"fmt"

	"uelink/dataplane/attach"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/trouble"
)

// surveyQueues reopens the sockets, one for each RX queue, when the number of RX queues has changed. Where the
// settings choose the queues with sockets, it reports frames that arrive by other queues.
func (g *group) surveyQueues(a *attachment) {
	total, err := a.host.owned.RxQueues()
	if err != nil {
		return
	}
	old := len(a.host.sockets)
	if a.settings.Queues.Empty() && total != old {
		if g.renew(a, func() error { return a.host.reopen(a.geometry()) }) {
			g.notify(a, model.NoticeQueues, fmt.Sprintf("the RX queues were changed from %d to %d (ethtool -L): the sockets "+
				"are opened anew, one for each", old, total))
		}
		return
	}
	g.surveyUncaught(a, total)
}

// surveyUncaught reports a trouble while frames arrive by RX queues without a socket, and its end. total is the number
// of queues of the interface.
func (g *group) surveyUncaught(a *attachment, total int) {
	if total <= len(a.host.sockets) {
		a.monitor.ResetQueues()
		return
	}
	counts, err := a.host.program.NoSocket()
	if err != nil {
		return
	}
	if sockets := a.host.queues(); a.monitor.CheckQueues(counts, sockets) {
		a.monitor.BeginQueues(total, sockets, a.host.queueCommands(sockets))
	}
	g.publishTroubles(a)
}

// fewerQueues returns in words, with the command, how the interface gets frames by its first n RX queues alone. A veth
// gets them by the TX queues of its other end, and has to have as many RX queues as these while a program is on it.
func (h *host) fewerQueues(n int) string {
	if h.owned.IsVeth() {
		return fmt.Sprintf("have the other end of the veth send by no more queues than that: ethtool -L IF tx %d there", n)
	}
	return "have the interface use no more queues; type: " + ethtool.SteeringOf(h.settings.Interface).SetQueues(
		h.settings.Interface, n)
}

// queueCommands returns the commands by which frames arrive by the queues with a socket alone.
func (h *host) queueCommands(sockets attach.Queues) trouble.QueueCommands {
	name := h.settings.Interface
	return trouble.QueueCommands{
		Steer: netif.Steer(name, ethtool.SteeringOf(name), sockets, h.txQueue(), h.settings.OwnEtherTypes()...),
		Fewer: h.fewerQueues(len(sockets.List())),
	}
}
