package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"uelink/dataplane/model"
	"uelink/sai"
)

// Objects returns all objects with their attributes as text, for the API: the switch first, then the others sorted by
// type. Of the queues it returns those that a client has stopped or closed.
func (s *Store) Objects() []sai.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.view()
	list := []sai.Object{s.shown(v, &object{oid: sai.SwitchOID, key: "switch", name: "uelinkd"})}
	for _, o := range s.sorted() {
		list = append(list, s.shown(v, o))
	}
	return list
}

// shown returns object o with its readable attributes as text, for the API.
func (s *Store) shown(v *view, o *object) sai.Object {
	t := o.oid.Type()
	out := sai.Object{OID: o.oid, Type: t, Name: o.name, MadeBy: "configuration", Attributes: []sai.ObjectProperty{}}
	if o.isFromClient() {
		out.MadeBy = "sai"
	}
	for i := range s.table[t] {
		a := &s.table[t][i]
		if !a.Can.Get || a.Kind == sai.Pointer || s.checkHas(v, o, a, 0) != nil {
			continue
		}
		p := sai.ObjectProperty{Name: a.Name, Value: a.Text(v.value(o, a))}
		if d := s.raised(o, a.ID); d > 0 {
			p.InForce = d.String()
		}
		out.Attributes = append(out.Attributes, p)
	}
	return out
}

// raised returns the value in force of timeout attribute id of an LLR profile, if it was raised above the value set
// by SAI; else 0. The replay timer is not covered: its least value follows each port's loop time, which `uelink llr
// interface` shows.
func (s *Store) raised(o *object, id uint32) time.Duration {
	if o.oid.Type() != sai.TypeLLRProfile {
		return 0
	}
	set, current := time.Duration(o.values[id].Number), time.Duration(0)
	switch p := s.now.Profiles[o.name]; id {
	case llrPCSLost:
		current = p.PCSLostTimeout
	case llrDataAge:
		current = p.DataAgeTimeout
	}
	if set == 0 || current <= set {
		return 0
	}
	return current
}

// tellTimes logs the timeouts of an LLR profile that were raised above the values set by SAI.
func (s *Store) tellTimes(o *object) {
	if o.oid.Type() != sai.TypeLLRProfile {
		return
	}
	o = s.objects[o.oid]
	for _, id := range []uint32{llrPCSLost, llrDataAge} {
		if d := s.raised(o, id); d > 0 {
			s.log.Info("a timeout of an LLR profile is raised, because software needs more time than hardware: "+
				"SAI_UELINK_EXACT_TIMERS=1 leaves timeouts as set",
				zap.Stringer("oid", o.oid), zap.String("attribute", s.find(sai.TypeLLRProfile, id).Name),
				zap.Duration("set", time.Duration(o.values[id].Number)), zap.Duration("in_force", d))
		}
	}
}

// AttributeCapability returns which calls (create, set, get) are implemented for attribute id of object type t, and
// its enumerators.
// Clauses: SAI-LLR/capability.1.
func (s *Store) AttributeCapability(t sai.ObjectType, id uint32) sai.Capability {
	a := s.find(t, id)
	if a == nil {
		return sai.Capability{Known: inSAI(t, id), Enum: []int64{}}
	}
	c := sai.Capability{Can: a.Can, Known: true, Enum: []int64{}}
	if !a.Implemented() {
		return c
	}
	for _, e := range a.Enum {
		c.Enum = append(c.Enum, e.Value)
	}
	return c
}

// StatCapabilities returns the implemented statistics of object type t, each with its read modes.
// Clauses: SAI-LLR/capability.2.
func (s *Store) StatCapabilities(t sai.ObjectType) []sai.StatCapability {
	list := []sai.StatCapability{}
	for _, k := range statistics(t) {
		if k.Modes != 0 {
			list = append(list, sai.StatCapability{ID: k.ID, Modes: k.Modes})
		}
	}
	return list
}

// OIDs returns the ids of all objects of type t, sorted.
func (s *Store) OIDs(t sai.ObjectType) []sai.OID {
	if t == sai.TypeSwitch {
		return []sai.OID{sai.SwitchOID}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t == sai.TypeQueue {
		return s.allQueues()
	}
	list := []sai.OID{}
	for _, o := range s.sorted() {
		if o.oid.Type() == t {
			list = append(list, o.oid)
		}
	}
	return list
}

// Room returns how many more objects of type t clients can create; 0 for the switch, and for a type that they cannot
// create.
func (s *Store) Room(t sai.ObjectType) int {
	if t == sai.TypeSwitch || s.checkType(t) != nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(0, most-len(s.objects))
}

// view returns a view of the daemon's present state, from which attributes and statistics are read. The caller holds
// the lock.
func (s *Store) view() *view { return &view{s, s.plane.Ports()} }

// valueOf returns the value of attribute id of object o as a client of SAI has set it. For an object of the
// configuration without such a value it returns the value in the configuration file.
func (s *Store) valueOf(o *object, id uint32) sai.Value {
	if value, set := o.values[id]; set || o.isFromClient() {
		return value
	}
	switch o.oid.Type() {
	case sai.TypeLLRProfile:
		return ofProfile(s.base.Profiles[o.name], id)
	case sai.TypeQoSMap:
		return sai.Value{Map: pairsOf(&portOf(s.base, o.port).QoS, o.values[mapType].Number)} // mapList
	case sai.TypeCreditProfile:
		return ofCredits(portOf(s.base, o.port).CBFC.Profile[o.channel()], id)
	case sai.TypeVC:
		if profile := s.keyed(creditKey(o.port, index(o))); profile != nil {
			return sai.Value{OID: profile.oid} // vcProfile
		}
	default: // a default object; the attributes of all other objects have a function read
		if a := s.find(o.oid.Type(), id); a != nil && a.Kept {
			return sai.Value{Number: a.Default, OID: a.Object}
		}
	}
	return sai.Value{}
}

// creditsOf returns the credit profile object of virtual channel object vc; nil if it has none.
func (s *Store) creditsOf(vc *object) *object { return s.objects[s.valueOf(vc, vcProfile).OID] }

// find returns the attribute with number id of object type t; nil if there is none.
func (s *Store) find(t sai.ObjectType, id uint32) *Attribute {
	list := s.table[t]
	i := slices.IndexFunc(list, func(a Attribute) bool { return a.ID == id })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// Get returns the values of the attributes ids of object oid, in the order of ids. An attribute that is unknown,
// cannot be read or does not apply to the object is an error.
func (s *Store) Get(oid sai.OID, ids []uint32) ([]sai.Value, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, refused := s.object(oid)
	if refused != nil {
		return nil, refused
	}
	v := s.view()
	list := make([]sai.Value, 0, len(ids))
	for i, id := range ids {
		a := s.find(oid.Type(), id)
		if refused := s.checkUse(a, oid.Type(), i, id, func(c sai.Can) bool { return c.Get }); refused != nil {
			return nil, refused
		}
		if refused := s.checkHas(v, o, a, i); refused != nil {
			return nil, refused
		}
		list = append(list, v.value(o, a))
	}
	return list, nil
}

// checkHas returns an error if attribute a does not apply to object o: the CPU port, a port that is no link, or a port
// that is no edge lacks the attribute, or the condition of the attribute is not met. index is the attribute's place in
// the call.
func (s *Store) checkHas(v *view, o *object, a *Attribute, index int) *sai.Error {
	t := o.oid.Type()
	switch {
	case o.oid == CPUPortOID && !a.CPU:
		return refuse(attrNotSupported.At(index), "%s: the CPU port does not have this attribute", a.FullName(t))
	case t == sai.TypePort && a.Links && !v.link(o.name):
		return refuse(attrNotSupported.At(index), "%s: port %s is no link with protocol llr", a.FullName(t), o.name)
	case a.Edges && v.settings(o.name).Role != model.RoleEdge:
		return refuse(attrNotSupported.At(index),
			"%s: port %s is no edge, and has no PFC: on a link credits stop the partner", a.FullName(t), o.name)
	case a.When != nil && v.value(o, s.find(t, a.When.ID)).Number != a.When.Value:
		return refuse(invalidAttribute.At(index), "%s", s.unmet(a, t))
	}
	return nil
}

// object returns the object with an id, or an error if there is none. The caller holds the lock.
func (s *Store) object(oid sai.OID) (*object, *sai.Error) {
	if oid == sai.SwitchOID {
		return &object{oid: sai.SwitchOID}, nil
	}
	if o := s.objects[oid]; o != nil {
		return o, nil
	}
	if oid.Type() == sai.TypeQueue {
		if o := s.queueNamed(oid); o != nil {
			return o, nil
		}
	}
	return nil, refuse(sai.InvalidObjectID, "there is no object %s", oid)
}

// sorted returns all objects except the switch, sorted by type and id.
func (s *Store) sorted() []*object {
	list := slices.Collect(maps.Values(s.objects))
	slices.SortFunc(list, func(a, b *object) int { return strings.Compare(a.order(), b.order()) })
	return list
}

// order returns a text whose alphabetical order is the order of objects, by type and id.
func (o *object) order() string { return fmt.Sprintf("%016x", uint64(o.oid)) }
