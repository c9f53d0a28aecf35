package dataplane

import (
	"fmt"
	"time"

	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/wire"
)

// stillLooks is the number of checks in a row, one a second, without a departed frame before a NIC is restarted. The
// kernel restarts NICs too, for its own frames after 5 s or more, and comes first where it notices.
const stillLooks = 8

// departures checks whether frames passed to a NIC leave the NIC.
type departures struct {
	gone  uint64 // frames departed until the last check
	looks int    // checks in a row without a departure although frames wait
	anew  bool   // the NIC was restarted for that
}

// look records how many frames wait to leave and how many have left so far (gone). It returns true if the NIC sends
// nothing and must be restarted: once, until a frame has left.
func (d *departures) look(waiting int, gone uint64) (stands bool) {
	if waiting == 0 || gone != d.gone {
		*d = departures{gone: gone}
		return false
	}
	d.looks++
	if d.anew || d.looks < stillLooks {
		return false
	}
	d.anew = true
	return true
}

// deafAfter is the silence of a partner that sends each second after which the NIC is restarted. deafAfter is longer
// than the restart of the partner's NIC: 5 s, and up to 11 s after a reset.
const deafAfter = 15 * time.Second

// hearing checks whether a NIC still receives a partner that sends each second (STATION).
type hearing struct{ spoke bool }

// look records whether the partner is known to send (speaks), and for how long nothing was received. It returns true
// if the NIC seems to receive nothing and must be restarted: once, until a frame of the partner arrives again.
func (h *hearing) look(speaks bool, silence time.Duration) (deaf bool) {
	if silence < deafAfter {
		h.spoke = h.spoke || speaks
		return false
	}
	deaf, h.spoke = h.spoke, false
	return deaf
}

// surveyStopped restarts the NIC of a port if it sends nothing, or receives nothing, and its driver is known to
// need a restart. The kernel's watchdog checks only full TX queues, which a link with its window seldom has, and
// no zero copy.
func (g *group) surveyStopped(a *attachment) {
	if !a.host.stopsOnReset {
		return
	}
	if !a.up { // no frame can leave or arrive
		a.departures.looks, a.hearing.spoke = 0, false
		return
	}
	waiting, gone := 0, uint64(0)
	speaks, silence := false, time.Duration(0)
	g.worker.Do(func(now wire.Time) {
		waiting = a.port.Slots.Posted
		gone = a.port.Counters.TxFrames - uint64(waiting)
		if l := a.port.Link; l != nil {
			speaks, silence = l.Partner.SendsStation(), now.Sub(l.Heard)
		}
	})
	stands, deaf := a.departures.look(waiting, gone), a.hearing.look(speaks, silence)
	var seen string
	switch {
	case stands:
		seen = fmt.Sprintf("%d frames wait in the NIC, and none has left it for %d s: was it reset?", waiting, stillLooks)
	case deaf:
		seen = fmt.Sprintf("The NIC has heard nothing for %v, and the partner speaks each second: was the NIC reset, "+
			"or is the partner gone?", deafAfter)
	default:
		return
	}
	did, err := a.host.startAnew()
	if err != nil {
		g.notice(a, model.NoticeNIC, fmt.Sprintf("%s It cannot be started anew: %v", seen, err))
		return
	}
	g.notice(a, model.NoticeNIC, seen+" "+did+", which starts the NIC anew")
}

// startAnew makes the driver restart the NIC, and returns in words how: a driver with XDP restarts for a program,
// any other when the interface goes down and up. An interface that the host uses is not set down, which would take
// its addresses and routes: that is an error.
func (h *host) startAnew() (did string, err error) {
	if h.program.Mode() != attach.ModeGeneric {
		return "Its XDP program is attached again", h.program.Reattach()
	}
	use, err := h.owned.Use()
	if err != nil {
		return "", err
	}
	if use.Any() {
		return "", fmt.Errorf("the host uses the interface (%v): ip link set dev %[2]s down && "+
			"ip link set dev %[2]s up does it, when its connections can wait", use, h.settings.Interface)
	}
	return "It was set down and up", h.owned.DownUp()
}
