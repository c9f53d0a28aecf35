package station

import (
	"fmt"
	"slices"
	"time"

	"uelink/internal/snapshot"
	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/lldp/dcbnl"
)

// At an upgrade the agents of this process go on in another process: the other process opens its agents, Freeze stops
// the agents of this one, their state is saved, and Restore makes the other agents go on from there. Each process has
// sockets of its own: an LLDPDU that both receive only refreshes its neighbour.

// Freeze stops all LLDP agents until Thaw: none sends, receives or changes its state, so the state can be saved.
func (a *Agents) Freeze() { a.mu.Lock() }

// Thaw lets LLDP agents that Freeze has stopped go on.
func (a *Agents) Thaw() { a.mu.Unlock() }

// Restore makes agents just opened go on from state, the saved state of the agents of another process, so that
// neighbours notice nothing. All results of negotiation and DCBX are passed to Config.Negotiated and Config.DCB once
// more, because the other process may have ended before it acted on them. After an error this process must end without
// Close, which would tell the neighbours that the agents leave.
func (a *Agents) Restore(state []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := snapshot.Restore("lldp", state, a); err != nil {
		return err
	}
	for _, p := range a.ports {
		a.config.Negotiated(p.config.Name, p.result)
		if p.config.DCBX != nil {
			a.config.DCB(p.config.Name, p.dcb)
		}
	}
	return nil
}

// PassState saves to snapshot s, or restores from it, the agents of every port: neighbours with their ages, timers,
// DCBX and the negotiation of UE; and the latest events. To restored events those of this process's start are added
// that say anything new.
func (a *Agents) PassState(s *snapshot.State) {
	elapsed := a.now()
	snapshot.Number(s, "now", &elapsed)
	if s.Restoring() {
		a.start = time.Now().Add(-time.Duration(elapsed))
	}
	snapshot.Numbers(s, "station", a.station.mac[:])
	for i, p := range a.ports {
		s.Group(fmt.Sprintf("port%d", i), p.passState)
	}
	own, past := a.hub.Recent(), a.hub.Recent()
	snapshot.List(s, "events", &past, 1024, passEvent)
	if s.Restoring() {
		a.hub.Restore(append(past, slices.DeleteFunc(own, func(e agent.Event) bool { return !news(past, e) })...))
	}
}

// news reports whether e, an event of this process's start, differs in its text from the last event of the same port
// and kind in past, the events that the previous process has published.
func news(past []agent.Event, e agent.Event) bool {
	for _, p := range slices.Backward(past) {
		if p.Port == e.Port && p.Kind == e.Kind {
			return p.Text != e.Text
		}
	}
	return e.Kind != agent.EventInterface
}

// passEvent saves an event to a snapshot or restores it from there, without the content of the neighbour's LLDPDU.
// The level is not saved, because it follows from kind and text.
func passEvent(s *snapshot.State, e *agent.Event) {
	at := int64(0)
	if !e.Time.IsZero() {
		at = e.Time.UnixNano()
	}
	snapshot.Number(s, "at", &at)
	snapshot.Text(s, "port", &e.Port)
	snapshot.Numbers(s, "destination", e.Destination[:])
	snapshot.Text(s, "kind", &e.Kind)
	snapshot.Text(s, "text", &e.Text)
	if s.Restoring() {
		e.Time, e.Level = time.Unix(0, at), level(*e)
	}
}

// passState saves to snapshot s, or restores from it, the agents of a port.
func (p *port) passState(s *snapshot.State) {
	name, agents := p.config.Name, len(p.agents)
	snapshot.Text(s, "name", &name)
	snapshot.Number(s, "agents", &agents)
	s.Check(name == p.config.Name && agents == len(p.agents), "port %s with %d agents", name, agents)
	if !s.Valid() {
		return
	}
	for i, agent := range p.agents {
		s.Group(fmt.Sprintf("agent%d", i), agent.PassState)
	}
	s.Group("ue", p.negotiation.PassState)
	s.Struct("result", &p.result)
	s.Group("dcbx", p.exchange.passState)
	s.Struct("dcb", &p.dcb)
	s.Group("nic", p.program.passState)
	lldp.PassInfo(s, "other", &p.other)
	snapshot.Number(s, "other_at", &p.otherAt)
	s.Bool("allowance", &p.allowance.started)
	snapshot.Number(s, "allowance_left", &p.allowance.left)
	snapshot.Number(s, "allowance_at", &p.allowance.at)
	snapshot.Number(s, "suppressed", &p.allowance.suppressed)
	snapshot.Number(s, "drops", &p.drops)
	snapshot.Number(s, "send_errors", &p.sendErrors)
	snapshot.Number(s, "faulty_ue_tlvs", p.announcer.Faulty())
	if s.Restoring() {
		p.config.UE = p.negotiation.Options()
		if p.config.DCBNL && p.exchange.running() && p.program.ifindex == 0 && p.program.former == nil {
			// An older version, which does not record former settings, has programmed the NIC: its former settings are unknown.
			p.program.former = &dcbnl.Former{Unknown: true}
		}
	}
}

// passState saves to snapshot s, or restores from it, the state of DCBX on a port.
func (e *exchange) passState(s *snapshot.State) {
	s.Group("port", e.port.PassState)
	s.Bool("on", &e.on)
	s.Struct("cin", &e.cin)
	old := false // not used: versions that spoke only CEE saved here whether the peer spoke only IEEE
	s.Bool("ieee", &old)
	s.Group("qaz", e.ieee.PassState)
	s.Group("choice", e.choice.PassState)
	if s.Restoring() {
		e.run()
		e.out.Reset()
		e.ieeeOut.Reset()
		e.notified = e.dialectText() // the other process has published this notification
	}
}
