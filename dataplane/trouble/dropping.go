package trouble

import "uelink/internal/snapshot"

// Dropping detects the begin and the end of one kind of drops. Times are in any unit.
type Dropping struct {
	from uint64 // the counter before frames began to be dropped
	Seen uint64 // the counter at the last check
	at   int64  // time of the last check that found a drop
	Now  bool   // frames are being dropped: quiet has not passed since the last
}

// PassState saves the detection of one kind of drops to a snapshot, or restores it.
func (d *Dropping) PassState(s *snapshot.State) {
	snapshot.Number(s, "from", &d.from)
	snapshot.Number(s, "seen", &d.Seen)
	snapshot.Number(s, "at", &d.at)
	s.Bool("now", &d.Now)
}

// Update compares count, a number of drops, with that of the last call, and reports whether drops have begun since. A
// smaller count was cleared, and is a new start. Drops have ended when more than quiet has passed without a drop; now
// and quiet are in any unit.
func (d *Dropping) Update(count uint64, now, quiet int64) (began bool) {
	switch {
	case count < d.Seen: // cleared
		d.Seen, d.from = count, count
	case count > d.Seen:
		if began = !d.Now; began {
			d.from = d.Seen
		}
		d.Seen, d.at, d.Now = count, now, true
	case d.Now && now-d.at > quiet:
		d.Now = false
	}
	return began
}

// Changes does the work of Update, and reports the end of drops as well.
func (d *Dropping) Changes(count uint64, now, quiet int64) (began, over bool) {
	dropped := d.Now
	began = d.Update(count, now, quiet)
	return began, dropped && !d.Now
}

// Quiet returns the time since the last drop was found.
func (d *Dropping) Quiet(now int64) int64 { return now - d.at }

// Settle ends the present drops: their cause is gone. count is the counter now.
func (d *Dropping) Settle(count uint64) { d.Seen, d.Now = count, false }

// Lost returns the number of frames dropped since the present drops began.
func (d *Dropping) Lost() uint64 { return d.Seen - d.from }
