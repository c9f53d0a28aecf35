package station

import (
	"errors"
	"fmt"
	"slices"

	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/wire"
)

// reconcile updates every port to the current state of its interface, and publishes the ports' problems as events. It
// returns the errors of all ports; after an error reconcileDue plans another run.
func (a *Agents) reconcile(now wire.Time) error {
	a.dirty, a.retry, a.reconciledAt = false, false, now
	a.station.refresh(a.links)
	var problems []error
	for _, p := range a.ports {
		err := a.reconcilePort(p, now)
		if err != nil {
			a.retry = true
			problems = append(problems, fmt.Errorf("port %s: %w", p.config.Name, err))
		}
		a.reportTrouble(p, err)
	}
	return errors.Join(problems...)
}

// reconcilePort attaches a port to its interface, or detaches it from a deleted or replaced interface, updates the
// local system data, and publishes a changed status of the interface as an event. The first interface found gives the
// station its address.
func (a *Agents) reconcilePort(p *port, now wire.Time) error {
	before := p.status()
	l, found, err := a.links.find(p.link.Index, p.config.Interface)
	if err != nil {
		return err
	}
	if p.socket != nil && (!found || l.Index != p.link.Index) {
		p.detach(now)
		p.forgetNIC()
	}
	if found {
		if a.station.mac == (wire.MAC{}) {
			a.station.mac = l.MAC
		}
		if err := p.attach(l); err != nil {
			return err
		}
		local := a.station.local(&p.config, l.Interface)
		if err := local.Validate(); err != nil {
			return &Error{exitConfiguration, err}
		}
		p.update(local)
	}
	if after := p.status(); after != before {
		a.emit(p, agent.Event{Kind: agent.EventInterface, Text: after}, now)
	}
	return nil
}

// Reload replaces the ports by those of configuration c. An unchanged port goes on undisturbed. A removed or
// replaced port sends shutdown LLDPDUs.
func (a *Agents) Reload(c Config) error {
	if err := c.complete(); err != nil {
		return &Error{exitConfiguration, err}
	}
	defer a.waiter.wake()
	return a.apply(c)
}

// Check returns the error that Reload would return for a mistake in c, and changes nothing.
func (a *Agents) Check(c Config) error {
	if err := c.complete(); err != nil {
		return &Error{exitConfiguration, err}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _, err := a.locals(c)
	return err
}

// locals returns the station's data by configuration c, and the local system data of each of its ports. Wrong data
// are an error.
func (a *Agents) locals(c Config) (*station, []lldp.Local, error) {
	s := newStation(c.System)
	s.mac = a.station.mac
	locals := make([]lldp.Local, len(c.Ports))
	for i := range c.Ports {
		locals[i] = s.local(&c.Ports[i], lldp.Interface{Name: c.Ports[i].Interface})
		if err := locals[i].Validate(); err != nil {
			return nil, nil, &Error{exitConfiguration, fmt.Errorf("port %s: %w", c.Ports[i].Name, err)}
		}
	}
	return s, locals, nil
}

// setPorts adds, changes and removes ports so that they are those of configuration c. If a port's data are wrong, it
// returns an error and changes nothing.
func (a *Agents) setPorts(c Config) error {
	if a.closed {
		return errors.New("the LLDP agents are closed")
	}
	s, locals, err := a.locals(c)
	if err != nil {
		return err
	}
	var ports []*port
	for i, want := range c.Ports {
		p := a.keep(want, c.System)
		if p == nil {
			p = newPort(want, s, locals[i])
		}
		ports = append(ports, p)
	}
	for _, p := range a.ports {
		if !slices.Contains(ports, p) {
			a.replaceNIC(p, ports)
			p.detach(a.now())
			a.reportDCB(p)
		}
	}
	a.config, a.station, a.ports = c, s, ports
	return nil
}

// keep applies the configuration want to the existing port that can take it over, and returns the port; nil if
// there is none and a new port is needed.
func (a *Agents) keep(want Port, s System) *port {
	i := slices.IndexFunc(a.ports, func(p *port) bool { return p.canBecome(want) && a.config.System.UEOUI == s.UEOUI })
	if i < 0 {
		return nil
	}
	a.ports[i].apply(want)
	return a.ports[i]
}
