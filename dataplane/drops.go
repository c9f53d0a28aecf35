package dataplane

// dropsLast is for how long after a frame was dropped for want of room a port counts as
// dropping, in nanoseconds.
const dropsLast = 1e9

// dropsEvery is how often drops are looked for.
const dropsEvery = 1e6 // ns

// drops is whether frames of a port are dropped for want of room.
type drops struct {
	leaving  dropping // its queues are full
	entering dropping // all chunks in which what came in may wait are in use
}

// dropping is one kind of drops.
type dropping struct {
	seen uint64 // on its counter
	at   int64  // when the last was seen
	now  bool
}

// look compares with the counter; began is whether frames have just begun to be dropped.
func (d *dropping) look(count uint64, now int64) (began bool) {
	switch {
	case count < d.seen: // cleared
		d.seen = count
	case count > d.seen:
		began = !d.now
		d.seen, d.at, d.now = count, now, true
	case d.now && now-d.at > dropsLast:
		d.now = false
	}
	return began
}

// reportDrops looks at every port.
func (d *domain) reportDrops(h *hub, now int64) {
	for _, p := range d.ports {
		if p != nil {
			p.reportDrops(h, now)
		}
	}
}

// reportDrops tells that frames begin to be dropped for want of room.
func (p *port) reportDrops(h *hub, now int64) {
	if p.drops.leaving.look(p.counters.TxDropQueueFull, now) {
		h.emit(p.settings.Name, EventDrops, "frames that are to leave here are dropped: more come than can leave")
	}
	if p.drops.entering.look(p.counters.RxDropNoBuffer, now) {
		h.emit(p.settings.Name, EventDrops, "frames that came in here are dropped: too many wait to leave elsewhere")
	}
}
