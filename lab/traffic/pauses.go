package traffic

import (
	"cmp"

	"uelink/dataplane/frame"
	"uelink/dataplane/pfc"
	"uelink/wire"
)

// Rates in bit/s at which the quanta of a pause are counted if PFCRate is 0, because a veth has no rate of its own.
// An end obeys pauses as a NIC of 1 Gb/s does. It renews its own pauses early enough for a receiver that counts at 10
// Gb/s, the rate that a veth reports.
const (
	obeyedRate = 1e9  // for pauses received
	sentRate   = 10e9 // for pauses sent
)

// newPaused returns a machine that obeys received PFC of every priority, and PAUSE. rate is Config.PFCRate, at
// which quanta are counted; 0: 1 Gb/s.
func newPaused(rate int64) (*pfc.Paused, error) {
	return pfc.NewPaused(pfc.PausedSettings{
		Priorities: 1<<wire.Priorities - 1, Pause: true, Rate: cmp.Or(rate, obeyedRate),
	})
}

// macControl handles a PAUSE or PFC frame received from the other end: it pauses or resumes priorities of this end. A
// malformed frame is counted, and has no other effect.
func (p *port) macControl(octets []byte, now wire.Time) {
	f, fault := wire.ParsePFC(octets)
	if fault != wire.NoFault {
		p.paused.ReceivedMalformed()
		p.foreign++
		return
	}
	p.paused.ReceivedFrame(f, now)
}

// sendPauses posts the PFC frame of a slow sink, if one is due and there is room. worked reports whether there was
// one.
func (p *port) sendPauses(now wire.Time) (worked bool) {
	if p.pauser == nil || p.room() == 0 {
		return false
	}
	f, ok := p.pauser.Poll(now)
	if ok {
		slot, _ := p.slots.Take()
		addr := p.unit.SlotAddr(slot)
		p.tx[0] = frame.Desc{Addr: addr, Len: uint32(wire.PutPFC(p.area[addr:], p.address, f))}
		p.transmit(1)
	}
	return ok
}

// sendFlows posts the frames that the flows beginning at this end may send, unless a pause stops their priority.
// Frames of a fixed rate that come due in a pause are given up. worked reports whether any frame was posted.
func (p *port) sendFlows(now wire.Time) (worked bool) {
	p.stuck |= p.paused.Stuck(now)
	stopped := p.paused.Stopped(now)
	for _, f := range p.begins {
		if (stopped|p.stopped)>>f.priority&1 == 1 { // also just after a pause: frames came due until its end
			f.hold(now)
		}
		if stopped>>f.priority&1 == 0 && p.sendFlow(f, now) {
			worked = true
		}
	}
	p.stopped = stopped
	return worked
}

// addPauses stores in d how many PFC and PAUSE frames this end, as the sender, has received for the direction's
// priority, and how long they stopped it.
func (p *port) addPauses(d *Direction, now wire.Time) {
	c := p.paused.Counters(now).Priority[d.Priority]
	d.PausesReceived, d.ResumesReceived, d.PausedSeconds = c.RxPause, c.RxResume, float64(c.Paused)/1e9
}
