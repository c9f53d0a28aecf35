package path

import (
	"uelink/dataplane/model"
	"uelink/wire"
)

// Leave makes all links announce to their partners that this end is about to restart, and pauses the hosts behind
// edge ports by PFC.
func (d *Domain) Leave(now wire.Time) {
	d.rest = 0
	for _, p := range d.Edges {
		if p.pause.on {
			p.pause.pauser.Leave()
		}
	}
	for _, l := range d.links {
		if l.Link != nil && !l.Link.absence.leaving.on {
			l.Link.absence.leaving.on, l.Link.absence.leaving.since = true, now
		}
	}
}

// Pauses reports whether at least one edge port of the domain has a host that obeys PFC, and so can be stopped when
// this end leaves.
func (d *Domain) Pauses() bool {
	for _, p := range d.Edges {
		if p.pause.on && p.settings.PFC.Priorities != 0 {
			return true
		}
	}
	return false
}

// Awaited returns the number of links on which this end, before it leaves, still waits for the partner: the
// partner may still send data, or has unacknowledged frames.
func (d *Domain) Awaited(now wire.Time) (n int) {
	for _, l := range d.links {
		if l.Link != nil && l.Ready() && l.Link.absence.awaitsHeld(&l.Link.Partner, now) {
			n++
		}
	}
	return n
}

// OpenQueues ends the stops of all queues of the domain, so that the frames that wait in stopped queues leave before
// this end does.
func (d *Domain) OpenQueues() {
	d.rest = 0
	for _, p := range d.ports {
		if p != nil {
			p.settings.Stops = model.QueueStops{}
			p.gate()
		}
	}
}
