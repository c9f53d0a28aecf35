package station

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/lldp/ue"
	"uelink/wire"
)

// framesPerRound is the maximum number of frames that a round reads from one interface, so that the
// other interfaces get their turn. After a round in which an interface reached the maximum, Run
// pauses for floodPause. So the cost of a flood is limited to reading some 250,000 frames a second.
const (
	framesPerRound = 256
	floodPause     = time.Millisecond
)

// port is one interface with its agents.
type port struct {
	config      Port
	negotiation *ue.Port
	result      ue.Result // as reported last
	announcer   *ue.Announcer
	exchange    *exchange
	dcb         DCB // as reported last
	program     program
	agents      []*lldp.Agent

	link    link // Index 0: the interface is absent
	socket  *socket
	tap     tap
	other   *lldp.Info // LLDPDU of another agent of this host on the interface; nil: none
	otherAt wire.Time  // time of the latest LLDPDU of that agent

	allowance  allowance   // limits the rate of events
	last       agent.Event // published last
	drops      uint64      // frames that sockets had dropped when they were closed
	sendErrors uint64      // frames refused by the kernel
	trouble    string      // the reason why the interface cannot be used
}

// newPort returns the state of a port without an interface, with one LLDP agent for each destination address.
func newPort(c Port, s *station, local lldp.Local) *port {
	codec := ue.Codec{OUI: s.config.UEOUI}
	p := &port{config: c, negotiation: ue.NewPort(codec, c.UE), announcer: ue.NewAnnouncer(codec, c.Wishes),
		exchange: newExchange(&c)}
	for _, da := range c.Destinations {
		var providers []lldp.Provider
		if da == lldp.NearestBridge {
			providers = append([]lldp.Provider{p.negotiation, p.announcer, p.exchange}, c.Providers...)
		}
		settings := lldp.Config{Destination: da, Timers: c.Timers, MaxNeighbors: c.MaxNeighbors}
		p.agents = append(p.agents, lldp.NewAgent(settings, c.Mode, local, providers...))
	}
	return p
}

// attach opens a socket on the port's interface, or updates the interface's state if already
// attached.
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

// update passes the local system data and the interface's state to the agents.
func (p *port) update(local lldp.Local) {
	if p.exchange.setMAC(local.Source) {
		p.localChange()
	}
	for _, a := range p.agents {
		a.SetLocal(local)
		a.SetPortEnabled(p.link.operational)
	}
}

// detach sends shutdown LLDPDUs if possible, and closes the sockets on the interface.
func (p *port) detach(now wire.Time) {
	p.sendShutdown(now)
	for _, a := range p.agents {
		a.SetPortEnabled(false)
		a.SetAdminStatus(p.config.Mode) // sendShutdown has set Off
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

// sendShutdown makes every sending agent send its shutdown LLDPDU.
func (p *port) sendShutdown(now wire.Time) {
	for _, a := range p.agents {
		a.SetAdminStatus(lldp.Off)
		out, _ := a.Poll(now, nil, nil)
		p.send(out)
	}
}

// send sends a frame on the port's interface, with its Ethernet header; an empty frame is ignored.
func (p *port) send(frame []byte) {
	if len(frame) == 0 || p.socket == nil {
		return
	}
	if err := p.socket.send(frame); err != nil {
		p.sendErrors++
	}
}

// receive passes up to framesPerRound received frames to the agents, which report their events by report. It
// returns whether more frames may wait.
func (p *port) receive(now wire.Time, buf []byte, report func(*lldp.Agent, []lldp.Event)) (more bool) {
	for range framesPerRound {
		if p.socket == nil {
			return false
		}
		n, kind, err := p.socket.receive(buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return false // no frame, or the interface is down, which netlink reports
		}
		// The kernel strips a VLAN tag, and marks the frame of a VLAN as one for another host, whatever its address is.
		if kind != unix.PACKET_MULTICAST && kind != unix.PACKET_OTHERHOST || n < wire.HeaderLen {
			continue
		}
		if i := slices.IndexFunc(p.agents, func(a *lldp.Agent) bool { return a.Destination() == wire.MAC(buf) }); i >= 0 {
			report(p.agents[i], p.agents[i].Receive(buf[:n], now, nil))
		}
	}
	return true
}

// ours reports whether the LLDPDU was sent by an agent of this port, by its chassis id and port id.
func (p *port) ours(pdu *lldp.PDU) bool {
	return slices.ContainsFunc(p.agents, func(a *lldp.Agent) bool { return a.Local().SentBy(pdu) })
}

// status returns the interface's state: "absent", "up" or "down".
func (p *port) status() string {
	switch {
	case p.socket == nil:
		return "absent"
	case p.link.operational:
		return "up"
	}
	return "down"
}

// canBecome reports whether the port can be changed to configuration want without restarting its agents.
func (p *port) canBecome(want Port) bool {
	c := p.config
	sameInterface := c.Interface == want.Interface || p.socket != nil && slices.Contains(p.link.names, want.Interface)
	return c.Name == want.Name && sameInterface && c.MaxNeighbors == want.MaxNeighbors &&
		slices.Equal(c.Destinations, want.Destinations) && slices.Equal(c.Providers, want.Providers)
}

// apply applies a new configuration, for which canBecome is true, to a running port. Changed TLVs are sent with the
// next credit.
func (p *port) apply(want Port) {
	p.offer(want.UE)
	announced := p.announcer.SetOwn(want.Wishes)
	if p.exchange.set(&want) || announced {
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

// offer replaces the offer to the UE partner and sends it several times in quick succession: a
// partner that keeps using a withdrawn feature loses frames.
func (p *port) offer(o ue.Options) {
	p.config.UE = o
	if p.negotiation.SetOptions(o) {
		for _, a := range p.agents {
			a.FastStart()
		}
	}
}

// localChange makes every agent send a frame as soon as there is credit.
func (p *port) localChange() {
	for _, a := range p.agents {
		a.LocalChange()
	}
}

// deadline returns the time of the earliest deadline of the port's agents, of its DCBX and of its watch for other
// agents; wire.Never without an interface.
func (p *port) deadline() wire.Time {
	if p.socket == nil {
		return wire.Never
	}
	at := min(p.tap.deadline(), p.exchange.choice.Deadline())
	for _, a := range p.agents {
		at = min(at, a.Deadline())
	}
	return at
}
