package path

import (
	"uelink/dataplane/model"
	"uelink/wire"
)

// State returns a snapshot of the part of a port's state that the worker has.
func (p *Port) State(now wire.Time) model.PortState {
	s := p.plainState(now)
	if p.link != nil {
		p.link.fill(&s, now)
	}
	return s
}

// plainState returns the part of a snapshot that ports of all roles have.
func (p *Port) plainState(now wire.Time) model.PortState {
	s := model.PortState{
		Protocol: p.settings.Protocol, Name: p.settings.Name, Interface: p.settings.Interface, Role: p.settings.Role,
		OperStatus: p.operStatus(), MTU: p.MTU, MAC: p.iface.mac, Speed: p.iface.speed,
		Queues: p.sockets(), RingSize: p.settings.RingSize,
		RxRingSize: p.settings.RxRing(), ChunkSize: p.chunkSize(),
		Counters: p.Counters, QueuedFrames: p.egress.waiting, QueueStats: p.egress.state(p.settings.Stops),
		StandsStill: p.findings.standstill.stands,
		PFC:         p.pfcState(now), Dropping: p.findings.drops.leaving.Now || p.findings.drops.entering.Now,
		Fault:        p.dropsText(),
		FaultReasons: p.dropsReasons(), Unanswered: p.findings.asked.Unanswered(now),
		QoS: p.settings.QoS, Scheduler: p.settings.Scheduler, Trimming: p.settings.Trimming,
	}
	if p.Other != nil {
		s.XConnect = p.Other.settings.Name
	}
	return s
}

// sockets returns the number of RX queues for which the port has an AF_XDP socket.
func (p *Port) sockets() int {
	if p.HIPPI != nil && p.Attached() {
		return len(p.sources) - 1 // without the assembly
	}
	return len(p.sources)
}

// chunkSize returns the octets of a chunk of the port's devices. Without devices it returns the configured size: 0 is
// auto.
func (p *Port) chunkSize() int {
	if !p.Attached() {
		return p.settings.ChunkSize
	}
	return p.device().Geometry().ChunkSize
}

// operStatus returns the state of the port's interface: absent, without a carrier, or up.
func (p *Port) operStatus() model.OperStatus {
	switch {
	case !p.Attached():
		return model.OperAbsent
	case p.iface.up:
		return model.OperUp
	}
	return model.OperDown
}

// state returns snapshots of those queues that have counts, waiting frames, or a bound, or are among stops.
func (e *egress) state(stops model.QueueStops) (list []model.QueueState) {
	for i, c := range e.counters {
		q, stopped, closed := &e.queues[i], stops.Stopped>>i&1 != 0, stops.Closed>>i&1 != 0
		if q.length > 0 || q.bound > 0 || stopped || closed || c != (model.QueueCounters{}) {
			list = append(list, model.QueueState{
				Queue: i, QueuedFrames: q.length, Occupancy: q.octets, Watermark: q.watermark, Bound: q.bound,
				Stopped: stopped, Closed: closed, QueueCounters: c,
			})
		}
	}
	return list
}
