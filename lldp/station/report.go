package station

import (
	"fmt"
	"time"

	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/wire"
)

// report publishes the events that the LLDP state machines of an agent have returned for a port, with text and
// neighbour added. Events beyond the port's rate limit are dropped.
func (a *Agents) report(p *port, machine *lldp.Agent, events []lldp.Event, now wire.Time) {
	for _, e := range events {
		if !p.allowance.allow(now) {
			continue // over the rate limit: spare the work of building the event
		}
		out := agent.Event{Kind: e.Kind.String(), Text: e.Cause.String()}
		switch e.Kind {
		case lldp.NeighborAdded, lldp.NeighborUpdated, lldp.NeighborDeleted:
			n := p.neighbor(machine, e.Neighbor, now)
			out.Neighbor = &n
			out.Text = summary(n.Info, e.Cause)
		case lldp.TooManyNeighborsBegan:
			out.Text = "the table of neighbours is full: LLDPDUs of new neighbours are dropped"
		case lldp.LoopBegan:
			out.Text = "frames with this port's own chassis id and port id arrive: a loop, or another station with the same ids"
		case lldp.TooManyNeighborsEnded, lldp.LoopEnded:
		}
		a.publish(p, machine, out)
	}
}

// summary returns a line of text about a neighbour: its ids and name, and the cause if it was deleted.
func summary(n *lldp.Info, cause lldp.Cause) string {
	s := fmt.Sprintf("chassis %v %v, port %v %v", n.Chassis.Subtype, n.Chassis, n.Port.Subtype, n.Port)
	if len(n.SystemName) > 0 {
		s = lldp.Text(n.SystemName) + ": " + s
	}
	if cause != lldp.NotGone {
		s += ": " + cause.String()
	}
	return s
}

// emit publishes an event of the port, unless the port is over its rate limit.
func (a *Agents) emit(p *port, e agent.Event, now wire.Time) {
	if p.allowance.allow(now) {
		a.publish(p, nil, e)
	}
}

// publish completes an event of a port with time, port name, level and destination address, and sends it to the
// subscribers. An event that only repeats the port's last event is dropped.
func (a *Agents) publish(p *port, machine *lldp.Agent, e agent.Event) {
	e.Time, e.Port, e.Level = time.Now(), p.config.Name, level(e)
	if machine != nil {
		e.Destination = machine.Destination()
	}
	if repeats(p.last, e) {
		return
	}
	p.last = e
	a.hub.Emit(e)
}

// reportNegotiation publishes a changed result of the UE negotiation as an event, and passes it to
// Config.Negotiated.
func (a *Agents) reportNegotiation(p *port, now wire.Time) {
	r := p.negotiation.Result()
	if r == p.result {
		return
	}
	p.result = r
	text := fmt.Sprintf("partner state %v, LLR local %s remote %s, CBFC %s", r.Partner, onOff(r.LLR.Local),
		onOff(r.LLR.Remote), onOff(r.CBFC.On))
	a.emit(p, agent.Event{Kind: agent.EventNegotiation, Text: text}, now)
	a.config.Negotiated(p.config.Name, r)
}

// reportDCBX publishes the notifications of DCBX to its manager (DCBX, 2.4.4) as events, and passes a changed
// outcome to Config.DCB and the NIC.
// Clauses: DCBX/goals.4.
func (a *Agents) reportDCBX(p *port, now wire.Time) {
	for _, e := range p.exchange.out.Events {
		a.emit(p, agent.Event{Kind: agent.EventDCBX + e.Kind.String(), Text: e.String()}, now)
	}
	for _, e := range p.exchange.ieeeOut.Events {
		a.emit(p, agent.Event{Kind: agent.EventDCBX + e.Kind.String(), Text: e.String()}, now)
	}
	p.exchange.out.Reset()
	p.exchange.ieeeOut.Reset()
	if text := p.exchange.dialectText(); text != p.exchange.notified {
		if p.exchange.notified = text; text != "" {
			a.emit(p, agent.Event{Kind: agent.EventDialect, Text: text}, now)
		}
	}
	a.reportDCB(p)
	a.programNIC(p)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// over begins the text of the event that ends an earlier event of the same kind.
const over = "over: "

// reportOther publishes an event, once, about another LLDP agent of this host on the port's interface. other is an
// LLDPDU of that agent; nil: none was seen. Without an LLDPDU of that agent for tapEvery + tapFor the agent counts as
// gone, and reportOther publishes an event about that.
func (a *Agents) reportOther(p *port, other *lldp.Info, now wire.Time) {
	if other == nil {
		if p.other != nil && now.Sub(p.otherAt) > tapEvery+tapFor {
			p.other = nil
			a.emit(p, agent.Event{Kind: agent.EventOtherAgent,
				Text: over + "no other LLDP agent of this host speaks any more"}, now)
		}
		return
	}
	same := p.other != nil && p.other.SameMSAP(other)
	p.other, p.otherAt = other, now
	if !same {
		a.emit(p, agent.Event{Kind: agent.EventOtherAgent, Text: p.otherText()}, now)
	}
}

// otherText returns in words the other LLDP agent of this host on the interface, or "".
func (p *port) otherText() string {
	if p.other == nil {
		return ""
	}
	o := p.other
	return fmt.Sprintf("another LLDP agent of this host speaks on %s: chassis %v %v, port %v %v: stop one of the two",
		p.config.Interface, o.Chassis.Subtype, o.Chassis, o.Port.Subtype, o.Port)
}

// reportTrouble publishes an event, once, about the reason why a port's interface cannot be used. A nil err ends the
// problem, and reportTrouble publishes an event about the end.
func (a *Agents) reportTrouble(p *port, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	switch {
	case text == p.trouble:
	case err != nil:
		a.emit(p, agent.Event{Kind: agent.EventError, Text: text}, a.now())
	default:
		a.emit(p, agent.Event{Kind: agent.EventError, Text: over + "LLDP runs on the interface"}, a.now())
	}
	p.trouble = text
}
