package traffic

import (
	"cmp"

	"uelink/dataplane/frame"
	"uelink/pfc"
	"uelink/wire"
)

// The rates in bit/s at which the quanta of a pause are counted where PFCRate is 0, for a veth has no rate of
// its own. An end obeys as a NIC of 1 Gb/s does. The other end may count faster, as a veth says that
// it has 10 Gb/s: a pause that is sent is renewed early enough for that.
const (
	obeyedRate = 1e9
	sentRate   = 10e9
)

// newPaused is an end that obeys PFC for every priority, and PAUSE. rate is Config.PFCRate.
func newPaused(rate int64) (*pfc.Paused, error) {
	return pfc.NewPaused(pfc.PausedSettings{
		Priorities: 1<<wire.Priorities - 1, Pause: true, Rate: cmp.Or(rate, obeyedRate),
	})
}

// macControl takes what the other end has sent to stop this one, or to let it go on.
func (p *port) macControl(octets []byte, now int64) {
	f, fault := wire.ParsePFC(octets)
	if fault != wire.NoFault {
		p.paused.ReceivedMalformed()
		p.foreign++
		return
	}
	p.paused.ReceivedFrame(f, now)
}

// sendPauses sends what a slow sink has to say, ahead of data.
func (p *port) sendPauses(now int64) (worked bool) {
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

// sendFlows has the flows that are not stopped write what they may send. What comes due in a
// pause is held back, up to the moment of its end.
func (p *port) sendFlows(now int64) (worked bool) {
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

// addPauses adds what has stopped the sender of a direction.
func (p *port) addPauses(d *Direction, now int64) {
	c := p.paused.Counters(now).Priority[d.Priority]
	d.PausesReceived, d.ResumesReceived, d.PausedSeconds = c.RxPause, c.RxResume, float64(c.Paused)/1e9
}
