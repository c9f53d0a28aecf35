package agent

import (
	"slices"

	"golang.org/x/sys/unix"

	"uelink/lldp"
	"uelink/lldp/ue"
	"uelink/wire"
)

// framesPerRound is the most that one interface may hand in before the others
// have their turn. After a round in which one did, Run pauses for floodPause: so
// a flood costs what reading some 250,000 frames a second costs, and no more.
const (
	framesPerRound = 256
	floodPause     = second / 1000
)

// port is one interface with its agents.
type port struct {
	config      Port
	negotiation *ue.Port
	result      ue.Result // as it was told last
	exchange    *exchange
	dcb         DCB // as it was told last
	program     program
	agents      []*lldp.Agent

	link    link // Index 0: the interface is not there
	socket  *socket
	tap     tap
	other   *lldp.Info // another agent of this host on the interface
	otherAt int64

	allowance  allowance
	last       Event  // that was published last
	drops      uint64 // of sockets that are closed
	sendErrors uint64
	trouble    string // why the interface cannot be used
}

func newPort(c Port, s *station, local lldp.Local) *port {
	p := &port{config: c, negotiation: ue.NewPort(ue.Codec{OUI: s.config.UEOUI}, c.UE), exchange: newExchange(c.DCBX),
		program: program{ifname: c.Interface}}
	for _, da := range c.Destinations {
		var providers []lldp.Provider
		if da == lldp.NearestBridge {
			providers = append([]lldp.Provider{p.negotiation, p.exchange}, c.Providers...)
		}
		settings := lldp.Config{Destination: da, Timers: c.Timers, MaxNeighbors: c.MaxNeighbors}
		p.agents = append(p.agents, lldp.NewAgent(settings, c.Mode, local, providers...))
	}
	return p
}

// attach takes the interface that the port is configured for, as it is now.
func (p *port) attach(l link) error {
	if p.socket != nil && l.Index == p.link.Index {
		p.link = l
		return nil
	}
	s, err := openSocket(int(l.Index), p.config.Destinations)
	if err != nil {
		return err
	}
	p.link, p.socket = l, s
	return nil
}

// follow tells the agents what the interface has become.
func (p *port) follow(local lldp.Local) {
	for _, a := range p.agents {
		a.SetLocal(local)
		a.SetPortEnabled(p.link.operational)
	}
}

// leave says good-bye on the interface, if it still can, and lets go of it.
func (p *port) leave(now int64) {
	p.farewell(now)
	for _, a := range p.agents {
		a.SetPortEnabled(false)
		a.SetAdminStatus(p.config.Mode)
	}
	p.tap.close()
	p.tap = tap{}
	p.other = nil
	if p.socket != nil {
		p.socket.countDrops()
		p.drops += p.socket.drops
		p.socket.close()
	}
	p.socket, p.link = nil, link{}
}

// farewell has every agent that speaks send its shutdown LLDPDU.
func (p *port) farewell(now int64) {
	for _, a := range p.agents {
		a.SetAdminStatus(lldp.Off)
		out, _ := a.Poll(now, nil, nil)
		p.send(out)
	}
}

// send sends a frame, if there is one.
func (p *port) send(frame []byte) {
	if len(frame) == 0 || p.socket == nil {
		return
	}
	if err := p.socket.send(frame); err != nil {
		p.sendErrors++
	}
}

// receive hands at most framesPerRound frames to the agents. It tells whether
// there may be more.
func (p *port) receive(now int64, buf []byte, report func(*lldp.Agent, []lldp.Event)) (more bool) {
	for range framesPerRound {
		if p.socket == nil {
			return false
		}
		n, kind, err := p.socket.receive(buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return false // nothing there, or the interface is down: netlink tells
		}
		// A frame of a VLAN comes with its tag taken off, as one for another host.
		if kind != unix.PACKET_MULTICAST || n < wire.HeaderLen {
			continue
		}
		if i := slices.IndexFunc(p.agents, func(a *lldp.Agent) bool { return a.Destination() == wire.MAC(buf) }); i >= 0 {
			report(p.agents[i], p.agents[i].Receive(buf[:n], now, nil))
		}
	}
	return true
}

// ours tells whether one of the agents sent the LLDPDU.
func (p *port) ours(pdu *lldp.PDU) bool {
	return slices.ContainsFunc(p.agents, func(a *lldp.Agent) bool { return a.Local().SentBy(pdu) })
}

// status is the interface in a word.
func (p *port) status() string {
	switch {
	case p.socket == nil:
		return "absent"
	case p.link.operational:
		return "up"
	}
	return "down"
}

// stays tells whether the port can become want while it goes on.
func (p *port) stays(want Port) bool {
	c := p.config
	return c.Name == want.Name && c.Interface == want.Interface && c.MaxNeighbors == want.MaxNeighbors &&
		slices.Equal(c.Destinations, want.Destinations) && slices.Equal(c.Providers, want.Providers)
}

// change makes the port want, which stays has found possible.
func (p *port) change(want Port) {
	p.offer(want.UE)
	if p.exchange.set(want.DCBX) {
		p.localChange()
	}
	for _, a := range p.agents {
		a.SetAdminStatus(want.Mode)
		if want.Timers != p.config.Timers {
			a.SetTimers(want.Timers)
		}
	}
	p.config = want
}

// offer changes what the UE partner is offered. It is told several times in quick
// succession: a partner that goes on with what is no longer offered loses frames.
func (p *port) offer(o ue.Options) {
	p.config.UE = o
	if p.negotiation.SetOptions(o) {
		for _, a := range p.agents {
			a.FastStart()
		}
	}
}

// localChange has every agent send a frame soon.
func (p *port) localChange() {
	for _, a := range p.agents {
		a.LocalChange()
	}
}

// deadline is when one of the machines has something to do.
func (p *port) deadline() int64 {
	if p.socket == nil {
		return never
	}
	at := p.tap.deadline()
	for _, a := range p.agents {
		at = min(at, a.Deadline())
	}
	return at
}
