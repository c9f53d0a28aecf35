package path

import (
	"fmt"
	"math/bits"

	"uelink/dataplane/model"
	"uelink/dataplane/pfc"
	"uelink/internal/events"
	"uelink/wire"
)

// pause holds the PFC machines of one edge port.
// Clauses: DCBX/pfc.1.
type pause struct {
	on       bool
	stopped  uint8       // bitmap of the priorities that the host stops now
	pauser   *pfc.Pauser // machine by which this end stops the host
	paused   *pfc.Paused // machine by which the host stops this end
	reported uint8       // bitmap of the priorities with PFC, as last reported
	stuck    uint8       // bitmap of the priorities stopped for long, to be reported
	long     uint8       // bitmap of the priorities reported as stopped for long, and not as resumed
}

// configure applies the PFC settings of a port, which package config has checked. PFC is on if a priority has reserved
// chunks or PAUSE is obeyed; invalid settings switch it off.
// Clauses: DCBX/pfc.7.
func (p *pause) configure(s model.PFCSettings, now wire.Time) {
	tx := pfc.PauserSettings{Priorities: s.Priorities, Rate: s.Rate}
	for i := range wire.Priorities {
		tx.XOff[i], tx.XOn[i] = s.XOff, s.XOn
	}
	rx := pfc.PausedSettings{Priorities: s.Priorities, Pause: s.Pause, Rate: s.Rate}
	if p.pauser == nil {
		p.pauser, p.paused = &pfc.Pauser{}, &pfc.Paused{}
	}
	p.on = p.pauser.Configure(tx) == nil && p.paused.Configure(rx, now) == nil && (s.Reserved() != 0 || s.Pause)
}

// restart starts PFC again in both directions after the link to the host was down.
func (p *pause) restart(now wire.Time) {
	if p.on {
		p.pauser.LinkRestarted()
		p.paused.LinkRestarted(now)
	}
}

// receive handles a MAC Control frame of the host: PFC or PAUSE stops priorities, or lets them resume.
func (p *pause) receive(f []byte, now wire.Time) {
	request, fault := wire.ParsePFC(f)
	if fault != wire.NoFault {
		p.paused.ReceivedMalformed()
		return
	}
	p.paused.ReceivedFrame(request, now)
}

// notePauses updates which queues the host has stopped by PFC or PAUSE, and which priorities have been stopped for
// long.
func (p *Port) notePauses(now wire.Time) {
	p.pause.stopped = p.pause.paused.Stopped(now)
	p.gate()
	p.pause.stuck |= p.pause.paused.Stuck(now)
}

// stops posts a PFC frame to the host when, by the number of chunks in use, more or fewer priorities must be stopped,
// or when a pause must be renewed. Without TX room it marks the port as blocked, to try again soon.
func (p *Port) stops(now wire.Time) {
	if !p.Ready() {
		return
	}
	for set := p.settings.PFC.Priorities; set != 0; set &= set - 1 {
		priority, waiting := bits.TrailingZeros8(set), 0
		for _, s := range p.sources {
			waiting += s.assured.inUse[priority]
		}
		p.pause.pauser.SetLevel(priority, waiting)
	}
	if p.txRoom() == 0 {
		p.blocked = true
		return
	}
	if f, ok := p.pause.pauser.Poll(now); ok {
		slot, chunk := p.slot()
		p.Slots.state[slot].len = uint32(wire.PutPFC(chunk, p.iface.mac, f))
		p.post(slot)
	}
}

// deadline returns the time of PFC's next event: a pause begins, ends or must be renewed.
func (p *pause) deadline() wire.Time {
	if !p.on {
		return wire.Never
	}
	return min(p.pauser.Deadline(), p.paused.Deadline())
}

// pfcState returns a snapshot of PFC; nil if PFC is off.
func (p *Port) pfcState(now wire.Time) *model.PFCState {
	if !p.pause.on {
		return nil
	}
	return &model.PFCState{
		Settings: p.settings.PFC, DCB: p.DCB, Stopped: p.pause.stopped, Stops: p.pause.pauser.Stopped(),
		Tx: *p.pause.pauser.Counters(), Rx: p.pause.paused.Counters(now),
		Shares: p.pause.paused.Shares(now),
	}
}

// reportPauses publishes events about priorities that the host has stopped for a long time without a break, and about
// their end.
func (p *Port) reportPauses(h *model.Hub) {
	if p.pause.stuck|p.pause.long == 0 {
		return
	}
	over := p.pause.long
	if p.pause.on {
		over &^= p.pause.paused.StillStuck()
	}
	p.pause.long = p.pause.long&^over | p.pause.stuck
	for ; over != 0; over &= over - 1 {
		h.Publish(p.settings.Name, model.EventPFC, fmt.Sprintf("over: the host no longer stops priority %d",
			bits.TrailingZeros8(over)))
	}
	for ; p.pause.stuck != 0; p.pause.stuck &= p.pause.stuck - 1 {
		h.PublishAt(events.Warning, p.settings.Name, model.EventPFC, fmt.Sprintf(
			"the host has stopped priority %d for more than %v: does the host, or a device behind it, stand still?",
			bits.TrailingZeros8(p.pause.stuck), pfc.StuckAfter))
	}
}

// reportPriorities publishes an event when DCBX has changed which priorities have PFC.
func (p *Port) reportPriorities(h *model.Hub) {
	priorities := p.settings.PFC.Priorities
	if priorities == p.pause.reported {
		return
	}
	p.pause.reported = priorities
	if p.settings.PFC.Dynamic {
		h.Publish(p.settings.Name, model.EventPFC, p.DCB.PFCText())
	}
}
