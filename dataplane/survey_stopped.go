package dataplane

import (
	"fmt"

	"uelink/dataplane/attach"
	"uelink/dataplane/trouble"
	"uelink/wire"
)

// checkTraffic restarts the NIC of a port if it sends nothing, or receives nothing, and its driver is known to
// need a restart. The kernel's watchdog checks only full TX queues, which a link seldom has because of its window, and
// does not check zero copy.
func (s survey) checkTraffic() {
	if !s.member.host.stopsOnReset {
		return
	}
	if !s.member.status.up { // no frame can leave or arrive
		s.member.monitor.ResetTraffic()
		return
	}
	var t trouble.Traffic
	s.group.worker.Do(func(now wire.Time) {
		t.Waiting = s.member.port.Slots.Posted
		t.Departed = s.member.port.Counters.TxFrames - uint64(t.Waiting)
		if l := s.member.port.Link; l != nil {
			t.Speaks, t.Silence = l.Partner.SendsStation(), now.Sub(l.Heard)
		}
	})
	if cause := s.member.monitor.CheckTraffic(t); cause != "" {
		action, err := s.member.host.restartNIC()
		s.member.monitor.Restarted(cause, action, err)
	}
	s.group.publishTroubles(s.member)
}

// restartNIC makes the driver restart the NIC, and returns in words how: a driver with XDP restarts for a program,
// any other when the interface goes down and up. An interface that the host uses is not set down, which would take
// its addresses and routes: that is an error.
func (h *host) restartNIC() (action string, err error) {
	if h.program.Mode() != attach.ModeGeneric {
		return "The XDP program was attached again", h.program.Reattach()
	}
	use, err := h.owned.Use()
	if err != nil {
		return "", err
	}
	if use.Any() {
		return "", fmt.Errorf("the host uses the interface (%v); when its connections may break, type: "+
			"ip link set dev %[2]s down && ip link set dev %[2]s up", use, h.settings.Interface)
	}
	return "The daemon has set the interface down and up", h.owned.DownUp()
}
