package path

import "uelink/internal/snapshot"

// PassState passes the state of the port's machines: scheduler and PFC; and of a link LLR, CBFC, the partner and the
// negotiation. The frames that wait, the slots and the counters of the port are no part of it.
func (p *Port) PassState(s *snapshot.State) {
	s.Group("scheduler", p.sched.PassState)
	s.Group("pauser", p.pause.pauser.PassState)
	s.Group("paused", p.pause.paused.PassState)
	if l := p.Link; l != nil {
		s.Group("llr", l.LLR.PassState)
		s.Group("cbfc", l.cbfc.PassState)
		s.Group("partner", l.Partner.PassState)
		s.Group("negotiation", l.modes.PassState)
	}
}
