package dataplane

import (
	"fmt"
	"math"
	"math/bits"

	"uelink/dataplane/pfc"
	"uelink/wire"
)

// PFCSettings is priority-based flow control (802.1Qbb) between an edge port and its host. Priority n
// is traffic class n of what comes in, and queue n of what leaves. The zero value has none.
type PFCSettings struct {
	Priorities uint8 // bitmap
	Dynamic    bool  // they are those that DCBX agrees on
	XOff       int   // the host is told to stop a priority when so many chunks of it wait,
	XOn        int   // and that it may go on when no more than these do
	Headroom   int   // chunks for what still comes after that
	Rate       int64 // bit/s at which both ends count a pause
	Pause      bool  // 802.3 PAUSE is obeyed too
}

// assures is the priorities that may ever be stopped: they have chunks of their own.
func (s *PFCSettings) assures() uint8 {
	if s.Dynamic {
		return 1<<wire.Priorities - 1
	}
	return s.Priorities
}

// pause is PFC of one edge port.
type pause struct {
	on     bool
	pauser *pfc.Pauser // stops the host
	paused *pfc.Paused // is stopped by it
	known  uint8       // priorities with PFC, as it was told last
	stuck  uint8       // priorities that have been stopped for so long that it is to be told
}

// PFCState is a snapshot of it.
type PFCState struct {
	Settings PFCSettings // in force
	DCB      DCB         // edge with Settings.Dynamic: what they follow from
	Stopped  uint8       // bitmap of the priorities that the host has stopped now
	Stops    uint8       // and of those that it was told to stop
	Tx       pfc.PauserCounters
	Rx       pfc.PausedCounters
}

// configure takes settings. Package config has checked them: PFC is off with others.
func (p *pause) configure(s PFCSettings, now int64) {
	tx := pfc.PauserSettings{Priorities: s.Priorities, Rate: s.Rate}
	for i := range wire.Priorities {
		tx.XOff[i], tx.XOn[i] = s.XOff, s.XOn
	}
	rx := pfc.PausedSettings{Priorities: s.Priorities, Pause: s.Pause, Rate: s.Rate}
	if p.pauser == nil {
		p.pauser, p.paused = &pfc.Pauser{}, &pfc.Paused{}
	}
	p.on = p.pauser.Configure(tx) == nil && p.paused.Configure(rx, now) == nil && (s.assures() != 0 || s.Pause)
}

// restart is for a link to the host that was down: both ends begin anew.
func (p *pause) restart(now int64) {
	if p.on {
		p.pauser.LinkRestarted()
		p.paused.LinkRestarted(now)
	}
}

// receive takes a MAC Control frame of the host.
func (p *pause) receive(f []byte, now int64) {
	is, fault := wire.ParsePFC(f)
	if fault != wire.NoFault {
		p.paused.ReceivedMalformed()
		return
	}
	p.paused.ReceivedFrame(is, now)
}

// notePauses notes which queues the host has stopped by PFC or PAUSE.
func (p *port) notePauses(now int64) {
	p.halted = uint32(p.pause.paused.Stopped(now))
	p.pause.stuck |= p.pause.paused.Stuck(now)
}

// stops tells the host which priorities to stop, by what of them waits, if there is something
// new to tell.
func (p *port) stops(now int64) {
	if !p.ready() {
		return
	}
	for set := p.settings.PFC.Priorities; set != 0; set &= set - 1 {
		priority, waiting := bits.TrailingZeros8(set), 0
		for _, s := range p.sources {
			waiting += s.assured.held[priority]
		}
		p.pause.pauser.SetLevel(priority, waiting)
	}
	if p.txRoom() == 0 {
		p.blocked = true
		return
	}
	if f, ok := p.pause.pauser.Poll(now); ok {
		slot, chunk := p.slot()
		p.slots.state[slot].len = uint32(wire.PutPFC(chunk, p.mac, f))
		p.post(slot)
	}
}

// deadline is when a pause begins, ends or is to be told again.
func (p *pause) deadline() int64 {
	if !p.on {
		return math.MaxInt64
	}
	return min(p.pauser.Deadline(), p.paused.Deadline())
}

// pfcState is a snapshot; nil where there is no PFC.
func (p *port) pfcState(now int64) *PFCState {
	if !p.pause.on {
		return nil
	}
	return &PFCState{
		Settings: p.settings.PFC, DCB: p.dcb, Stopped: uint8(p.halted), Stops: p.pause.pauser.Stopped(),
		Tx: *p.pause.pauser.Counters(), Rx: p.pause.paused.Counters(now),
	}
}

// reportPauses tells of priorities that the host has stopped for a long time without a break.
func (p *port) reportPauses(h *hub) {
	for ; p.pause.stuck != 0; p.pause.stuck &= p.pause.stuck - 1 {
		h.emit(p.settings.Name, EventPFC, fmt.Sprintf(
			"the host has stopped priority %d for more than %v: does it, or what is behind it, stand still?",
			bits.TrailingZeros8(p.pause.stuck), pfc.StuckAfter))
	}
}
