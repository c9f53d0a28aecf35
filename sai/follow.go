package sai

import (
	"fmt"
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
		case TypeVC:
			was, is := portOf(s.base, o.port), portOf(next, o.port)
			if !o.made() && (is == nil || channelOf(was, index(o)) != channelOf(is, index(o))) {
				maps.DeleteFunc(o.values, func(id uint32, _ Value) bool { return id != vcPort && id != vcIndex })
			}
		default: // SAI alone makes them
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

// channel is the settings of a virtual channel in the file.
type channel struct {
	lossless bool
	limit    uint16
}

func channelOf(p *model.PortSettings, vc uint8) channel {
	return channel{p.CBFC.Lossless>>vc&1 != 0, p.CBFC.Limit[vc%cbfc.VCs]}
}

// index returns the number of a virtual channel.
func index(o *object) uint8 { return uint8(o.values[vcIndex].Number) }

// follow makes the objects of the configuration those of the present file: ports, LLR profiles and virtual channels.
// Objects that are no longer in the file go, and with a port all that SAI made on it.
func (s *Store) follow() {
	wanted := map[string]func() *object{}
	for name := range s.base.Profiles {
		wanted["llr_profile "+name] = func() *object {
			return &object{oid: s.newOID(TypeLLRProfile), name: name, values: map[uint32]Value{}}
		}
	}
	for i := range s.base.Ports {
		s.wantPort(&s.base.Ports[i], wanted)
	}
	for oid, o := range s.objects {
		if !o.made() && wanted[o.key] == nil {
			delete(s.objects, oid)
		}
		delete(wanted, o.key)
	}
	for _, key := range slices.Sorted(maps.Keys(wanted)) { // "port" comes before "vc"
		o := wanted[key]()
		o.key = key
		s.objects[o.oid] = o
	}
	s.dropOrphans()
}

// wantPort adds the objects of a port of the configuration.
func (s *Store) wantPort(p *model.PortSettings, wanted map[string]func() *object) {
	name := p.Name
	wanted["port "+name] = func() *object {
		return &object{oid: s.portOID(name), name: name, values: map[uint32]Value{}}
	}
	for vc := range uint8(cbfc.VCs) {
		if p.CBFC.Lossless>>vc&1 == 0 && p.CBFC.Limit[vc] == 0 {
			continue
		}
		if o := s.vcOf(name, vc); o != nil && o.made() {
			continue // SAI made the channel before the file had it
		}
		wanted[fmt.Sprintf("vc %d of %s", vc, name)] = func() *object {
			return &object{oid: s.newOID(TypeVC), name: fmt.Sprintf("%s VC %d", name, vc), port: name, values: map[uint32]Value{
				vcPort: {OID: s.portNamed(name)}, vcIndex: number(vc),
			}}
		}
	}
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
