package agent

import (
	"cmp"
	"slices"
	"time"

	"uelink/lldp"
	"uelink/lldp/ue"
	"uelink/wire"
)

// Subscribe returns a channel of events and a function that ends the subscription. A slow
// subscriber misses events.
func (a *Agents) Subscribe() (<-chan Event, func()) { return a.hub.Subscribe() }

// Missed returns the number of events that the subscriber with channel c (from Subscribe) has missed because it read
// too slowly.
func (a *Agents) Missed(c <-chan Event) uint64 { return a.hub.Missed(c) }

// Recent returns the latest events, the oldest first.
func (a *Agents) Recent() []Event { return a.hub.Recent() }

// Neighbors returns the neighbours of every port, sorted by port, destination and age.
func (a *Agents) Neighbors() []Neighbor {
	var list []Neighbor
	a.each(func(p *port, agent *lldp.Agent, now wire.Time) {
		for _, n := range agent.Neighbors(nil) {
			list = append(list, p.neighbor(agent, n, now))
		}
	})
	return list
}

// Interfaces returns the states of all agents, sorted by port and destination.
func (a *Agents) Interfaces() []Interface {
	var list []Interface
	a.each(func(p *port, agent *lldp.Agent, _ wire.Time) { list = append(list, p.iface(agent)) })
	return list
}

// Statistics returns the counters of every agent, sorted by port and destination.
func (a *Agents) Statistics() []Statistics {
	var list []Statistics
	a.each(func(p *port, agent *lldp.Agent, now wire.Time) { list = append(list, p.statistics(agent, now)) })
	return list
}

// ClearCounters sets the counters of one port to 0, or the counters of all ports if name is "".
func (a *Agents) ClearCounters(name string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if name != "" {
		if _, err := a.port(name); err != nil {
			return err
		}
	}
	for _, p := range a.ports {
		if name == "" || p.config.Name == name {
			p.clearCounters()
		}
	}
	return nil
}

// Chassis returns the local system data of the first port, or of the station if there is no port.
func (a *Agents) Chassis() lldp.Local {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.ports) > 0 {
		return *a.ports[0].agents[0].Local()
	}
	return a.station.local(&Port{}, lldp.Interface{})
}

// Negotiation returns the result of the UE negotiation of a port.
func (a *Agents) Negotiation(name string) (ue.Result, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p, err := a.port(name)
	if err != nil {
		return ue.Result{}, err
	}
	return p.negotiation.Result(), nil
}

// DCBX returns the state of DCBX on every port with DCBX, sorted by port.
func (a *Agents) DCBX() []DCBX {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []DCBX
	for _, p := range a.byName() {
		if p.exchange.on {
			cee, qaz := p.exchange.snapshot()
			list = append(list, DCBX{
				Port: p.config.Name, Interface: p.config.Interface, Version: p.exchange.choice.Version().String(),
				Dialect: p.exchange.spoken(), Heard: p.exchange.choice.Heard(),
				Snapshot: cee, IEEE: qaz, CIN: p.exchange.cin, DCBNL: p.programState(),
			})
		}
	}
	return list
}

// byName returns the ports sorted by their names.
func (a *Agents) byName() []*port {
	return slices.SortedFunc(slices.Values(a.ports), func(x,
		y *port) int {
		return cmp.Compare(x.config.Name, y.config.Name)
	})
}

// each calls f for every LLDP agent, ports in the order of their names, while holding the lock.
func (a *Agents) each(f func(p *port, agent *lldp.Agent, now wire.Time)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	for _, p := range a.byName() {
		for _, agent := range p.agents {
			f(p, agent, now)
		}
	}
}

// neighbor returns a snapshot of the neighbour n of an agent, with its UE and DCBX TLVs decoded.
func (p *port) neighbor(agent *lldp.Agent, n lldp.Neighbor, now wire.Time) Neighbor {
	out := Neighbor{
		Port: p.config.Name, Interface: p.config.Interface, Destination: agent.Destination(),
		Neighbor: n, Now: now, UE: p.negotiation.Parse(n.Info.Org), DCBX: dcbxTLVs(n.Info.Org),
	}
	for _, o := range n.Info.Org {
		out.Recognized = append(out.Recognized, agent.Recognizes(o.OUI, o.Subtype))
	}
	return out
}

// iface returns a snapshot of an agent of the port: the interface's state, settings and problems.
func (p *port) iface(agent *lldp.Agent) Interface {
	out := Interface{
		Port: p.config.Name, Interface: p.config.Interface, Destination: agent.Destination(),
		Status: p.status(), Mode: agent.Status().Admin, PDU: agent.PDU(),
		TxState: agent.TxState(), RxState: agent.RxState(), Timers: agent.Timers(),
		Neighbors: len(agent.Neighbors(nil)), TooManyNeighbors: agent.TooManyNeighbors(), Loop: agent.Loop(),
		OtherAgent: p.otherText(), Trouble: p.trouble, MTU: p.link.mtu, MAC: p.link.MAC,
	}
	if agent.Destination() == lldp.NearestBridge {
		out.UE, out.DCBX = p.negotiation.Result(), p.findings()
		out.UE.Own.HasWishes, out.UE.Own.Wishes = out.Mode.Tx(), p.announcer.Own()
	}
	return out
}

// statistics returns a snapshot of the counters of an agent.
func (p *port) statistics(agent *lldp.Agent, now wire.Time) Statistics {
	out := Statistics{
		Port: p.config.Name, Interface: p.config.Interface, Destination: agent.Destination(),
		Counters: *agent.Counters(), SocketDrops: p.drops, SendErrors: p.sendErrors, EventsSuppressed: p.allowance.suppressed,
	}
	if at, ok := agent.LastChange(); ok {
		out.LastChange = time.Now().Add(at.Sub(now))
	}
	if p.socket != nil {
		p.socket.countDrops()
		out.SocketDrops += p.socket.drops
	}
	if agent.Destination() == lldp.NearestBridge {
		out.FaultyUETLVs = *p.announcer.Faulty()
	}
	return out
}

func (p *port) clearCounters() {
	for _, agent := range p.agents {
		*agent.Counters() = lldp.Counters{}
	}
	p.drops, p.sendErrors, p.allowance.suppressed, *p.announcer.Faulty() = 0, 0, 0, 0
	if p.socket != nil {
		p.socket.countDrops()
		p.socket.drops = 0
	}
}
