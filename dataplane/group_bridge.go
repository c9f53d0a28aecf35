package dataplane

import (
	"crypto/rand"
	"encoding/binary"

	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
	"uelink/wire"
)

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

// setBridgePort adds a port to the bridge, or applies new settings to a bridge port. An error becomes a fault of the
// port. The configuration has checked the static addresses.
func (g *group) setBridgePort(a *attachment, s bridge.PortSettings) {
	var err error
	g.worker.Do(func(wire.Time) { err = g.domain.Bridge.SetPort(a.port.Number, s) })
	if err != nil {
		g.fault(a, err)
	}
}

// randomSeed returns a random seed for the hash function of a bridge's address table. With a known seed an
// attacker could choose colliding addresses.
func randomSeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return binary.LittleEndian.Uint64(b[:])
}

// bridgeState returns a snapshot of the bridge of the group and of its ports, without the addresses.
func (g *group) bridgeState() model.BridgeState {
	s := model.BridgeState{Name: g.bridge.Name, Settings: g.bridge.Settings}
	g.worker.Do(func(wire.Time) {
		b := g.domain.Bridge
		s.Counters = b.Counters()
		for _, a := range g.members {
			s.Ports = append(s.Ports, model.BridgePortState{
				Port: a.settings.Name, State: a.bridgeState(b), Settings: g.bridge.port(a.settings.Name).PortSettings,
				Counters: b.PortCounters(a.port.Number),
			})
		}
	})
	s.Entries = s.Counters.FDBEntries
	return s
}

// bridgeState returns whether the port forwards frames in bridge b. Only the worker calls bridgeState.
func (a *attachment) bridgeState(b *bridge.Bridge) model.BridgePortStatus {
	switch {
	case !a.port.Ready():
		return model.BridgePortDown
	case b.Blocked(a.port.Number):
		return model.BridgePortBlocked
	}
	return model.BridgePortForwarding
}

// appendFDB appends the addresses of the bridge to list. It reads them in parts, and the worker moves frames between
// two parts.
func (g *group) appendFDB(list []model.FDBEntry) []model.FDBEntry {
	var part []bridge.Entry
	for next, more := 0, true; more; more = next != 0 {
		g.worker.Do(func(now wire.Time) { part, next = g.domain.Bridge.EntriesPart(part[:0], next, now) })
		for _, e := range part {
			list = append(list, model.FDBEntry{
				Bridge: g.bridge.Name, Port: g.domain.PortName(e.Port), MAC: e.MAC, VLAN: e.VLAN, Static: e.Static, Age: e.Age,
			})
		}
	}
	return list
}
