package path

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"uelink/cbfc"
	"uelink/dataplane/bridge"
	"uelink/dataplane/frame"
	"uelink/dataplane/negotiation"
	"uelink/dataplane/partner"
	"uelink/dataplane/pfc"
	"uelink/dataplane/sched"
	"uelink/hippi"
	"uelink/internal/snapshot"
	"uelink/llr"
	"uelink/wire"
)

// renewal replaces the machines of ports by new ones with the same state, by chance: nothing may change.
type renewal struct{ r *rand.Rand }

// renew replaces the machines of a domain in one round of often.
func (n renewal) renew(d *Domain, often int) error {
	if n.r == nil || n.r.IntN(often) > 0 {
		return nil
	}
	for _, p := range d.ports {
		if p == nil {
			continue
		}
		if err := p.renew(); err != nil {
			return fmt.Errorf("port %s: %w", p.settings.Name, err)
		}
	}
	if d.Bridge == nil {
		return nil
	}
	saved := snapshot.Save("bridge", d.Bridge)
	d.Bridge = bridge.New(bridge.Settings{}, n.r.Uint64(), 0)
	return snapshot.Restore("bridge", saved, d.Bridge)
}

// renew replaces the machines of a port.
func (p *Port) renew() error {
	saved := snapshot.Save("port", p)
	p.egress.sched, p.pause.pauser, p.pause.paused = sched.New(sched.Settings{}), &pfc.Pauser{}, &pfc.Paused{}
	if l := p.Link; l != nil {
		l.LLR, l.cbfc = llr.NewLink(llr.Profile{}, 0, [2]byte{}), cbfc.NewPort(cbfc.Settings{})
		l.Partner, l.modes.machine = partner.New(0), negotiation.Machine{}
	}
	if h := p.HIPPI; h != nil {
		h.End = hippi.NewLink(hippi.Standard(), 1)
	}
	if err := snapshot.Restore("port", saved, p); err != nil {
		return err
	}
	if repeat := snapshot.Save("port", p); !bytes.Equal(saved, repeat) {
		return fmt.Errorf("saved:\n%s\nrestored:\n%s", saved, repeat)
	}
	return nil
}

// handOver returns a new domain with the state and the devices of another, in one round of often, as another process
// would make it; nil: not in this round. became has the new port of each port.
func (n renewal) handOver(d *Domain, often int, now wire.Time) (next *Domain, became map[*Port]*Port, err error) {
	if n.r == nil || n.r.IntN(often) > 0 || !d.Settle() {
		return nil, nil, nil
	}
	saved := snapshot.Save("domain", d)
	next, became = NewDomain(d.Drain), map[*Port]*Port{}
	if d.Bridge != nil {
		next.Bridge = bridge.New(bridge.Settings{}, n.r.Uint64(), 0)
	}
	for _, p := range slices.Backward(d.ports) { // in another order: the state has the numbers
		if p == nil {
			continue
		}
		became[p] = NewPort(p.settings, llr.Profile{}, time.Second, now)
		if p.Link != nil {
			became[p].Link.buffered.kind = p.Link.buffered.kind
		}
		next.Add(became[p])
	}
	for old, p := range became {
		if old.Other != nil {
			p.Other = became[old.Other]
		}
		var devices []frame.Device
		for _, from := range old.sources {
			if _, ok := from.device.(*assembly); !ok {
				devices = append(devices, from.device)
			}
		}
		if len(devices) > 0 {
			next.Attach(p, devices, old.iface.mac, old.MTU)
		}
	}
	if err := snapshot.Restore("domain", saved, next); err != nil {
		return nil, nil, err
	}
	if before, after := d.withoutBridge(), next.withoutBridge(); !bytes.Equal(before, after) {
		return nil, nil, fmt.Errorf("saved:\n%s\nrestored:\n%s", before, after)
	}
	return next, became, nil
}

// withoutBridge returns the state of a domain, without that of its bridge: another bridge has another order of
// addresses.
func (d *Domain) withoutBridge() []byte {
	b := d.Bridge
	d.Bridge = nil
	defer func() { d.Bridge = b }()
	return snapshot.Save("domain", d)
}

// handOver replaces the domain of an end by another with its state and its devices: nothing may change.
func (p *pair) handOver(e *end) error {
	next, became, err := p.renewal.handOver(e.x, 150, p.now)
	if next == nil {
		return err
	}
	e.x, e.edge, e.l = next, became[e.edge], became[&e.l.Port].Link
	return nil
}

// handOver replaces the domain of an end by another with its state and its devices: nothing may change.
func (p *hippiPair) handOver(e *hippiEnd) error {
	next, became, err := p.renewal.handOver(e.x, 150, p.now)
	if next == nil {
		return err
	}
	p.handed++
	e.x, e.edge, e.h = next, became[e.edge], became[&e.h.Port].HIPPI
	return nil
}

// handOver replaces a domain by another with its state and its devices: nothing may change.
func (n *lan) handOver(i int) error {
	next, became, err := n.renewal.handOver(n.domains[i], 150, n.now)
	if next == nil {
		return err
	}
	for _, h := range n.hosts {
		if h.domain == n.domains[i] {
			h.domain, h.edge = next, became[h.edge]
		}
	}
	n.domains[i] = next
	return nil
}
