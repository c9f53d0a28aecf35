package config

import (
	"slices"

	"uelink/config/schema"
	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
	"uelink/wire"
)

// domains maps the name of a port to the path of the entry of xconnects or bridges that has it.
type domains map[string]string

// claim records in used that a port belongs to a domain (an xconnect or a bridge), or reports a port that is
// already in another domain. path is the configuration key that names the port.
func (w checks) claim(used domains, port, domain, path string) {
	if first, twice := used[port]; twice {
		w.FailAt(path, "port %q is already in %s (%s)", port, first, w.Place(first))
		return
	}
	used[port] = domain
}

// checkBridges checks every bridge: its name, its ports against the section ports, and its VLANs.
func (w checks) checkBridges(d *document, ports map[string]int, used domains) {
	names := map[string]int{}
	for i := range d.bridges {
		b, path := &d.bridges[i], schema.Element("bridges", i)
		w.checkBridgeName(names, ports, b.settings.Name, i)
		n, key := len(b.ports), schema.Join(path, "ports")
		if w.Has(key) && !w.Wrong(key) && (n == 0 || n > bridge.MaxPorts) {
			w.FailAt(key, "a bridge has 1 to %d ports, not %d", bridge.MaxPorts, n)
		}
		for j := range b.ports {
			w.checkBridgePort(d, ports, used, b.ports[j].Port, schema.Element(schema.Join(path, "ports"), j))
		}
		if b.settings.VLANFiltering {
			w.checkVLANs(b, path)
		} else {
			w.refuseVLANs(b, path)
		}
		w.checkStatic(b, path)
	}
}

// checkBridgeName reports a bridge whose name an earlier bridge or a port has. i is the index of the bridge.
func (w checks) checkBridgeName(names, ports map[string]int, name string, i int) {
	key := schema.Join(schema.Element("bridges", i), "name")
	if name == "" {
		return
	}
	if first, twice := names[name]; twice {
		place := w.Place(schema.Join(schema.Element("bridges", first), "name"))
		w.FailAt(key, "%q is already the name of bridges[%d] (%s)", name, first, place)
		return
	}
	names[name] = i
	if at, taken := ports[name]; taken {
		place := w.Place(schema.Join(schema.Element("ports", at), "name"))
		w.FailAt(key, "%q is already the name of ports[%d] (%s)", name, at, place)
	}
}

// checkBridgePort refuses a port of a bridge that does not exist, has role host, or is in another xconnect or bridge;
// any other port it records in used. path is the place of the port's entry in the bridge.
func (w checks) checkBridgePort(d *document, ports map[string]int, used domains, port, path string) {
	key := schema.Join(path, "port")
	if port == "" {
		return
	}
	at, ok := ports[port]
	switch {
	case !ok:
		w.FailAt(key, "there is no port %q", port)
	case d.ports[at].frames.Role == model.RoleHost:
		w.FailAt(key, "port %q has role host: the ports of a bridge have role link or edge", port)
	default:
		w.claim(used, port, path, key)
	}
}

// refuseVLANs refuses the keys that need VLAN filtering, for a bridge without it.
func (w checks) refuseVLANs(b *bridgeEntry, path string) {
	for i := range b.ports {
		port := schema.Element(schema.Join(path, "ports"), i)
		for _, f := range membershipFields() {
			w.refuseVLAN(schema.Join(port, f.Key))
		}
		for j, a := range b.ports[i].Static {
			if a.VLAN != 0 {
				w.refuseVLAN(schema.Join(schema.Element(schema.Join(port, "static"), j), "vlan"))
			}
		}
	}
}

func (w checks) refuseVLAN(key string) {
	if w.Has(key) && !w.Wrong(key) {
		w.FailAt(key, "only a bridge with vlan_filtering: true has this key")
	}
}

// checkVLANs checks the VLANs of every port of a bridge whose VLAN keys could be read.
func (w checks) checkVLANs(b *bridgeEntry, path string) {
	for i := range b.ports {
		port := schema.Element(schema.Join(path, "ports"), i)
		wrong := func(f schema.Field[bridgePortEntry]) bool { return w.Wrong(schema.Join(port, f.Key)) }
		if !slices.ContainsFunc(membershipFields(), wrong) {
			w.checkMembership(&b.ports[i], port)
		}
	}
}

// checkMembership refuses a VLAN that is both tagged and untagged on a port, and a static address in a VLAN that the
// port is not in.
func (w checks) checkMembership(p *bridgePortEntry, port string) {
	tagged, untagged := p.vlans()
	for i, r := range p.untagged {
		if both, twice := r.firstIn(&tagged); twice {
			w.FailAt(schema.Element(schema.Join(port, "untagged"), i),
				"VLAN %d is in tagged, too: frames of a VLAN leave a port either tagged or untagged", both)
		}
	}
	for i, a := range p.Static {
		key := schema.Join(schema.Element(schema.Join(port, "static"), i), "vlan")
		switch {
		case w.Wrong(key):
		case a.VLAN == 0:
			w.FailAt(key, "the address needs a VLAN: the bridge has vlan_filtering: true")
		case !tagged[a.VLAN] && !untagged[a.VLAN]:
			w.FailAt(key, "the port is not in VLAN %d", a.VLAN)
		}
	}
}

// firstIn returns the first VLAN of the range that is in the set, and whether there is one.
func (r vlanRange) firstIn(s *vlanSet) (vlan uint16, in bool) {
	for vlan = r.first; vlan <= r.last; vlan++ {
		if s[vlan] {
			return vlan, true
		}
	}
	return 0, false
}

// checkStatic refuses an address that is static twice in one VLAN of the bridge. The number of static addresses needs
// no check: more than bridge.MaxStatic of them exceed the length of a configuration.
func (w checks) checkStatic(b *bridgeEntry, path string) {
	first := map[bridge.Address]string{}
	for i := range b.ports {
		list := schema.Join(schema.Element(schema.Join(path, "ports"), i), "static")
		for j, a := range b.ports[i].Static {
			key := schema.Element(list, j)
			if at, twice := first[a]; twice && a.MAC != (wire.MAC{}) { // a zero address was refused before
				w.FailAt(schema.Join(key, "mac"), "%s is already at %s (%s)", a, at, w.Place(at))
				continue
			}
			first[a] = key
		}
	}
}
