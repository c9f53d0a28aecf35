package dataplane

import (
	"fmt"

	"uelink/dataplane/model"
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
