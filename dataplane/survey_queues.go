package dataplane

import (
	"fmt"

	"uelink/dataplane/model"
)

// checkQueues reopens the sockets, one for each RX queue, when the number of RX queues has changed. Where the
// settings choose the queues with sockets, it reports frames that arrive by other queues.
func (s survey) checkQueues() {
	total, err := s.member.host.owned.RxQueues()
	if err != nil {
		return
	}
	old := len(s.member.host.sockets)
	if s.member.settings.Queues.Empty() && total != old {
		if s.group.renew(s.member, func() error { return s.member.host.reopen(s.member.geometry()) }) {
			s.group.notify(s.member, model.NoticeQueues,
				fmt.Sprintf("the RX queues were changed from %d to %d (ethtool -L): the sockets are reopened, one for each queue",
					old, total))
		}
		return
	}
	s.checkUncaught(total)
}

// checkUncaught reports a trouble while frames arrive by RX queues without a socket, and its end. total is the number
// of queues of the interface.
func (s survey) checkUncaught(total int) {
	if total <= len(s.member.host.sockets) {
		s.member.monitor.ResetQueues()
		return
	}
	counts, err := s.member.host.program.NoSocket()
	if err != nil {
		return
	}
	if sockets := s.member.host.queues(); s.member.monitor.CheckQueues(counts, sockets) {
		s.member.monitor.BeginQueues(total, sockets, s.member.host.queueCommands(sockets))
	}
	s.group.publishTroubles(s.member)
}
