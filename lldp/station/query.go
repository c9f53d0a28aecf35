package station

import (
	"cmp"
	"slices"
	"time"

	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/lldp/ue"
	"uelink/wire"
)

// Subscribe returns a channel of events and a function that ends the subscription. A slow
// subscriber misses events.
func (a *Agents) Subscribe() (<-chan agent.Event, func()) { return a.hub.Subscribe() }

// Missed returns the number of events that the subscriber with channel c (from Subscribe) has missed because it read
// too slowly.
func (a *Agents) Missed(c <-chan agent.Event) uint64 { return a.hub.Missed(c) }

// Recent returns the latest events, the oldest first.
func (a *Agents) Recent() []agent.Event { return a.hub.Recent() }

// Neighbors returns the neighbours of every port, sorted by port, destination and age.
func (a *Agents) Neighbors() []agent.Neighbor {
	var list []agent.Neighbor
	a.each(func(p *port, machine *lldp.Agent, now wire.Time) {
		for _, n := range machine.Neighbors(nil) {
			list = append(list, p.neighbor(machine, n, now))
		}
	})
	return list
}

// Interfaces returns the states of all agents, sorted by port and destination.
func (a *Agents) Interfaces() []agent.Interface {
	var list []agent.Interface
	a.each(func(p *port, machine *lldp.Agent, _ wire.Time) { list = append(list, p.iface(machine)) })
	return list
}

// Statistics returns the counters of every agent, sorted by port and destination.
func (a *Agents) Statistics() []agent.Statistics {
	var list []agent.Statistics
	a.each(func(p *port, machine *lldp.Agent, now wire.Time) { list = append(list, p.statistics(machine, now)) })
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
func (a *Agents) DCBX() []agent.DCBX {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []agent.DCBX
	for _, p := range a.byName() {
		if p.exchange.on {
			cee, qaz := p.exchange.snapshot()
			list = append(list, agent.DCBX{
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
func (a *Agents) each(f func(p *port, machine *lldp.Agent, now wire.Time)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	for _, p := range a.byName() {
		for _, machine := range p.agents {
			f(p, machine, now)
		}
	}
}

// neighbor returns a snapshot of the neighbour n of an agent, with its UE and DCBX TLVs decoded.
func (p *port) neighbor(machine *lldp.Agent, n lldp.Neighbor, now wire.Time) agent.Neighbor {
	out := agent.Neighbor{
		Port: p.config.Name, Interface: p.config.Interface, Destination: machine.Destination(),
		Neighbor: n, Now: now, UE: p.negotiation.Parse(n.Info.Org), DCBX: dcbxTLVs(n.Info.Org),
	}
	for _, o := range n.Info.Org {
		out.Recognized = append(out.Recognized, machine.Recognizes(o.OUI, o.Subtype))
	}
	return out
}

// iface returns a snapshot of an agent of the port: the interface's state, settings and problems.
func (p *port) iface(machine *lldp.Agent) agent.Interface {
	out := agent.Interface{
		Port: p.config.Name, Interface: p.config.Interface, Destination: machine.Destination(),
		Status: p.status(), Mode: machine.Status().Admin, PDU: machine.PDU(),
		TxState: machine.TxState(), RxState: machine.RxState(), Timers: machine.Timers(),
		Neighbors: len(machine.Neighbors(nil)), TooManyNeighbors: machine.TooManyNeighbors(), Loop: machine.Loop(),
		OtherAgent: p.otherText(), Trouble: p.trouble, MTU: p.link.mtu, MAC: p.link.MAC,
	}
	if machine.Destination() == lldp.NearestBridge {
		out.UE, out.DCBX = p.negotiation.Result(), p.findings()
		out.UE.Own.HasWishes, out.UE.Own.Wishes = out.Mode.Tx(), p.announcer.Own()
	}
	return out
}

// statistics returns a snapshot of the counters of an agent.
func (p *port) statistics(machine *lldp.Agent, now wire.Time) agent.Statistics {
	out := agent.Statistics{
		Port: p.config.Name, Interface: p.config.Interface, Destination: machine.Destination(),
		Counters: *machine.Counters(), SocketDrops: p.drops, SendErrors: p.sendErrors, EventsSuppressed: p.allowance.suppressed,
	}
	if at, ok := machine.LastChange(); ok {
		out.LastChange = time.Now().Add(at.Sub(now))
	}
	if p.socket != nil {
		p.socket.countDrops()
		out.SocketDrops += p.socket.drops
	}
	if machine.Destination() == lldp.NearestBridge {
		out.FaultyUETLVs = *p.announcer.Faulty()
	}
	return out
}

// clearCounters sets the port's LLDP counters to 0, including the count of frames that the socket dropped.
func (p *port) clearCounters() {
	for _, machine := range p.agents {
		*machine.Counters() = lldp.Counters{}
	}
	p.drops, p.sendErrors, p.allowance.suppressed, *p.announcer.Faulty() = 0, 0, 0, 0
	if p.socket != nil {
		p.socket.countDrops()
		p.socket.drops = 0
	}
}
