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
	obeyedRate = 1e9
	sentRate   = 10e9
)

// newPaused returns the receiver of pauses, which obeys PFC of every priority, and PAUSE. rate is Config.PFCRate.
func newPaused(rate int64) (*pfc.Paused, error) {
	return pfc.NewPaused(pfc.PausedSettings{
		Priorities: 1<<wire.Priorities - 1, Pause: true, Rate: cmp.Or(rate, obeyedRate),
	})
}

// macControl handles a PAUSE or PFC frame of the other end.
func (p *port) macControl(octets []byte, now wire.Time) {
	f, fault := wire.ParsePFC(octets)
	if fault != wire.NoFault {
		p.paused.ReceivedMalformed()
		p.foreign++
		return
	}
	p.paused.ReceivedFrame(f, now)
}

// sendPauses sends the PFC frame of a slow sink, if one is due, ahead of data.
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

// sendFlows sends the frames that the flows may send, unless a pause stops their priority. Frames that come due in a
// pause are held back, up to its end.
func (p *port) sendFlows(now wire.Time) (worked bool) {
	p.stuck |= p.paused.Stuck(now)
	stopped := p.paused.Stopped(now)
	for _, f := range p.begins {
		if (stopped|p.stopped)>>f.priority&1 == 1 {
			f.hold(now)
		}
		if stopped>>f.priority&1 == 0 && p.sendFlow(f, now) {
			worked = true
		}
	}
	p.stopped = stopped
	return worked
}

// addPauses adds the counters of the pauses that stopped the sender of a direction.
func (p *port) addPauses(d *Direction, now wire.Time) {
	c := p.paused.Counters(now).Priority[d.Priority]
	d.PausesReceived, d.ResumesReceived, d.PausedSeconds = c.RxPause, c.RxResume, float64(c.Paused)/1e9
}
