package path

import (
	"uelink/dataplane/model"
	"uelink/wire"
)

// report publishes events about all changes of the domain since the last call: of links, edges, drops and the
// bridge.
func (d *Domain) report(h *model.Hub, now wire.Time) {
	for _, l := range d.links {
		l.link.report(h, now)
	}
	for _, p := range d.Edges {
		p.reportStill(h)
		p.reportPriorities(h)
		p.reportPauses(h)
	}
	for _, p := range d.ports {
		if p != nil {
			p.reportStops(h)
		}
	}
	if now >= d.dropsAt {
		d.dropsAt = now.Add(dropsEvery)
		d.reportDrops(h, now)
	}
	if d.Bridge != nil {
		d.reportBridge(h, now)
	}
	d.conflicts.report(d, h, now)
}

// reportDrops publishes an event for each port that has begun to drop frames.
func (d *Domain) reportDrops(h *model.Hub, now wire.Time) {
	for _, p := range d.ports {
		if p != nil {
			p.reportDrops(h, now)
		}
	}
}
