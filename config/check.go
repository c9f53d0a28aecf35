package config

import (
	"uelink/dataplane"
	"uelink/llr"
)

// check finds what is wrong between values that are each right by themselves,
// and adds the LLR profile default when it was not given. A value that was
// refused before is zero here and passed over.
func (w *walk) check(s *dataplane.Settings) {
	if _, given := s.Profiles[defaultProfile]; !given {
		var p llr.Profile
		section[llr.Profile](profileFields()).defaults(&p)
		s.Profiles[defaultProfile] = p
	}
	ports := map[string]int{}
	interfaces := map[string]int{}
	for i := range s.Ports {
		p, path := &s.Ports[i], element("ports", i)
		w.unique(ports, p.Name, i, path, "name")
		w.unique(interfaces, p.Interface, i, path, "interface")
		w.checkRole(p, path)
		if p.Role == dataplane.RoleLink {
			w.checkLink(p, s.Profiles, path)
		}
	}
	w.checkXConnects(s, ports)
}

// unique reports a value that an earlier port has too.
func (w *walk) unique(taken map[string]int, v string, i int, path, key string) {
	if v == "" {
		return
	}
	if first, twice := taken[v]; twice {
		w.failAt(join(path, key), "%q is already the %s of ports[%d] (line %d)", v, key, first, w.where(join(element("ports", first), key)).line)
		return
	}
	taken[v] = i
}

// checkRole refuses the keys of a link on an edge port, and takes their defaults
// away from it.
func (w *walk) checkRole(p *dataplane.PortSettings, path string) {
	if p.Role != dataplane.RoleEdge {
		return
	}
	for _, f := range linkFields() {
		if w.has(join(path, f.key)) {
			w.failAt(join(path, f.key), "only a port with role link has this key")
		}
	}
	p.Dialect, p.FCS, p.Native = 0, false, ""
	p.EtherTypeData, p.EtherTypeControl = 0, 0
	p.LLR = dataplane.LLRSettings{}
}

func (w *walk) checkLink(p *dataplane.PortSettings, profiles map[string]llr.Profile, path string) {
	if p.EtherTypeData == p.EtherTypeControl && p.EtherTypeData != 0 {
		key := join(path, "ethertypes.control")
		if !w.has(key) {
			key = join(path, "ethertypes.data")
		}
		w.failAt(key, "0x%04X is the EtherType of data and of control frames", p.EtherTypeData)
	}
	if _, there := profiles[p.LLR.Profile]; !there && p.LLR.Profile != "" {
		w.failAt(join(path, "llr.profile"), "there is no LLR profile %q", p.LLR.Profile)
	}
}

// checkXConnects checks the ends of every xconnect against the ports.
func (w *walk) checkXConnects(s *dataplane.Settings, ports map[string]int) {
	used := map[string]int{}
	for i, x := range s.XConnects {
		path := element("xconnects", i)
		w.checkEnd(s, ports, used, i, join(path, "edge"), x.Edge, dataplane.RoleEdge)
		w.checkEnd(s, ports, used, i, join(path, "link"), x.Link, dataplane.RoleLink)
	}
}

func (w *walk) checkEnd(s *dataplane.Settings, ports, used map[string]int, i int, path, port string, want dataplane.Role) {
	if port == "" {
		return
	}
	at, known := ports[port]
	if !known {
		w.failAt(path, "there is no port %q", port)
		return
	}
	if role := s.Ports[at].Role; role != want && role != "" {
		w.failAt(path, "port %q has role %s, not %s", port, role, want)
		return
	}
	if first, twice := used[port]; twice {
		w.failAt(path, "port %q is already in xconnects[%d] (line %d)", port, first, w.where(element("xconnects", first)).line)
		return
	}
	used[port] = i
}
