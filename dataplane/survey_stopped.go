package dataplane

import (
	"fmt"
	"time"

	"uelink/bpf"
)

// stillLooks is how many looks in a row, one a second, nothing may have left a NIC before it is started anew. The
// kernel, which does the same for frames of its own after 5 s or more, comes first where it notices.
const stillLooks = 8

// departures watches whether what a NIC was given leaves it.
type departures struct {
	gone  uint64 // frames that had left, as of the last look
	looks int    // in which none has, although some wait
	anew  bool   // the NIC was started anew for that
}

// look takes how many frames wait and how many have left. It tells when the NIC has to be started anew: once, until
// something has left.
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

// deafAfter is how long a partner that speaks each second may not be heard before the NIC is started anew, longer than
// the partner's own NIC is away when that starts anew: 5 s, and up to 11 s after a reset.
const deafAfter = 15 * time.Second

// hearing watches whether a NIC still hears a partner that says something each second (STATION).
type hearing struct{ spoke bool }

// look takes whether the partner is known to do so, and for how long nothing has come. It tells when the NIC has to be
// started anew: once, until the partner has spoken again.
func (h *hearing) look(speaks bool, silence time.Duration) (deaf bool) {
	if silence < deafAfter {
		h.spoke = h.spoke || speaks
		return false
	}
	deaf, h.spoke = h.spoke, false
	return deaf
}

// surveyStopped has a NIC started anew that sends nothing, or hears nothing, where its driver is known to need that.
// The kernel's watchdog of TX queues looks at those that are full, which a link with its window seldom fills, and at no
// zero copy.
func (g *group) surveyStopped(a *attachment) {
	if !a.host.stopsOnReset {
		return
	}
	if !a.up { // nothing can leave, or come
		a.departures.looks, a.hearing.spoke = 0, false
		return
	}
	waiting, gone := 0, uint64(0)
	speaks, silence := false, time.Duration(0)
	g.worker.do(func(now int64) {
		waiting = a.port.slots.posted
		gone = a.port.counters.TxFrames - uint64(waiting)
		if l := a.port.link; l != nil {
			speaks, silence = l.partner.SendsStation(), time.Duration(now-l.heard)
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
		g.notice(a, NoticeNIC, fmt.Sprintf("%s It cannot be started anew: %v", seen, err))
		return
	}
	g.notice(a, NoticeNIC, seen+" "+did+", which starts the NIC anew")
}

// startAnew has the driver start the NIC anew, and says how: a driver with XDP does so for a program, any other when
// the interface goes down and up. That would take addresses and routes from a host that uses the interface.
func (h *host) startAnew() (did string, err error) {
	if h.program.Mode() != bpf.ModeGeneric {
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
