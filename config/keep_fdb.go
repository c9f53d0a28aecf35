package config

import (
	"fmt"
	"net"
	"slices"
	"strconv"

	"uelink/dataplane"
	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
)

// static writes into the text those static entries of the bridges' tables that commands have added. Entries that are in
// the text, and that commands have removed, are listed as lost.
func (k *keeper) static(now []model.FDBEntry) {
	for i := range k.config.Settings.Bridges {
		for j := range k.config.Settings.Bridges[i].Ports {
			k.staticOf(i, j, now)
		}
	}
}

// staticOf writes the static entries in now of a bridge port into the text; i and j are the indexes of the bridge and
// of its port.
func (k *keeper) staticOf(i, j int, now []model.FDBEntry) {
	b := &k.config.Settings.Bridges[i]
	name, port, old := b.Name, b.Ports[j].Port, b.Ports[j].Static
	same := func(a bridge.Address) func(model.FDBEntry) bool {
		return func(e model.FDBEntry) bool {
			return e.Static && e.Bridge == name && e.Port == port && e.MAC == a.MAC && e.VLAN == a.VLAN
		}
	}
	for _, a := range old {
		if !slices.ContainsFunc(now, same(a)) {
			k.lost = append(k.lost,
				staticName(a, port)+": a command has removed the address, but the file still has it: remove the address "+
					"from section bridges of the file")
		}
	}
	for _, e := range now {
		a := bridge.Address{MAC: e.MAC, VLAN: e.VLAN}
		if !same(a)(e) || slices.Contains(old, a) {
			continue
		}
		mac := net.HardwareAddr(a.MAC[:]).String()
		place := []string{"bridges", "name=" + name, "ports", "port=" + port, "static", "mac=" + mac}
		value := ""
		if a.VLAN != 0 {
			place, value = append(place, "vlan"), strconv.Itoa(int(a.VLAN))
		}
		k.keep(staticName(a, port), []set{{place, value}}, func(c *Config) { addStatic(&c.Settings, i, j, a) })
	}
}

// addStatic puts an address in front of the static addresses of a port of a bridge, and leaves the settings that share
// memory with s as they are.
func addStatic(s *dataplane.Settings, i, j int, a bridge.Address) {
	s.Bridges = slices.Clone(s.Bridges)
	b := &s.Bridges[i]
	b.Ports = slices.Clone(b.Ports)
	b.Ports[j].Static = append([]bridge.Address{a}, b.Ports[j].Static...)
}

// staticName returns a static entry in words.
func staticName(a bridge.Address, port string) string {
	text := "static FDB entry " + net.HardwareAddr(a.MAC[:]).String()
	if a.VLAN != 0 {
		text += fmt.Sprintf(" in VLAN %d", a.VLAN)
	}
	return text + " of port " + port
}
