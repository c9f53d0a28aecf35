package config

import (
	"maps"
	"slices"

	"uelink/config/schema"
	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// checks has the checks of values against each other, after all values were read.
type checks struct{ *schema.Walk }

// check reports problems between values that are each valid, and adds the LLR profile default unless the document has
// one. A value that the reader refused is zero here, and check skips it.
func (w checks) check(d *document) {
	s := &d.Settings
	if _, given := s.Profiles[defaultProfile]; !given {
		var p llr.Profile
		profileFields().Defaults(&p)
		s.Profiles[defaultProfile] = p
	}
	w.checkReplay(s.Profiles)
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
		if p.frames.Role == model.RoleLink {
			w.checkProtocol(p, path)
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
	w.checkLanes(d.ports)
	w.checkStation(&d.station)
	w.checkWeb(&d.Web)
	w.checkDomains(d, ports)
}

// checkReplay refuses profiles with selective replay and a window of more frames than llr.SelectiveFramesMax.
func (w checks) checkReplay(profiles map[string]llr.Profile) {
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		p := profiles[name]
		if p.Replay == llr.Selective && p.ReplaySlots() > llr.SelectiveFramesMax {
			w.FailAt(schema.Join(schema.Join("llr_profiles", schema.Printable(name)), "replay"),
				"selective replay allows %d outstanding frames, and max_outstanding_frames is %d: lower "+
					"max_outstanding_frames, or set replay: auto, which then uses go-back-N",
				llr.SelectiveFramesMax, p.MaxOutstandingFrames)
		}
	}
}

// unique refuses the value v of a port if an earlier port has the same value. taken holds earlier values with the
// index of their port.
func (w checks) unique(taken map[string]int, v string, i int, path, key string) {
	if v == "" {
		return
	}
	if first, twice := taken[v]; twice {
		w.FailAt(schema.Join(path, key), "%q is already the %s of ports[%d] (%s)", v, key, first,
			w.Place(schema.Join(schema.Element("ports", first), key)))
		return
	}
	taken[v] = i
}

// checkRole reports, as problems, the keys that a port of its role cannot have. For an edge or a host it also clears
// the settings of a link, which have the defaults of their keys.
func (w checks) checkRole(p *portEntry, path string) {
	f := &p.frames
	if f.Role == model.RoleLink || f.Role == model.RoleHost {
		refuse(w, pfcFields(), path, "edge")
	}
	if f.Role != model.RoleEdge && f.Role != model.RoleHost {
		return
	}
	refuse(w, schema.Within(slices.Concat(linkProtocolFields(), linkFields()), frames), path, "link")
	refuse(w, hippiFields(), path, "link")
	refuse(w, cbfcFields(), path, "link")
	if f.Role == model.RoleHost {
		refuse(w, schema.Within(frameFields(), frames), path, "link or edge")
		refuse(w, portQoSFields(), path, "link or edge")
		refuse(w, saiFields(), path, "link or edge")
	}
	f.Dialect, f.FCS, f.Native, f.Encapsulation = 0, false, 0, 0
	f.EtherTypeData, f.EtherTypeControl = 0, 0
	f.LLR, f.VCs = model.LLRSettings{}, 0
}

// refuse reports, as a problem, each key of section s that the document has for the port at path: only ports with
// the given role may have such a key.
func refuse[T any](w checks, s schema.Section[T], path, role string) {
	for _, f := range s {
		if w.Has(schema.Join(path, f.Key)) {
			w.FailAt(schema.Join(path, f.Key), "only a port with role %s has this key", role)
		}
	}
}

// checkLink checks the EtherTypes, encapsulation and LLR profile of a link, and sets the defaults of llr.local and
// llr.remote in mode dynamic.
// Clauses: SAI-LLR/port.4.
func (w checks) checkLink(p *model.PortSettings, profiles map[string]llr.Profile, path string) {
	if p.EtherTypeData == p.EtherTypeControl && p.EtherTypeData != 0 {
		key := schema.Join(path, "ethertypes.control")
		if !w.Has(key) {
			key = schema.Join(path, "ethertypes.data")
		}
		w.FailAt(key, "0x%04X is the EtherType of data frames and of control frames: set two different EtherTypes",
			p.EtherTypeData)
	}
	if p.Partner != (wire.MAC{}) && !p.Addressed() {
		w.FailAt(schema.Join(path, "partner"),
			"a transparent link has no address to send to: set encapsulation: addressed")
	}
	if _, ok := profiles[p.LLR.Profile]; !ok && p.LLR.Profile != "" {
		w.FailAt(schema.Join(path, "llr.profile"), "there is no LLR profile %q", p.LLR.Profile)
	}
	if p.LLR.Mode == model.LLRDynamic {
		p.LLR.Local = p.LLR.Local || !w.Has(schema.Join(path, "llr.local"))
		p.LLR.Remote = p.LLR.Remote || !w.Has(schema.Join(path, "llr.remote"))
	}
}

// checkQueues refuses a tx_queue that is not among the queues with a socket.
func (w checks) checkQueues(p *model.PortSettings, path string) {
	key := schema.Join(path, "tx_queue")
	if t := p.TxQueue; t.Given && !p.Queues.Empty() && !p.Queues.Contains(t.Number) {
		w.FailAt(key, "queue %d has no socket (queues: %v), so frames cannot leave by this queue: choose a queue "+
			"with a socket, or add %d to queues", t.Number, p.Queues, t.Number)
	}
}

// checkDomains checks that every port named by an xconnect or a bridge exists, and that each port is in exactly
// one of them.
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
	role      model.Role
}

// checkXConnects checks both ends of every xconnect: each must name a port of the right role that is used once.
func (w checks) checkXConnects(d *document, ports map[string]int, used domains) {
	for i, x := range d.Settings.XConnects {
		for _, e := range []end{{"edge", x.Edge, model.RoleEdge}, {"link", x.Link, model.RoleLink}} {
			w.checkEnd(d, ports, used, schema.Element("xconnects", i), e)
		}
	}
}

// checkUsed refuses link and edge ports that are in no xconnect or bridge.
func (w checks) checkUsed(d *document, used domains) {
	for i, p := range d.ports {
		if _, in := used[p.frames.Name]; !in && p.frames.Role != model.RoleHost {
			w.FailAt(schema.Join(schema.Element("ports", i), "name"),
				"port %q is in no xconnect or bridge: add the port to one, or remove the port", p.frames.Name)
		}
	}
}

// checkEnd checks one end of an xconnect: the port must exist, have the role of the end, and be in no other
// xconnect or bridge. It records in used that the port belongs to this xconnect.
func (w checks) checkEnd(d *document, ports map[string]int, used domains, xconnect string, e end) {
	if e.port == "" {
		return
	}
	path := schema.Join(xconnect, e.key)
	at, ok := ports[e.port]
	if !ok {
		w.FailAt(path, "there is no port %q", e.port)
		return
	}
	if role := d.ports[at].frames.Role; role != e.role && role != 0 {
		w.FailAt(path, "port %q has role %s, not %s", e.port, role, e.role)
		return
	}
	w.claim(used, e.port, xconnect, path)
}
