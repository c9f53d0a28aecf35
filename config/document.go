package config

import (
	"net/netip"

	"uelink/config/schema"
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/lldp"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/dialect"
	"uelink/lldp/dcbx/ieee"
	"uelink/lldp/station"
	"uelink/lldp/ue"
)

// document is a configuration as written, before it is divided among the parts of the daemon.
type document struct {
	Config
	station  lldpStation
	qos      qosEntry
	trimming trimEntry
	credits  map[string]cbfcProfile
	ports    []portEntry
	bridges  []bridgeEntry
}

// lldpStation is the section lldp.
type lldpStation struct {
	system       station.System
	capabilities []lldp.CapabilitySet
	enabled      []lldp.CapabilitySet
	management   []managementAddress
}

// managementAddress is an address, or the word auto.
type managementAddress struct {
	auto bool
	addr netip.Addr
}

// portEntry is one entry of ports.
type portEntry struct {
	frames model.PortSettings
	qos    portQoS
	trim   portTrim
	agent  station.Port
	mode   lldpMode
	custom []lldp.Org
	cbfc   cbfcEntry
	hippi  hippiEntry
	dcbx   dcbxEntry
	pfc    pfcEntry
	host   hostEntry
	lanes  []uint32 // SAI's
	labels model.Labels
}

// dcbxEntry is the section dcbx of a port.
type dcbxEntry struct {
	on         bool
	version    dialect.Version
	apply      bool
	local      dcbx.Local
	priorities []uint8 // with PFC
	protocols  []protocolEntry
	// defaultPriority is the priority of frames without an entry, or noPriority.
	defaultPriority uint8
	cbs, mbc        bool
	hasTables       bool // there is a section ets with tables
	tables          ieee.ETS
	recommends      bool // there is a section ets.recommend
	recommend       ieee.ETS
}

// protocolEntry is one entry of dcbx.app.entries.
type protocolEntry struct {
	etherType  uint16
	port       uint16
	tcp, udp   uint16
	dscp       uint16 // or noDSCP
	priorities []uint8
}

// noPriority is the default priority of a port without one.
const noPriority = 8

// noDSCP is the DSCP of an entry for another kind of protocol.
const noDSCP = 64

// selector returns the selector and the protocol of the entry in the terms of IEEE 802.1Qaz.
func (p *protocolEntry) selector() (selector uint8, protocol uint16) {
	switch {
	case p.dscp != noDSCP:
		return ieee.SelectorDSCP, p.dscp
	case p.tcp != 0:
		return ieee.SelectorTCP, p.tcp
	case p.udp != 0:
		return ieee.SelectorUDP, p.udp
	case p.port != 0:
		return ieee.SelectorPort, p.port
	}
	return ieee.SelectorEtherType, p.etherType
}

// lldpMode is the directions of LLDP on a port; with auto the role of the port decides.
type lldpMode struct {
	auto  bool
	fixed lldp.AdminStatus
}

// String returns the LLDP mode's name in the configuration: auto, or a direction such as rx-tx.
func (m lldpMode) String() string {
	if m.auto {
		return "auto"
	}
	return m.fixed.String()
}

// adminStatus returns whether LLDP sends, receives, both or neither on the port. Mode auto means off on an edge,
// and both on a link or host.
func (p *portEntry) adminStatus() lldp.AdminStatus {
	switch {
	case !p.mode.auto:
		return p.mode.fixed
	case p.frames.Role == model.RoleEdge:
		return lldp.Off
	}
	return lldp.RxTx
}

// finish fills Config (settings of the ports, bridges and LLDP) from a document that passed every check. The data plane
// gets no port of role host, and LLDP no edge whose lldp.mode is auto.
func (d *document) finish() {
	d.LLDP.System = d.station.finish()
	d.Settings.Trimming = d.trimming.TrimmingSettings
	classifier := d.classifier()
	for i := range d.ports {
		p := &d.ports[i]
		d.setLabels(p)
		if p.frames.RxRingSize == 0 {
			p.frames.RxRingSize = model.DefaultRxRing(p.frames.Role, p.frames.RingSize)
		}
		if p.frames.QoS.Trust == qos.TrustUET {
			p.frames.QoS.Classifier = classifier
		}
		if p.frames.Role != model.RoleHost {
			d.Settings.Ports = append(d.Settings.Ports, p.frames)
			d.setLanes(p)
		}
		if p.frames.Role != model.RoleEdge || !p.mode.auto {
			d.LLDP.Ports = append(d.LLDP.Ports, p.agentPort())
		}
	}
	for i := range d.bridges {
		d.Settings.Bridges = append(d.Settings.Bridges, d.bridges[i].finish())
	}
}

// setFiles fills Config.Files: the ports that stand in a file beside the configuration.
func (d *document) setFiles(w *schema.Walk) {
	for i := range d.ports {
		if file := w.File(schema.Element("ports", i)); file != "" {
			if d.Files == nil {
				d.Files = map[string]string{}
			}
			d.Files[d.ports[i].frames.Name] = file
		}
	}
}

// setLanes copies the SAI lanes of a port, if it has any, to Config.Lanes.
func (d *document) setLanes(p *portEntry) {
	if len(p.lanes) == 0 {
		return
	}
	if d.Lanes == nil {
		d.Lanes = map[string][]uint32{}
	}
	d.Lanes[p.frames.Name] = p.lanes
}

// finish returns the settings of the station, with capabilities and management addresses from the lists.
func (s *lldpStation) finish() station.System {
	out := s.system
	out.HasCapabilities = len(s.capabilities) > 0
	out.Capabilities = lldp.Capabilities{System: union(s.capabilities), Enabled: union(s.enabled)}
	for _, m := range s.management {
		if m.auto {
			out.ManagementAuto = true
		} else {
			out.Management = append(out.Management, m.addr)
		}
	}
	return out
}

func union(sets []lldp.CapabilitySet) (all lldp.CapabilitySet) {
	for _, s := range sets {
		all |= s
	}
	return all
}

// agentPort returns the port's settings for the LLDP agents.
func (p *portEntry) agentPort() station.Port {
	a := p.agent
	a.Name, a.Interface, a.Mode, a.Custom = p.frames.Name, p.frames.Interface, p.adminStatus(), p.custom
	a.UE, a.Wishes = p.offer(), p.wishes()
	if p.dcbx.on {
		local := p.dcbx.parameters()
		other := p.dcbx.ieee(local)
		a.DCBX, a.Dialect, a.IEEE, a.DCBNL = &local, p.dcbx.version, &other, p.dcbx.apply
	}
	a.SetCredit()
	return a
}

// wishes returns the DCBX settings of the port that LLDP sends to a uelinkd at the other end (TLV ue.Wishes).
func (p *portEntry) wishes() ue.Wishes {
	pfc := p.dcbx.parameters().PFC
	w := ue.Wishes{DCBX: p.dcbx.on, PFC: pfc.Enable && pfc.Advertise, Willing: pfc.Willing,
		Priorities: pfc.Config.Enable}
	w.Asks = w.DCBX && w.PFC && (w.Priorities != 0 || p.pfc.mode == pfcDynamic)
	return w
}

// ieee returns the parameters of IEEE DCBX: those of local, converted, and those that CEE does not have. An Application
// entry with several priorities becomes an IEEE entry for each priority.
// Clauses: 802.1Qaz/octets.4.
func (e *dcbxEntry) ieee(local dcbx.Local) ieee.Local {
	l := ieee.ConvertLocal(local)
	l.ETS.CBS, l.PFC.MBC = e.cbs, e.mbc
	if e.hasTables {
		l.ETS.ETS, l.Recommendation = e.tables, e.tables
	}
	if e.recommends {
		l.Recommendation = e.recommend
	}
	for i := range e.protocols {
		selector, protocol := e.protocols[i].selector()
		for _, priority := range e.protocols[i].priorities {
			l.App = append(l.App, ieee.AppEntry{Priority: priority, Selector: selector, Protocol: protocol})
		}
	}
	if e.defaultPriority != noPriority {
		l.App = append(l.App, ieee.AppEntry{Priority: e.defaultPriority, Selector: ieee.SelectorEtherType,
			Protocol: ieee.DefaultProtocol})
	}
	return l
}

// parameters returns the parameters of CEE from the port's configuration, with PFC priorities and Application entries
// filled in. An entry of CEE for a port does not tell TCP from UDP, and CEE has no entries for a DSCP.
func (e *dcbxEntry) parameters() dcbx.Local {
	local := e.local
	local.PFC.Config.Enable = bitmap[uint8](e.priorities)
	for i := range e.protocols {
		p := &e.protocols[i]
		selector, protocol := p.selector()
		entry := dcbx.AppEntry{Protocol: protocol, OUI: dcbx.OUI, Selector: dcbx.SelectorPort,
			Priorities: bitmap[uint8](p.priorities)}
		switch selector {
		case ieee.SelectorDSCP:
			continue
		case ieee.SelectorEtherType:
			entry.Selector = dcbx.SelectorEtherType
		}
		local.App.Config.Entries = append(local.App.Config.Entries, entry)
	}
	return local
}

// bitmap returns a number in which bit n is set for every n of the list.
func bitmap[B uint8 | uint32](list []uint8) (b B) {
	for _, n := range list {
		b |= 1 << n
	}
	return b
}

// repeated returns the index of the first value of the list that is also earlier in the list, or -1.
func repeated[V comparable](list []V) int {
	seen := make(map[V]bool, len(list))
	for i, v := range list {
		if seen[v] {
			return i
		}
		seen[v] = true
	}
	return -1
}
