package dataplane

import "fmt"

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

// surveyDepartures has a NIC started anew that sends nothing, where its driver is known to need that. The kernel's
// watchdog of TX queues looks at those that are full, which a link with its window seldom fills, and at no zero copy.
func (g *group) surveyDepartures(a *attachment) {
	if !a.host.stopsOnReset {
		return
	}
	if !a.up { // nothing can leave
		a.departures.looks = 0
		return
	}
	waiting, gone := 0, uint64(0)
	g.worker.do(func(int64) {
		waiting = a.port.slots.posted
		gone = a.port.counters.TxFrames - uint64(waiting)
	})
	if !a.departures.look(waiting, gone) {
		return
	}
	seen := fmt.Sprintf("%d frames wait in the NIC, and none has left it for %d s: was it reset?", waiting, stillLooks)
	if err := a.host.program.Reattach(); err != nil {
		g.trouble(a, troubleProgram, fmt.Sprintf("%s Its XDP program cannot be attached again, which would start the "+
			"NIC anew: %v", seen, err))
		return
	}
	g.notice(a, seen+" Its XDP program is attached again, which starts the NIC anew")
}
