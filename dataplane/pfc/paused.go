package pfc

import (
	"math/bits"
	"time"

	"uelink/wire"
)

// StuckAfter is how long a priority may be stopped without a break until Stuck reports it.
const StuckAfter = time.Second

// Paused is the side that the other end stops.
//
//	         a frame with quanta                 quanta 0, or the time is over
//	flowing ──────────────────────► until now + quanta ───────────────────────► flowing
//	                                    │        ▲
//	                                    └────────┘ a frame with quanta: a new time
//
// A new time counts from its own frame, even if it ends before the old time.
type Paused struct {
	settings PausedSettings

	stopped uint8     // priorities that may not send
	stuck   uint8     // priorities of stopped that Stuck has reported
	next    wire.Time // when the first pause ends, or wire.Never

	since [wire.Priorities]wire.Time // when a stopped priority was stopped
	until [wire.Priorities]wire.Time // when the pause of a stopped priority ends

	window   window
	counters PausedCounters
}

// NewPaused returns the machine of the end that is stopped by PFC, without a stopped priority. Errors: those of
// Validate.
func NewPaused(s PausedSettings) (*Paused, error) {
	p := &Paused{next: wire.Never}
	return p, p.Configure(s, 0)
}

// Configure replaces the settings. A stopped priority not agreed on any more resumes at once; other pauses run to
// their end. After an error (Validate) the old settings hold.
func (p *Paused) Configure(s PausedSettings, now wire.Time) error {
	if err := s.Validate(); err != nil {
		return err
	}
	p.settings = s
	p.expire(now)
	p.resume(p.stopped&^s.Priorities, now)
	return nil
}

// LinkRestarted ends all pauses, because the link was down.
func (p *Paused) LinkRestarted(now wire.Time) {
	p.expire(now)
	p.resume(p.stopped, now)
}

// ReceivedMalformed counts a received MAC Control frame that wire.ParsePFC has refused.
func (p *Paused) ReceivedMalformed() { p.counters.Malformed++ }

// ReceivedFrame handles a PFC or PAUSE frame of the other end: it stops priorities for a time, or lets them
// resume.
// Clauses: DCBX/pfc.3.
func (p *Paused) ReceivedFrame(f wire.PFC, now wire.Time) {
	p.expire(now - 1) // a pause renewed at the moment of its end has no break
	obeyed := p.settings.Priorities
	if f.Global {
		if !p.settings.Pause {
			p.counters.PauseIgnored++
			return
		}
		p.counters.RxPause++
		obeyed = f.Enable
	}
	for set := f.Enable; set != 0; set &= set - 1 {
		i := bits.TrailingZeros8(set)
		c := &p.counters.Priority[i]
		switch bit := uint8(1) << i; {
		case obeyed&bit == 0:
			c.Ignored++
		case f.Quanta[i] == 0:
			c.RxResume++
			p.resume(p.stopped&bit, now)
		default:
			c.RxPause++
			p.pause(i, now, now.Add(pauseTime(f.Quanta[i], p.settings.Rate)))
		}
	}
	p.findNext()
}

// pause stops priority i until the given time; for a stopped priority it changes that time.
func (p *Paused) pause(i int, now, until wire.Time) {
	if bit := uint8(1) << i; p.stopped&bit == 0 {
		p.stopped |= bit
		p.since[i] = now
		p.counters.Priority[i].On2Off++
	}
	p.until[i] = until
}

// resume ends the pauses of the priorities in the bitmap set at now.
func (p *Paused) resume(set uint8, now wire.Time) {
	for ; set != 0; set &= set - 1 {
		i := bits.TrailingZeros8(set)
		p.end(i, now)
	}
	p.findNext()
}

// end ends the pause of priority i at the given time, and counts its length.
func (p *Paused) end(i int, at wire.Time) {
	p.counters.Priority[i].Paused += at.Sub(p.since[i])
	p.window.add(i, p.since[i], at)
	p.stopped &^= 1 << i
	p.stuck &^= 1 << i
}

// expire ends the pauses whose time is over at now.
func (p *Paused) expire(now wire.Time) {
	if now < p.next {
		return
	}
	for set := p.stopped; set != 0; set &= set - 1 {
		if i := bits.TrailingZeros8(set); p.until[i] <= now {
			p.end(i, p.until[i])
		}
	}
	p.findNext()
}

// findNext sets the field next to the time when the first pause ends.
func (p *Paused) findNext() {
	p.next = wire.Never
	for set := p.stopped; set != 0; set &= set - 1 {
		p.next = min(p.next, p.until[bits.TrailingZeros8(set)])
	}
}

// Stopped returns a bitmap of the priorities that may not send now: bit 0 is priority 0.
func (p *Paused) Stopped(now wire.Time) uint8 {
	p.expire(now)
	return p.stopped
}

// StillStuck returns a bitmap of the priorities that Stuck has reported and that have not resumed since.
func (p *Paused) StillStuck() uint8 { return p.stuck }

// Stuck returns a bitmap of the priorities stopped without a break for StuckAfter; each is reported once in a
// pause.
func (p *Paused) Stuck(now wire.Time) (priorities uint8) {
	p.expire(now)
	for set := p.stopped &^ p.stuck; set != 0; set &= set - 1 {
		if i := bits.TrailingZeros8(set); now.Sub(p.since[i]) >= StuckAfter {
			priorities |= 1 << i
			p.counters.Stuck++
		}
	}
	p.stuck |= priorities
	return priorities
}

// Deadline returns when the first pause ends, or Stuck has a priority to report, or wire.Never. Calling earlier is
// harmless.
func (p *Paused) Deadline() wire.Time {
	at := p.next
	for set := p.stopped &^ p.stuck; set != 0; set &= set - 1 {
		at = min(at, p.since[bits.TrailingZeros8(set)].Add(StuckAfter))
	}
	return at
}

// Counters returns the counters at now. The paused time of a priority includes the pause that has not ended yet.
func (p *Paused) Counters(now wire.Time) PausedCounters {
	c := p.counters
	for set := p.stopped; set != 0; set &= set - 1 {
		i := bits.TrailingZeros8(set)
		c.Priority[i].Paused += max(0, min(now, p.until[i]).Sub(p.since[i]))
	}
	return c
}

// ClearCounters sets all counters to 0. A pause under way counts from now on.
func (p *Paused) ClearCounters(now wire.Time) {
	p.expire(now)
	p.counters = PausedCounters{}
	for set := p.stopped; set != 0; set &= set - 1 {
		i := bits.TrailingZeros8(set)
		p.counters.Priority[i].Paused = p.since[i].Sub(now) // cancels the time before now, which end and Counters will add
	}
}
