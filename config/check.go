package config

import (
	"uelink/config/schema"
	"uelink/dataplane"
	"uelink/llr"
	"uelink/wire"
)

// checks has the checks between values that have been read.
type checks struct{ *schema.Walk }

// check reports problems between values that are right each by themselves, and adds the LLR profile default unless
// the document has one. A value refused by the reader is zero here; check skips it.
func (w checks) check(d *document) {
	s := &d.Settings
	if _, given := s.Profiles[defaultProfile]; !given {
		var p llr.Profile
		profileFields().Defaults(&p)
		s.Profiles[defaultProfile] = p
	}
	w.checkSchedulerTypes(&d.qos)
	w.checkCreditProfiles(d.credits)
	w.checkTrimming(&d.trimming)
	ports := map[string]int{}
	interfaces := map[string]int{}
	for i := range d.ports {
		p, path := &d.ports[i], schema.Element("ports", i)
		w.unique(ports, p.frames.Name, i, path, "name")
		w.unique(interfaces, p.frames.Interface, i, path, "interface")
		w.checkRole(p, path)
		w.checkQueues(&p.frames, path)
		if p.frames.Role == dataplane.RoleLink {
			w.checkLink(&p.frames, s.Profiles, path)
			w.checkCBFC(d.credits, p, path)
		}
		w.checkQoS(&d.qos, p, path)
		w.checkPortTrimming(&d.trimming, p, path)
		w.checkLLDP(p, path)
		w.checkPFC(p, path)
		w.checkHost(p, path)
	}
	w.checkHostNames(d.ports, interfaces)
	w.checkStation(&d.station)
	w.checkDomains(d, ports)
}

// unique refuses the value v of a port if an earlier port has the same value. taken holds earlier values with the
// index of their port.
func (w checks) unique(taken map[string]int, v string, i int, path, key string) {
	if v == "" {
		return
	}
	if first, twice := taken[v]; twice {
		w.FailAt(schema.Join(path, key), "%q is already the %s of ports[%d] (line %d)", v, key, first,
			w.Line(schema.Join(schema.Element("ports", first), key)))
		return
	}
	taken[v] = i
}

// checkRole refuses the keys that the role of the port does not have, and clears their defaults.
func (w checks) checkRole(p *portEntry, path string) {
	f := &p.frames
	if f.Role == dataplane.RoleLink || f.Role == dataplane.RoleHost {
		refuse(w, pfcFields(), path, "edge")
	}
	if f.Role != dataplane.RoleEdge && f.Role != dataplane.RoleHost {
		return
	}
	refuse(w, schema.Within(linkFields(), frames), path, "link")
	refuse(w, cbfcFields(), path, "link")
	if f.Role == dataplane.RoleHost {
		refuse(w, schema.Within(frameFields(), frames), path, "link or edge")
		refuse(w, portQoSFields(), path, "link or edge")
	}
	f.Dialect, f.FCS, f.Native, f.Encapsulation = 0, false, 0, 0
	f.EtherTypeData, f.EtherTypeControl = 0, 0
	f.LLR, f.VCs = dataplane.LLRSettings{}, 0
}

// refuse reports every key of a section that the port at path has as a problem: only ports with the given role have
// it.
func refuse[T any](w checks, s schema.Section[T], path, role string) {
	for _, f := range s {
		if w.Has(schema.Join(path, f.Key)) {
			w.FailAt(schema.Join(path, f.Key), "only a port with role %s has this key", role)
		}
	}
}

// checkLink checks the LLR and encapsulation of a link, and sets the defaults of llr.local and llr.remote in mode
// dynamic.
func (w checks) checkLink(p *dataplane.PortSettings, profiles map[string]llr.Profile, path string) {
	if p.EtherTypeData == p.EtherTypeControl && p.EtherTypeData != 0 {
		key := schema.Join(path, "ethertypes.control")
		if !w.Has(key) {
			key = schema.Join(path, "ethertypes.data")
		}
		w.FailAt(key, "0x%04X is the EtherType of data and of control frames", p.EtherTypeData)
	}
	if p.Partner != (wire.MAC{}) && p.Encapsulation != dataplane.Addressed {
		w.FailAt(schema.Join(path, "partner"), "a transparent link has no address to send to: set encapsulation: addressed")
	}
	if _, there := profiles[p.LLR.Profile]; !there && p.LLR.Profile != "" {
		w.FailAt(schema.Join(path, "llr.profile"), "there is no LLR profile %q", p.LLR.Profile)
	}
	if p.LLR.Mode == dataplane.LLRDynamic {
		p.LLR.Local = p.LLR.Local || !w.Has(schema.Join(path, "llr.local"))
		p.LLR.Remote = p.LLR.Remote || !w.Has(schema.Join(path, "llr.remote"))
	}
}

// checkDomains checks the xconnects and the bridges against the ports: each port is in exactly one.
func (w checks) checkDomains(d *document, ports map[string]int) {
	used := domains{}
	w.checkXConnects(d, ports, used)
	w.checkBridges(d, ports, used)
	if w.Right() { // after a wrong name, checkUsed would report its port a second time
		w.checkUsed(d, used)
	}
}

// end is one of the two ends of an xconnect.
type end struct {
	key, port string
	role      dataplane.Role
}

// checkXConnects checks the ends of every xconnect against the ports.
func (w checks) checkXConnects(d *document, ports map[string]int, used domains) {
	for i, x := range d.Settings.XConnects {
		for _, e := range []end{{"edge", x.Edge, dataplane.RoleEdge}, {"link", x.Link, dataplane.RoleLink}} {
			w.checkEnd(d, ports, used, schema.Element("xconnects", i), e)
		}
	}
}

// checkUsed refuses link and edge ports that are in no xconnect or bridge.
func (w checks) checkUsed(d *document, used domains) {
	for i, p := range d.ports {
		if _, in := used[p.frames.Name]; !in && p.frames.Role != dataplane.RoleHost {
			w.FailAt(schema.Join(schema.Element("ports", i), "name"),
				"port %q is in no xconnect or bridge: add one, or take the port out", p.frames.Name)
		}
	}
}

// checkEnd checks one end of an xconnect.
func (w checks) checkEnd(d *document, ports map[string]int, used domains, xconnect string, e end) {
	if e.port == "" {
		return
	}
	path := schema.Join(xconnect, e.key)
	at, known := ports[e.port]
	if !known {
		w.FailAt(path, "there is no port %q", e.port)
		return
	}
	if role := d.ports[at].frames.Role; role != e.role && role != 0 {
		w.FailAt(path, "port %q has role %s, not %s", e.port, role, e.role)
		return
	}
	w.claim(used, e.port, xconnect, path)
}
