package pfc

import (
	"math/bits"

	"uelink/wire"
)

// Pauser stops priorities of the other end while too much waits here.
//
// Of each priority it knows two bits: whether it is to be stopped, by its level, and whether the
// partner has been told. Where they differ a frame is due.
//
//	          waiting >= XOff                      waiting <= XOn
//	flowing ──────────────────► stop, told at once ──────────────► go on, told after spacing
//	                                │      ▲
//	                                └──────┘ told again before half of the time is over
//
// A stop never waits, for each frame that comes in between needs room. A lift does: so a
// priority can be stopped only once more before the next lift, and between two lifts leave at
// most wire.Priorities frames that stop.
type Pauser struct {
	settings PauserSettings
	quanta   uint16
	spacing  int64 // ns
	refresh  int64 // ns from one frame to the next that keeps a stop

	stop uint8 // priorities that are to be stopped, by their levels
	told uint8 // priorities that the partner was told to stop

	refreshAt int64 // when what is stopped has to be told again
	liftAt    int64 // before it nothing is let go on

	counters PauserCounters
}

// NewPauser returns a machine that has stopped nothing. Errors: those of Validate.
func NewPauser(s PauserSettings) (*Pauser, error) {
	p := &Pauser{}
	return p, p.Configure(s)
}

// Configure replaces the settings. A priority that is not agreed on any more is let go on; a
// watermark that has moved is looked at with the next Level. After an error (Validate) the
// settings of before hold.
func (p *Pauser) Configure(s PauserSettings) error {
	if err := s.Validate(); err != nil {
		return err
	}
	p.stop &= p.settings.Priorities // of others the level was held against no watermark
	p.settings, p.quanta, p.spacing = s, s.quanta(), s.spacing()
	if s.Priorities != 0 {
		p.refresh = int64(s.pause()) * 3 / 8
	}
	return nil
}

// Level says how much waits of a priority, 0 to 7.
func (p *Pauser) Level(priority, waiting int) {
	priority &= wire.Priorities - 1
	switch bit := uint8(1) << priority; {
	case waiting >= p.settings.XOff[priority]:
		p.stop |= bit
	case waiting <= p.settings.XOn[priority]:
		p.stop &^= bit
	}
}

// due is the priorities that have to be told to stop, and those that may go on and have not
// been told so.
func (p *Pauser) due() (stop, lift uint8) {
	want := p.stop & p.settings.Priorities
	return want &^ p.told, p.told &^ want
}

// Poll gives the frame that is to be sent now, if there is one: it speaks of all priorities
// that are stopped or let go on. It counts as sent, so there has to be room for it.
func (p *Pauser) Poll(now int64) (frame wire.PFC, ok bool) {
	stop, lift := p.due()
	if now < p.liftAt {
		lift = 0
	}
	hold := p.told &^ lift // also what waits for its lift: else it would go on unknown to us
	if stop|lift == 0 && (hold == 0 || now < p.refreshAt) {
		return wire.PFC{}, false
	}
	frame.Enable = stop | lift | hold
	for set := stop | hold; set != 0; set &= set - 1 {
		frame.Quanta[bits.TrailingZeros8(set)] = p.quanta
	}
	p.count(stop, lift, hold)
	p.told = p.told&^lift | stop
	p.refreshAt = now + p.refresh
	if lift != 0 {
		p.liftAt = now + p.spacing
	}
	return frame, true
}

func (p *Pauser) count(stop, lift, hold uint8) {
	for i := range p.counters {
		c := &p.counters[i]
		c.TxPause += uint64(stop >> i & 1)
		c.TxResume += uint64(lift >> i & 1)
		c.TxRefresh += uint64(hold >> i & 1)
	}
}

// Deadline is when Poll has something to send even if no level changes, 0 for at once, or
// math.MaxInt64. To call earlier is harmless.
func (p *Pauser) Deadline() int64 {
	stop, lift := p.due()
	at := int64(never)
	switch {
	case stop != 0:
		return 0
	case p.told != 0:
		at = p.refreshAt
	}
	if lift != 0 {
		at = min(at, p.liftAt)
	}
	return at
}

// Told is the priorities that the partner has been told to stop.
func (p *Pauser) Told() uint8 { return p.told }

// Restart is for a link that was down: the partner has forgotten what it was told. What is
// still to be stopped is told anew.
func (p *Pauser) Restart() { p.told = 0 }

// Counters are the caller's to read and to clear.
func (p *Pauser) Counters() *PauserCounters { return &p.counters }
