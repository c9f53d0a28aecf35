package pfc

import (
	"math/bits"
	"time"

	"uelink/wire"
)

// StuckAfter is how long a priority may be stopped without a break until that is told.
const StuckAfter = time.Second

// Paused is stopped by the other end.
//
//	          a frame with quanta                 quanta 0, or the time is over
//	flowing ──────────────────────► until now + quanta ───────────────────────► flowing
//	                                    │        ▲
//	                                    └────────┘ a frame with quanta: a new time
//
// A new time counts from its own frame, also where it ends before the old one would.
type Paused struct {
	settings PausedSettings

	stopped uint8 // priorities that may not send
	stuck   uint8 // of these those that Stuck has told of
	next    int64 // when the first of them ends, or never

	since [wire.Priorities]int64 // when a stopped one was stopped
	until [wire.Priorities]int64 // when it ends

	counters PausedCounters
}

// NewPaused returns a machine that is stopped by nothing. Errors: those of Validate.
func NewPaused(s PausedSettings) (*Paused, error) {
	p := &Paused{next: never}
	return p, p.Configure(s, 0)
}

// Configure replaces the settings. A priority that is not agreed on any more goes on at once,
// what else is stopped has its time. After an error (Validate) the settings of before hold.
func (p *Paused) Configure(s PausedSettings, now int64) error {
	if err := s.Validate(); err != nil {
		return err
	}
	p.settings = s
	p.expire(now)
	p.resume(p.stopped&^s.Priorities, now)
	return nil
}

// Restart is for a link that was down: nothing is stopped.
func (p *Paused) Restart(now int64) {
	p.expire(now)
	p.resume(p.stopped, now)
}

// Malformed counts a MAC Control frame that wire.ParsePFC has refused.
func (p *Paused) Malformed() { p.counters.Malformed++ }

// Receive takes what the other end has sent.
func (p *Paused) Receive(f wire.PFC, now int64) {
	p.expire(now - 1) // one that is renewed at the moment of its end has no break
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
			p.pause(i, now, now+pauseTime(f.Quanta[i], p.settings.Rate))
		}
	}
	p.findNext()
}

// pause stops a priority, or gives one that is stopped another end.
func (p *Paused) pause(i int, now, until int64) {
	if bit := uint8(1) << i; p.stopped&bit == 0 {
		p.stopped |= bit
		p.since[i] = now
		p.counters.Priority[i].On2Off++
	}
	p.until[i] = until
}

// resume lets stopped priorities go on whose time is not over.
func (p *Paused) resume(set uint8, now int64) {
	for ; set != 0; set &= set - 1 {
		i := bits.TrailingZeros8(set)
		p.end(i, now)
	}
	p.findNext()
}

// end lets a priority go on that was stopped until the given time.
func (p *Paused) end(i int, at int64) {
	p.counters.Priority[i].Paused += at - p.since[i]
	p.stopped &^= 1 << i
	p.stuck &^= 1 << i
}

// expire lets those go on whose time is over.
func (p *Paused) expire(now int64) {
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

func (p *Paused) findNext() {
	p.next = never
	for set := p.stopped; set != 0; set &= set - 1 {
		p.next = min(p.next, p.until[bits.TrailingZeros8(set)])
	}
}

// Paused is the priorities that may not send now: bit 0 is priority 0.
func (p *Paused) Paused(now int64) uint8 {
	p.expire(now)
	return p.stopped
}

// Stuck is the priorities that have been stopped without a break for StuckAfter, each told
// once in a pause.
func (p *Paused) Stuck(now int64) (told uint8) {
	p.expire(now)
	for set := p.stopped &^ p.stuck; set != 0; set &= set - 1 {
		if i := bits.TrailingZeros8(set); now-p.since[i] >= int64(StuckAfter) {
			told |= 1 << i
			p.counters.Stuck++
		}
	}
	p.stuck |= told
	return told
}

// Deadline is when a priority goes on by itself, or when Stuck has something to tell, or
// math.MaxInt64. To call earlier is harmless.
func (p *Paused) Deadline() int64 {
	at := p.next
	for set := p.stopped &^ p.stuck; set != 0; set &= set - 1 {
		at = min(at, p.since[bits.TrailingZeros8(set)]+int64(StuckAfter))
	}
	return at
}

// Counters is what has been counted until now, a pause that lasts included.
func (p *Paused) Counters(now int64) PausedCounters {
	c := p.counters
	for set := p.stopped; set != 0; set &= set - 1 {
		i := bits.TrailingZeros8(set)
		c.Priority[i].Paused += max(0, min(now, p.until[i])-p.since[i])
	}
	return c
}

// ClearCounters sets all to 0. A pause that lasts counts from now on.
func (p *Paused) ClearCounters(now int64) {
	p.expire(now)
	p.counters = PausedCounters{}
	for set := p.stopped; set != 0; set &= set - 1 {
		i := bits.TrailingZeros8(set)
		p.counters.Priority[i].Paused = p.since[i] - now // which end and Counters add from since on
	}
}
