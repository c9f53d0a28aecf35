package dataplane

import (
	"fmt"

	"uelink/dataplane/attach"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/trouble"
)

// checkQueues reopens the sockets, one for each RX queue, when the number of RX queues has changed. Where the
// settings choose the queues with sockets, it reports frames that arrive by other queues.
func (s survey) checkQueues() {
	total, err := s.port.host.owned.RxQueues()
	if err != nil {
		return
	}
	old := len(s.port.host.sockets)
	if s.port.settings.Queues.Empty() && total != old {
		if s.group.renew(s.port, func() error { return s.port.host.reopen(s.port.geometry()) }) {
			s.group.notify(s.port, model.NoticeQueues,
				fmt.Sprintf("the RX queues were changed from %d to %d (ethtool -L): the sockets are opened anew, one for each",
					old, total))
		}
		return
	}
	s.checkUncaught(total)
}

// checkUncaught reports a trouble while frames arrive by RX queues without a socket, and its end. total is the number
// of queues of the interface.
func (s survey) checkUncaught(total int) {
	if total <= len(s.port.host.sockets) {
		s.port.monitor.ResetQueues()
		return
	}
	counts, err := s.port.host.program.NoSocket()
	if err != nil {
		return
	}
	if sockets := s.port.host.queues(); s.port.monitor.CheckQueues(counts, sockets) {
		s.port.monitor.BeginQueues(total, sockets, s.port.host.queueCommands(sockets))
	}
	s.group.publishTroubles(s.port)
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
