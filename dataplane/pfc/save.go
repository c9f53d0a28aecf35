package pfc

import (
	"uelink/internal/snapshot"
	"uelink/wire"
)

// PassState saves which priorities this end has stopped at the other end, and the counters, to a snapshot, or
// restores them.
func (p *Pauser) PassState(s *snapshot.State) {
	s.Struct("settings", &p.settings)
	if s.Restoring() {
		p.restoreSettings(s)
	}
	snapshot.Number(s, "stop", &p.stop)
	snapshot.Number(s, "stopped", &p.stopped)
	snapshot.Number(s, "refresh", &p.refresh)
	snapshot.Number(s, "refresh_at", &p.refreshAt)
	snapshot.Number(s, "lift_at", &p.liftAt)
	s.Bool("leaving", &p.leaving)
	s.Struct("counters", &p.counters)
}

// restoreSettings checks restored settings and computes the values that follow from them.
func (p *Pauser) restoreSettings(s *snapshot.State) {
	if !s.Valid() {
		return
	}
	err := p.Configure(p.settings)
	s.Check(err == nil, "%v", err)
}

// PassState saves the pauses that the other end has demanded, and the counters, to a snapshot, or restores them.
func (p *Paused) PassState(s *snapshot.State) {
	s.Struct("settings", &p.settings)
	if err := p.settings.Validate(); err != nil {
		s.Check(false, "%v", err)
	}
	snapshot.Number(s, "stopped", &p.stopped)
	snapshot.Number(s, "stuck", &p.stuck)
	snapshot.Numbers(s, "since", p.since[:])
	snapshot.Numbers(s, "until", p.until[:])
	p.window.passState(s)
	s.Struct("counters", &p.counters)
	s.Check(p.stuck&^p.stopped == 0, "stuck %b of stopped %b", p.stuck, p.stopped)
	for i := range wire.Priorities {
		s.Check(p.stopped>>i&1 == 0 || p.since[i] <= p.until[i], "priority %d: the pause begins at %d ns, after its end "+
			"at %d ns", i, p.since[i],
			p.until[i])
	}
	if s.Restoring() {
		p.findNext()
	}
}
