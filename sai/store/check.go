package store

import (
	"fmt"
	"math/bits"
	"net"
	"slices"

	"uelink/sai"
	"uelink/wire"
)

// mostText is the largest length of a text in octets: chardata[32] without the zero octet that ends the text.
const mostText = 31

// checkCreate checks the attributes list of a new object of type t, and returns the values of all implemented
// attributes: those of list, and defaults for the others. Errors have the index of the wrong attribute.
func (s *Store) checkCreate(t sai.ObjectType, list []sai.Set) (map[uint32]sai.Value, *sai.Error) {
	values := map[uint32]sai.Value{}
	for i, set := range list {
		if ofSairedis(t, set.ID) {
			continue
		}
		a := s.find(t, set.ID)
		if err := s.checkUse(a, t, i, set.ID, func(c sai.Can) bool { return c.Create }); err != nil {
			return nil, err
		}
		if _, twice := values[set.ID]; twice {
			return nil, refuse(invalidAttribute.At(i), "the list has attribute %s twice", a.FullName(t))
		}
		if err := s.checkValue(a, t, i, set.Value); err != nil {
			return nil, err
		}
		if err := checkNextHop(t, i, set); err != nil {
			return nil, err
		}
		values[set.ID] = set.Value
	}
	return values, s.complete(t, list, values)
}

// complete adds the defaults of attributes that are missing in list to values. It returns an error for a missing
// mandatory attribute, and for an attribute whose condition (on another attribute's value) is not met.
func (s *Store) complete(t sai.ObjectType, list []sai.Set, values map[uint32]sai.Value) *sai.Error {
	for i := range s.table[t] {
		a := &s.table[t][i]
		_, given := values[a.ID]
		allowed := a.When == nil || values[a.When.ID].Number == a.When.Value
		switch {
		case given && !allowed:
			at := slices.IndexFunc(list, func(set sai.Set) bool { return set.ID == a.ID })
			return refuse(invalidAttribute.At(at), "%s", s.unmet(a, t))
		case given:
		case a.Flags&Mandatory != 0 && allowed:
			return refuse(sai.MandatoryMissing, "%s is missing", a.FullName(t))
		case a.Can.Create:
			values[a.ID] = sai.Value{Number: a.Default, OID: a.Object}
		}
	}
	return nil
}

// checkSet returns an error if attribute and value in set are not allowed for object o: unknown, not settable,
// condition not met, or value out of range.
func (s *Store) checkSet(o *object, set sai.Set) *sai.Error {
	t := o.oid.Type()
	a := s.find(t, set.ID)
	if err := s.checkUse(a, t, 0, set.ID, func(c sai.Can) bool { return c.Set }); err != nil {
		return err
	}
	if a.When != nil && s.valueOf(o, a.When.ID).Number != a.When.Value {
		return refuse(invalidAttribute, "%s", s.unmet(a, t))
	}
	if err := s.checkValue(a, t, 0, set.Value); err != nil {
		return err
	}
	return checkNextHop(t, 0, set)
}

// unmet says in words that an object of type t has attribute a only with a certain value of another attribute.
func (s *Store) unmet(a *Attribute, t sai.ObjectType) string {
	other := s.find(t, a.When.ID)
	return fmt.Sprintf("%s needs %s to be %s", a.FullName(t), other.FullName(t),
		other.Text(sai.Value{Number: a.When.Value}))
}

// checkUse returns an error if an attribute of object type t, with number id, cannot be used in the present call. a is
// the row of the table, nil if the table lacks the attribute: then it is unknown, or SAI has it but the daemon does
// not. can selects the kind of the call: create, set or get. index is the attribute's place in the call.
func (s *Store) checkUse(a *Attribute, t sai.ObjectType, index int, id uint32, can func(sai.Can) bool) *sai.Error {
	switch {
	case a == nil && inSAI(t, id):
		return refuse(attrNotImplemented.At(index), "%s: attribute 0x%x of SAI is not implemented", t, id)
	case a == nil:
		return refuse(unknownAttribute.At(index), "%s has no attribute 0x%x", t, id)
	case !a.Implemented():
		return refuse(attrNotImplemented.At(index), "%s is not implemented: %s", a.FullName(t), a.Acts)
	case can(a.Can):
		return nil
	case a.Flags&ReadOnly != 0:
		return refuse(invalidAttribute.At(index), "%s is read only", a.FullName(t))
	case a.Flags&CreateOnly != 0:
		return refuse(invalidAttribute.At(index), "%s is set when the object is created, and not later", a.FullName(t))
	}
	return refuse(attrNotSupported.At(index), "%s cannot be set: %s", a.FullName(t), a.Acts)
}

// checkValue returns an error if v is no allowed value of attribute a: out of range, no multiple of its step, no
// implemented enumerator, or a reference to a missing object. index is the attribute's place in the call.
func (s *Store) checkValue(a *Attribute, t sai.ObjectType, index int, v sai.Value) *sai.Error {
	least, most := a.span()
	bad := func(format string, args ...any) *sai.Error {
		e := refuse(invalidValue.At(index), format, args...)
		e.Reason = a.FullName(t) + ": " + e.Reason
		return e
	}
	switch a.Kind {
	case sai.Enum:
		if len(a.Enum) == 0 && (v.Number < least || v.Number > most) {
			return bad("%d is out of range: %d to %d", v.Number, least, most)
		}
		if len(a.Enum) > 0 && !slices.ContainsFunc(a.Enum, func(e Enumerator) bool { return e.Value == v.Number }) {
			return bad("the value %d is not implemented", v.Number)
		}
	case sai.ObjectID:
		if a.OnlyNull && v.OID != 0 {
			return refuse(attrNotImplemented.At(index), "%s: no other value than null is implemented", a.FullName(t))
		}
		return s.checkReference(a, v.OID, bad)
	case sai.MapList:
		return checkPairs(v.Map, bad)
	case sai.Bool, sai.U8, sai.S8, sai.U16, sai.S16, sai.U32, sai.U64:
		if v.Number < least || v.Number > most {
			return bad("%d is out of range: %d to %d", v.Number, least, most)
		}
		if a.Step > 0 && v.Number%a.Step != 0 {
			return bad("%d is no multiple of %d", v.Number, a.Step)
		}
		if isCreditSize(t, a.ID) && v.Number != 0 && (v.Number < 32 || bits.OnesCount64(uint64(v.Number)) != 1) {
			return bad("%d is no power of two from 32 on", v.Number)
		}
	case sai.Text:
		if v.Text == "" || len(v.Text) > mostText {
			return bad("%q is empty or longer than %d octets", v.Text, mostText)
		}
	case sai.MAC:
		if mac, err := net.ParseMAC(v.MAC); err != nil || len(mac) != len(wire.MAC{}) {
			return bad("%q is no MAC address", v.MAC)
		}
	case sai.Pointer, sai.ObjectList, sai.S8List, sai.U16List, sai.U32List:
	}
	return nil
}

// isCreditSize reports whether an attribute, by object type and number, is a credit size of a port, in octets.
func isCreditSize(t sai.ObjectType, id uint32) bool {
	return t == sai.TypePort && (id == portReceiverSize || id == portSenderSize)
}

// checkReference returns an error, made by bad, if oid, the value of attribute a, is no existing object of the right
// type. The null id is allowed if the attribute is not mandatory and has no default, or is marked as MayNull.
func (s *Store) checkReference(a *Attribute, oid sai.OID, bad func(string, ...any) *sai.Error) *sai.Error {
	switch {
	case oid == 0 && (a.Flags&Mandatory == 0 && a.Object == 0 || a.MayNull):
		return nil
	case oid.Type() != a.Refers && (a.Also == 0 || oid.Type() != a.Also):
		return bad("%s is no %s", oid, a.Refers)
	case s.objects[oid] == nil:
		return bad("there is no object %s", oid)
	}
	return nil
}

// checkPairs returns an error, made by bad, if a QoS map has a key twice, or a value that no map type has. Which keys
// a map type has is checked by checkMap.
func checkPairs(pairs []sai.Pair, bad func(string, ...any) *sai.Error) *sai.Error {
	seen := map[uint8]bool{}
	for _, p := range pairs {
		switch {
		case seen[p.Key]:
			return bad("the list has key %d twice", p.Key)
		case p.Value >= mapValues:
			return bad("key %d is mapped to %d: the largest value is %d", p.Key, p.Value, mapValues-1)
		}
		seen[p.Key] = true
	}
	return nil
}

// mapValues is the number of traffic classes, and of virtual channels.
const mapValues = 32

// mapKeys returns how many keys a QoS map of a SAI type has: 8 priorities, 16 of priority and DEI, 64 DSCPs, 32
// traffic classes or queues.
func mapKeys(kind int64) int {
	switch kind {
	case mapDot1p:
		return 8
	case mapDSCP:
		return 64
	case mapDot1pDEI:
		return 16
	}
	return mapValues // mapTCToQueue, mapTCToVC, mapQueueToVC
}

// checkMap returns an error if the QoS map in values has a key that maps of its type do not have. index is the place
// of the map's list in the call.
func checkMap(values map[uint32]sai.Value, index int) *sai.Error {
	for _, p := range values[mapList].Map {
		if int(p.Key) >= mapKeys(values[mapType].Number) {
			return refuse(invalidValue.At(index), "SAI_QOS_MAP_ATTR_MAP_TO_VALUE_LIST: key %d is out of range: 0 to %d",
				p.Key,
				mapKeys(values[mapType].Number)-1)
		}
	}
	return nil
}
