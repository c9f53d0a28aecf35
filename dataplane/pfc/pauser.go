package pfc

import (
	"math/bits"
	"time"

	"uelink/wire"
)

// Pauser stops priorities of the other end while too many frames wait here.
//
// It keeps two bits for each priority: whether the number of waiting frames demands a stop, and whether the partner was
// stopped. A PFC frame is due where the two bits differ.
//
//	         waiting >= XOff                      waiting <= XOn
//	flowing ──────────────────► stop, sent at once ──────────────► resume, sent after spacing
//	                                │      ▲
//	                                └──────┘ sent again before half of the time is over
//
// A stop is never delayed, because each frame received meanwhile needs room. A resume is delayed until spacing has
// passed: so each priority can be stopped only once more before the next resume, and at most wire.Priorities frames
// with a stop leave between two resumes.
type Pauser struct {
	settings PauserSettings
	quanta   uint16
	spacing  time.Duration
	refresh  time.Duration // between two frames that keep a stop

	stop    uint8 // priorities whose level demands a stop
	stopped uint8 // priorities that the partner was told to stop
	leaving bool  // every priority is to stop, whatever its level

	refreshAt wire.Time // when the stops must be renewed
	liftAt    wire.Time // earliest time of the next resume

	counters PauserCounters
}

// NewPauser returns the machine of the end that stops its sender by PFC; it stops no priority yet. Errors: those
// of Validate.
func NewPauser(s PauserSettings) (*Pauser, error) {
	p := &Pauser{}
	return p, p.Configure(s)
}

// Configure replaces the settings. A priority not agreed on any more resumes; a changed watermark takes effect with
// the next SetLevel. After an error (Validate) the old settings hold.
func (p *Pauser) Configure(s PauserSettings) error {
	if err := s.Validate(); err != nil {
		return err
	}
	p.stop &= p.settings.Priorities // a priority not agreed on so far had no watermark, and cannot demand a stop
	p.settings, p.quanta, p.spacing = s, s.quanta(), s.spacing()
	if s.Priorities != 0 {
		p.refresh = s.pause() * 3 / 8
	}
	return nil
}

// SetLevel sets how many frames of a priority, 0 to 7, wait. From XOff on the sender must be stopped, down to XOn it
// may resume; in between the demand stays as it is.
func (p *Pauser) SetLevel(priority, waiting int) {
	priority &= wire.Priorities - 1
	switch bit := uint8(1) << priority; {
	case waiting >= p.settings.XOff[priority]:
		p.stop |= bit
	case waiting <= p.settings.XOn[priority]:
		p.stop &^= bit
	}
}

// Leave makes the pauser stop all priorities of the sender permanently, because this end is about to receive no more
// frames.
func (p *Pauser) Leave() { p.leaving = true }

// due returns bitmaps of the priorities to stop and to resume about which the sender has not been told yet.
func (p *Pauser) due() (stop, lift uint8) {
	want := p.stop & p.settings.Priorities
	if p.leaving {
		want = p.settings.Priorities
	}
	return want &^ p.stopped, p.stopped &^ want
}

// Poll returns the PFC frame to send now; ok is false if no frame is due. The frame covers all priorities that are
// stopped or resume. It counts as sent, so the caller must have room for it.
func (p *Pauser) Poll(now wire.Time) (frame wire.PFC, ok bool) {
	stop, lift := p.due()
	if now < p.liftAt {
		lift = 0
	}
	hold := p.stopped &^ lift // also priorities that wait for their resume, or they would resume unnoticed by timeout
	if stop|lift == 0 && (hold == 0 || now < p.refreshAt) {
		return wire.PFC{}, false
	}
	frame.Enable = stop | lift | hold
	for set := stop | hold; set != 0; set &= set - 1 {
		frame.Quanta[bits.TrailingZeros8(set)] = p.quanta
	}
	p.count(stop, lift, hold)
	p.stopped = p.stopped&^lift | stop
	p.refreshAt = now.Add(p.refresh)
	if lift != 0 {
		p.liftAt = now.Add(p.spacing)
	}
	return frame, true
}

// count counts a PFC frame that is sent in the counters of its priorities: those that it stops, resumes (lift) and
// holds stopped. Each argument is a bitmap.
func (p *Pauser) count(stop, lift, hold uint8) {
	for i := range p.counters {
		c := &p.counters[i]
		c.TxPause += uint64(stop >> i & 1)
		c.TxResume += uint64(lift >> i & 1)
		c.TxRefresh += uint64(hold >> i & 1)
	}
}

// Deadline returns when Poll has a frame to send without a change of level, 0 for at once, or wire.Never. Calling
// earlier is harmless.
func (p *Pauser) Deadline() wire.Time {
	stop, lift := p.due()
	at := wire.Never
	switch {
	case stop != 0:
		return 0
	case p.stopped != 0:
		at = p.refreshAt
	}
	if lift != 0 {
		at = min(at, p.liftAt)
	}
	return at
}

// Stopped returns a bitmap of the priorities that the sender was told to stop.
func (p *Pauser) Stopped() uint8 { return p.stopped }

// LinkRestarted records that the link was down: the sender has forgotten its stops. Stops still demanded are sent
// again.
func (p *Pauser) LinkRestarted() { p.stopped = 0 }

// Counters returns the counters, for the caller to read and to clear.
func (p *Pauser) Counters() *PauserCounters { return &p.counters }
