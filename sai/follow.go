package sai

import (
	"maps"
	"reflect"
	"slices"

	"uelink/cbfc"
	"uelink/dataplane"
	"uelink/dataplane/model"
)

// Reload applies new settings of the configuration file, overridden by SAI's. Where the file has changed, the file's
// value counts.
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

// yield gives up SAI's values where the file's value changes.
func (s *Store) yield(next dataplane.Settings) {
	for _, o := range s.objects {
		switch o.oid.Type() {
		case TypePort:
			s.yieldPort(o, next)
		case TypeLLRProfile:
			if !o.made() && s.base.Profiles[o.name] != next.Profiles[o.name] {
				clear(o.values)
			}
		case TypeVC, TypeQoSMap, TypeCreditProfile:
			is := portOf(next, o.port)
			if !o.made() && (is == nil || !reflect.DeepEqual(partOf(portOf(s.base, o.port), o), partOf(is, o))) {
				maps.DeleteFunc(o.values, func(id uint32, _ Value) bool { return s.find(o.oid.Type(), id).Flags&CreateOnly == 0 })
			}
		default: // a pool has nothing of the file
		}
	}
}

// yieldPort gives up the attributes of a port that the file has changed.
func (s *Store) yieldPort(o *object, next dataplane.Settings) {
	was, is := portOf(s.base, o.name), portOf(next, o.name)
	for id := range maps.Clone(o.values) {
		if is == nil || !reflect.DeepEqual(ofFile(was, id), ofFile(is, id)) {
			delete(o.values, id)
		}
	}
}

// portOf returns the settings of a port, or nil.
func portOf(s dataplane.Settings, name string) *model.PortSettings {
	i := slices.IndexFunc(s.Ports, func(p model.PortSettings) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Ports[i]
}

// partOf returns the settings of a port that a QoS map, a credit profile or a virtual channel of the configuration has.
func partOf(p *model.PortSettings, o *object) any {
	switch o.oid.Type() {
	case TypeQoSMap:
		return pairsOf(&p.QoS, o.values[mapType].Number)
	case TypeCreditProfile:
		return p.CBFC.Profile[o.channel()]
	default: // TypeVC
		vc := index(o)
		return [...]any{p.CBFC.Lossless >> vc & 1, p.CBFC.Limit[vc%cbfc.VCs], p.CBFC.Profile[vc%cbfc.VCs]}
	}
}

// index returns the number of a virtual channel.
func index(o *object) uint8 { return uint8(o.values[vcIndex].Number) }

// follow makes the objects of the configuration those of the present file (wanted). Objects that are no longer in the
// file go, and with a port all that SAI made on it.
func (s *Store) follow() {
	there := map[string]bool{}
	wanted := s.wanted()
	for oid, o := range s.objects {
		if !o.made() && !slices.ContainsFunc(wanted, func(w want) bool { return w.key == o.key }) {
			delete(s.objects, oid)
		}
		there[o.key] = true
	}
	for _, w := range wanted {
		if !there[w.key] {
			o := w.make()
			o.key = w.key
			s.objects[o.oid] = o
		}
	}
	s.dropOrphans()
}

// dropOrphans removes SAI's objects on removed ports, and references to removed objects.
func (s *Store) dropOrphans() {
	for dropped := true; dropped; {
		dropped = false
		for oid, o := range s.objects {
			for i := range s.table[oid.Type()] {
				a := &s.table[oid.Type()][i]
				to := o.values[a.ID].OID
				if a.Kind != ObjectID || to == 0 || s.objects[to] != nil {
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

// portNamed returns the object of a port; 0: there is none.
func (s *Store) portNamed(name string) OID {
	for oid, o := range s.objects {
		if oid.Type() == TypePort && o.name == name {
			return oid
		}
	}
	return 0
}

// vcOf returns the object of a virtual channel, or nil.
func (s *Store) vcOf(port string, vc uint8) *object {
	for oid, o := range s.objects {
		if oid.Type() == TypeVC && o.port == port && index(o) == vc {
			return o
		}
	}
	return nil
}
