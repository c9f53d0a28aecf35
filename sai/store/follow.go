package store

import (
	"maps"
	"reflect"
	"slices"

	"uelink/cbfc"
	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/sai"
)

// Reload makes the data plane use new settings of the configuration file, with SAI's values on top. Where the file
// has changed since the last load, SAI's value is dropped. If the data plane refuses, nothing changes.
func (s *Store) Reload(next dataplane.Settings) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	objects, base := s.copied(), s.base
	s.yield(next)
	s.base = next
	s.follow()
	effective := s.effective(nil)
	if err := s.plane.Reload(effective); err != nil {
		s.objects, s.base = objects, base
		return err
	}
	s.now = effective
	return nil
}

// yield drops the values set by SAI whose counterpart in the configuration file differs in next, the new settings.
func (s *Store) yield(next dataplane.Settings) {
	for _, o := range s.objects {
		switch o.oid.Type() {
		case sai.TypePort:
			s.yieldPort(o, next)
		case sai.TypeLLRProfile:
			if !o.isFromClient() && s.base.Profiles[o.name] != next.Profiles[o.name] {
				clear(o.values)
			}
		case sai.TypeVC, sai.TypeQoSMap, sai.TypeCreditProfile:
			current := portOf(next, o.port)
			if !o.isFromClient() &&
				(current == nil || !reflect.DeepEqual(partOf(portOf(s.base, o.port), o), partOf(current, o))) {
				maps.DeleteFunc(o.values, func(id uint32, _ sai.Value) bool {
					return s.find(o.oid.Type(), id).Flags&CreateOnly == 0
				})
			}
		default: // the configuration file has no part that corresponds to a pool
		}
	}
}

// yieldPort drops the attributes set by SAI of port object o whose counterpart in the configuration file differs in
// next, the new settings.
func (s *Store) yieldPort(o *object, next dataplane.Settings) {
	old, current := portOf(s.base, o.name), portOf(next, o.name)
	for id := range maps.Clone(o.values) {
		forbidden := managed(id) && !s.manages
		if current == nil || forbidden || !reflect.DeepEqual(ofFile(old, id), ofFile(current, id)) {
			delete(o.values, id)
		}
	}
}

// portOf returns the settings of the port with a name; nil if s has none.
func portOf(s dataplane.Settings, name string) *model.PortSettings {
	i := slices.IndexFunc(s.Ports, func(p model.PortSettings) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Ports[i]
}

// partOf returns the part of a port's settings that corresponds to object o of the configuration: a QoS map, a credit
// profile or a virtual channel.
func partOf(p *model.PortSettings, o *object) any {
	switch o.oid.Type() {
	case sai.TypeQoSMap:
		return pairsOf(&p.QoS, o.values[mapType].Number)
	case sai.TypeCreditProfile:
		return p.CBFC.Profile[o.channel()]
	default: // TypeVC
		vc := index(o)
		return [...]any{p.CBFC.Lossless >> vc & 1, p.CBFC.Limit[vc%cbfc.VCs], p.CBFC.Profile[vc%cbfc.VCs]}
	}
}

// index returns the number of the virtual channel that object o stands for.
func index(o *object) uint8 { return uint8(o.values[vcIndex].Number) }

// follow adds objects for new parts of the configuration and removes those of parts that are gone, together with what
// SAI has made on a removed port.
func (s *Store) follow() {
	present := map[string]bool{}
	wanted := s.wanted()
	for oid, o := range s.objects {
		removed := !slices.ContainsFunc(wanted, func(w want) bool { return w.key == o.key })
		if oid.Type() == sai.TypeQueue {
			removed = portOf(s.base, o.port) == nil
		}
		if !o.isFromClient() && removed {
			delete(s.objects, oid)
		}
		present[o.key] = true
	}
	for _, w := range wanted {
		if !present[w.key] {
			o := w.make()
			o.key = w.key
			s.objects[o.oid] = o
		}
	}
	s.dropOrphans()
}

// dropOrphans removes attributes that refer to removed objects, and objects that cannot be without such an attribute,
// such as a virtual channel of a removed port.
func (s *Store) dropOrphans() {
	for dropped := true; dropped; {
		dropped = false
		for oid, o := range s.objects {
			for i := range s.table[oid.Type()] {
				a := &s.table[oid.Type()][i]
				to := o.values[a.ID].OID
				if a.Kind != sai.ObjectID || to == 0 || s.objects[to] != nil {
					continue
				}
				dropped = true
				if a.Flags&Mandatory != 0 {
					delete(s.objects, oid)
					break
				}
				delete(o.values, a.ID)
			}
		}
	}
}

// portNamed returns the id of the object of the port with a name; 0 if there is none.
func (s *Store) portNamed(name string) sai.OID {
	for oid, o := range s.objects {
		if oid.Type() == sai.TypePort && o.name == name {
			return oid
		}
	}
	return 0
}

// vcOf returns the object of virtual channel vc of a port; nil if there is none.
func (s *Store) vcOf(port string, vc uint8) *object {
	for oid, o := range s.objects {
		if oid.Type() == sai.TypeVC && o.port == port && index(o) == vc {
			return o
		}
	}
	return nil
}

// apply computes the settings that follow from configuration and SAI objects, and makes the data plane use them. If
// the settings are refused, nothing changes.
func (s *Store) apply() error {
	live := s.plane.Ports()
	next := s.effective(live)
	if err := s.checkChannels(next, &view{s, live}); err != nil {
		return err
	}
	if err := s.plane.Reload(next); err != nil {
		return err
	}
	s.now = next
	return nil
}

// effective returns the settings of the configuration, overridden by SAI's. live is the present state of the ports,
// whose modes switched by a command are carried over; nil after the configuration file was read: the modes are those of
// the file.
func (s *Store) effective(live []model.PortState) dataplane.Settings {
	out := s.base
	out.Profiles, out.Ports = maps.Clone(s.base.Profiles), slices.Clone(s.base.Ports)
	for i := range live {
		if p := portOf(out, live[i].Name); p != nil {
			carry(p, &live[i])
		}
	}
	e := effects{s, out}
	for _, o := range s.sorted() {
		e.add(o)
	}
	return e.out
}

// carry copies the modes of LLR and of virtual channels that commands have switched, from the port's present state
// live to its settings p, so that new settings do not undo the commands.
func carry(p *model.PortSettings, live *model.PortState) {
	if live.LLR != nil && p.LLR.Mode != model.LLROff {
		p.LLR.Local, p.LLR.Remote = willing(live.LLR)
	}
	if live.CBFC == nil || !p.CBFC.On || p.CBFCDynamic {
		return
	}
	for _, v := range live.CBFC.VCs {
		setBit(&p.CBFC.Lossless, uint8(v.VC), v.Wanted)
	}
}

// willing returns whether LLR is switched on by this end, for receiving (local) and sending (remote). In mode dynamic
// the partner's agreement does not count.
func willing(s *model.LLRState) (local, remote bool) {
	if n := s.Negotiation; n != nil {
		return n.WillingLocal, n.WillingRemote
	}
	return s.Local, s.Remote
}

// absorb copies LLR modes and virtual channels that commands have switched into the attributes that SAI has set, so
// that the attributes show the present modes.
func (s *Store) absorb() {
	for _, p := range s.plane.Ports() {
		o := s.objects[s.portNamed(p.Name)]
		if o == nil || p.LLR == nil {
			continue
		}
		local, remote := willing(p.LLR)
		for id, on := range map[uint32]bool{portLLRLocal: local, portLLRRemote: remote} {
			if _, set := o.values[id]; set {
				o.values[id] = truth(on)
			}
		}
		for _, v := range vcStates(&p) {
			if o := s.vcOf(p.Name, uint8(v.VC)); o != nil {
				if _, set := o.values[vcSender]; set {
					o.values[vcSender] = truth(v.Wanted)
				}
			}
		}
	}
}

// vcStates returns the states of the virtual channels of a port; nil if CBFC is off.
func vcStates(p *model.PortState) []cbfc.VCState {
	if p.CBFC == nil || !p.CBFC.On {
		return nil
	}
	return p.CBFC.VCs
}
