package pfc

import (
	"time"

	"uelink/internal/snapshot"
	"uelink/wire"
)

// Window is the time over which Shares measures: the present second and the nine before.
const Window = windowSlots * windowSlot

const (
	windowSlots = 10
	windowSlot  = time.Second
)

// window is how long each priority was stopped in each second of the Window. Second n is in slots[n % windowSlots].
type window struct {
	newest int64 // second since time 0
	slots  [windowSlots][wire.Priorities]time.Duration
}

// advance makes room for the seconds up to now.
func (w *window) advance(now wire.Time) {
	last := int64(now) / int64(windowSlot)
	for n := max(w.newest, last-windowSlots) + 1; n <= last; n++ {
		clear(w.slots[n%windowSlots][:])
	}
	w.newest = max(w.newest, last)
}

// add counts a pause of priority i between two times in the seconds of the window; the part before the Window is left
// out.
func (w *window) add(i int, from, to wire.Time) {
	w.advance(to)
	from = max(from, w.start())
	for from < to {
		n := int64(from) / int64(windowSlot)
		end := min(to, wire.Time((n+1)*int64(windowSlot)))
		w.slots[n%windowSlots][i] += end.Sub(from)
		from = end
	}
}

// start returns when the oldest second began.
func (w *window) start() wire.Time {
	return wire.Time(max(0, w.newest-windowSlots+1) * int64(windowSlot))
}

// passState saves the window to a snapshot, or restores it.
func (w *window) passState(s *snapshot.State) {
	snapshot.Number(s, "window_newest", &w.newest)
	s.Check(w.newest >= 0, "window of second %d", w.newest)
	var flat [windowSlots * wire.Priorities]time.Duration
	for n := range w.slots {
		copy(flat[n*wire.Priorities:], w.slots[n][:])
	}
	snapshot.Numbers(s, "window", flat[:])
	for n := range w.slots {
		copy(w.slots[n][:], flat[n*wire.Priorities:])
	}
}

// Shares returns the share of the Window, 0 to 1, in which each priority was stopped. ClearCounters does not change it.
func (p *Paused) Shares(now wire.Time) (shares [wire.Priorities]float64) {
	w := p.window
	w.advance(now)
	span := now.Sub(w.start())
	if span <= 0 {
		return shares
	}
	for i := range shares {
		if p.stopped>>i&1 == 1 {
			w.add(i, p.since[i], min(now, p.until[i]))
		}
		var sum time.Duration
		for n := range w.slots {
			sum += w.slots[n][i]
		}
		shares[i] = float64(sum) / float64(span)
	}
	return shares
}
