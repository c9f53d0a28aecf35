package plan

import "time"

// resent is what a port has sent again while nothing was acknowledged.
type resent struct {
	waits  []time.Duration // before each replay
	astray int             // replays that do not begin with the oldest unacknowledged frame
	probes int             // tail probes: one copy of the last frame, which asks whether the frame was lost
}

// resentOf returns the repetitions by a port, from its data frames in their order, none of them acknowledged. A pause
// below a quarter of the replay timer is part of a replay. One copy of the newest frame (not of the first) after a
// pause of more than a sixteenth of the timer is a tail probe; a further copy of that frame is none.
func resentOf(sent []seen, timer time.Duration) (r resent) {
	var newest, probed *seen
	last := time.Time{}
	for i := range sent {
		f := &sent[i]
		wait := f.at.Sub(last)
		switch {
		case !f.repeated:
			newest = f
		case f.seq == newest.seq && newest != &sent[0] && newest != probed && wait > timer/16:
			r.probes++
			probed = newest
			continue // last stays: a tail probe does not restart the replay timer
		case wait > timer/4:
			r.waits = append(r.waits, wait)
			if f.seq != sent[0].seq {
				r.astray++
			}
		}
		last = f.at
	}
	return r
}
