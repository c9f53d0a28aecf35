package agent

import (
	"fmt"
	"time"

	"go.uber.org/zap"

	"uelink/lldp"
)

// report tells of what an agent says has happened.
func (a *Agents) report(p *port, agent *lldp.Agent, events []lldp.Event, now int64) {
	for _, e := range events {
		if !p.allowance.take(now) {
			continue // before any work for it
		}
		out := Event{Kind: e.Kind.String(), Text: e.Cause.String()}
		switch e.Kind {
		case lldp.NeighborAdded, lldp.NeighborUpdated, lldp.NeighborDeleted:
			n := p.neighbor(agent, e.Neighbor, now)
			out.Neighbor = &n
			out.Text = summary(n.Info, e.Cause)
		case lldp.TooManyNeighborsBegan:
			out.Text = "there is no room for more neighbours: new ones are not taken"
		case lldp.LoopBegan:
			out.Text = "frames with this port's own chassis id and port id arrive: a loop, or another station with the same ids"
		}
		a.publish(p, agent, out)
	}
}

// emit reports an event of the port, unless it has had too many.
func (a *Agents) emit(p *port, e Event, now int64) {
	if p.allowance.take(now) {
		a.publish(p, nil, e)
	}
}

// publish hands an event to the subscribers and to the log.
func (a *Agents) publish(p *port, agent *lldp.Agent, e Event) {
	e.Time, e.Port = time.Now(), p.config.Name
	if agent != nil {
		e.Destination = agent.Destination()
	}
	if p.last.repeats(e) {
		return
	}
	p.last = e
	a.hub.Emit(e)
	level := zap.InfoLevel
	switch e.Kind {
	case lldp.TooManyNeighborsBegan.String(), lldp.LoopBegan.String(), EventOtherAgent, EventError:
		level = zap.WarnLevel
	case lldp.NeighborUpdated.String():
		level = zap.DebugLevel
	}
	a.log.Log(level, "lldp: "+e.Kind, zap.String("port", e.Port), zap.String("interface", p.config.Interface),
		zap.String("what", e.Text))
}

// tellNegotiation tells of a new result of the UE negotiation.
func (a *Agents) tellNegotiation(p *port, now int64) {
	r := p.negotiation.Result()
	if r == p.result {
		return
	}
	p.result = r
	text := fmt.Sprintf("partner %v, LLR local %s remote %s, CBFC %s", r.Partner, onOff(r.LLR.Local), onOff(r.LLR.Remote),
		onOff(r.CBFC.On))
	a.emit(p, Event{Kind: EventNegotiation, Text: text}, now)
	a.config.Negotiated(p.config.Name, r)
}

// tellDCBX tells of what DCBX notifies its manager of (DCBX, 2.4.4).
func (a *Agents) tellDCBX(p *port, now int64) {
	for _, e := range p.exchange.out.Events {
		a.emit(p, Event{Kind: EventDCBX + e.Kind.String(), Text: e.String()}, now)
	}
	p.exchange.out.Reset()
	a.tellDCB(p)
	a.programNIC(p)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// tellOther tells of another LLDP agent of this host on the port's interface.
func (a *Agents) tellOther(p *port, other *lldp.Info, now int64) {
	if other == nil {
		if p.other != nil && now-p.otherAt > tapEvery+tapFor {
			p.other = nil
		}
		return
	}
	known := p.other != nil && p.other.SameMSAP(other)
	p.other, p.otherAt = other, now
	if !known {
		a.emit(p, Event{Kind: EventOtherAgent, Text: p.otherText()}, now)
	}
}

// otherText describes the other agent, if there is one.
func (p *port) otherText() string {
	if p.other == nil {
		return ""
	}
	o := p.other
	return fmt.Sprintf("another LLDP agent of this host speaks on %s: chassis %v %v, port %v %v: stop one of the two",
		p.config.Interface, o.Chassis.Subtype, o.Chassis, o.Port.Subtype, o.Port)
}

// tellTrouble tells why an interface cannot be used, once.
func (a *Agents) tellTrouble(p *port, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != p.trouble && err != nil {
		a.emit(p, Event{Kind: EventError, Text: text}, a.now())
	}
	p.trouble = text
}
