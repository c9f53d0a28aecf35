package dataplane

import (
	"crypto/rand"
	"encoding/binary"
	"slices"

	"uelink/dataplane/bridge"
)

// agree tells a new port what LLDP has agreed before with who is at its other end.
func (d *Dataplane) agree(g *group, a *attachment) {
	if a.settings.Role != RoleLink {
		g.exchanged(a, d.dcb[a.settings.Name])
		return
	}
	g.worker.do(func(now int64) { a.port.link.agree(d.agreed[a.settings.Name], now) })
}

// group is the bridge of a name; nil if there is none.
func (d *Dataplane) group(bridge string) *group {
	for _, g := range d.groups {
		if g.bridge != nil && g.bridge.Name == bridge {
			return g
		}
	}
	return nil
}

// port is the settings of a port of the bridge; nil if it is not in it.
func (s *BridgeSettings) port(name string) *BridgePort {
	i := slices.IndexFunc(s.Ports, func(p BridgePort) bool { return p.Port == name })
	if i < 0 {
		return nil
	}
	return &s.Ports[i]
}

// setBridge gives the bridge its settings; a new one is made.
func (g *group) setBridge(s BridgeSettings) {
	g.bridge = &s
	g.worker.do(func(now int64) {
		if g.domain.bridge == nil {
			g.domain.bridge = bridge.New(s.Settings, randomSeed(), now)
			return
		}
		g.domain.bridge.Configure(s.Settings)
	})
}

// setBridgePorts gives all ports their places in the bridge.
func (g *group) setBridgePorts() {
	for _, a := range g.members {
		g.setBridgePort(a, g.bridge.port(a.settings.Name).PortSettings)
	}
}

// randomSeed is the seed of a bridge's table. Who knew it could choose addresses that collide there.
func randomSeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program rather
	return binary.LittleEndian.Uint64(b[:])
}

// setBridgePort gives a port its place in the bridge. What is wrong with its static addresses
// the configuration has found.
func (g *group) setBridgePort(a *attachment, s bridge.PortSettings) {
	var err error
	g.worker.do(func(int64) { err = g.domain.bridge.SetPort(a.port.number, s) })
	if err != nil {
		g.fault(a, err)
	}
}
