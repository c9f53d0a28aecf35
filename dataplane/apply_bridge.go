package dataplane

import (
	"crypto/rand"
	"encoding/binary"
	"slices"

	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
	"uelink/wire"
)

// agree applies the latest results of LLDP to a new port: a link's negotiation of LLR and CBFC, an edge's DCBX.
func (d *Dataplane) agree(g *group, a *attachment) {
	if a.settings.Role != model.RoleLink {
		g.applyDCB(a, d.dcb[a.settings.Name])
		return
	}
	if a.settings.Protocol == model.LLR {
		g.worker.Do(func(now wire.Time) { a.port.Link.Agree(d.agreed[a.settings.Name], now) })
	}
}

// group returns the bridge with a name, nil if no bridge has the name.
func (d *Dataplane) group(bridge string) *group {
	for _, g := range d.groups {
		if g.bridge != nil && g.bridge.Name == bridge {
			return g
		}
	}
	return nil
}

// port returns the settings of the bridge port with a name; nil if the port is not in the bridge.
func (s *BridgeSettings) port(name string) *BridgePort {
	i := slices.IndexFunc(s.Ports, func(p BridgePort) bool { return p.Port == name })
	if i < 0 {
		return nil
	}
	return &s.Ports[i]
}

// setBridge applies settings to the bridge of the group, and creates the bridge if there is none yet.
func (g *group) setBridge(s BridgeSettings) {
	g.bridge = &s
	g.worker.Do(func(now wire.Time) {
		if g.domain.Bridge == nil {
			g.domain.Bridge = bridge.New(s.Settings, randomSeed(), now)
			return
		}
		g.domain.Bridge.Configure(s.Settings)
	})
}

// setBridgePorts adds all ports of the group to its bridge, with their bridge settings.
func (g *group) setBridgePorts() {
	for _, a := range g.members {
		g.setBridgePort(a, g.bridge.port(a.settings.Name).PortSettings)
	}
}

// randomSeed returns a random seed for the hash function of a bridge's address table. With a known seed an
// attacker could choose colliding addresses.
func randomSeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program rather
	return binary.LittleEndian.Uint64(b[:])
}

// setBridgePort adds a port to the bridge, or applies new settings to a bridge port. An error becomes a fault of the
// port. The configuration has checked the static addresses.
func (g *group) setBridgePort(a *attachment, s bridge.PortSettings) {
	var err error
	g.worker.Do(func(wire.Time) { err = g.domain.Bridge.SetPort(a.port.Number, s) })
	if err != nil {
		g.fault(a, err)
	}
}
