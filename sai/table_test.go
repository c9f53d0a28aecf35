package sai

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// good returns a value that an attribute accepts; different from its default where there is one.
func (b *bed) good(a *Attribute) Value {
	switch {
	case a.Name == "SPEED", a.Name == "ADMIN_STATE" && a.ID == portAdminState, a.Name == "MTU" && a.ID == portMTUSet:
		return b.get(b.oid(TypePort, "link0"), a.ID) // its own value alone
	case a.OnlyNull, strings.HasPrefix(a.Name, "PKT_"):
		return Value{}
	}
	switch a.Kind {
	case ObjectID:
		return Value{OID: b.reference(a)}
	case MapList:
		return Value{Map: []Pair{{1, 1}}}
	case Enum:
		if len(a.Enum) == 0 {
			return Value{Number: a.Most}
		}
		return Value{Number: a.Enum[len(a.Enum)-1].Value}
	case Text:
		return Value{Text: "Ethernet0"}
	case S8List:
		return Value{List: []int64{7}}
	case MAC:
		return b.get(SwitchOID, switchMACAddress)
	case Bool, Pointer:
		return truth(true)
	default:
	}
	least, most := a.span()
	for _, n := range []int64{2048, 64 << 10, 3, least} {
		if n >= least && n <= most && (a.Step == 0 || n%a.Step == 0) {
			return Value{Number: n}
		}
	}
	return Value{Number: least}
}

// reference returns an object that an attribute may name.
func (b *bed) reference(a *Attribute) OID {
	switch a.Refers {
	case TypeVirtualRouter:
		return virtualRouterOID
	case TypeTrapGroup:
		return defaultTrapGroupOID
	case TypePort:
		if a.Name == "NEXT_HOP_ID" {
			return CPUPortOID
		}
		return b.oid(TypePort, "link0")
	case TypeLLRProfile:
		return b.make(TypeLLRProfile, mandatory()...)
	case TypeCreditPool:
		for oid := range b.objects {
			if oid.Type() == TypeCreditPool {
				return oid // a port has one
			}
		}
		return b.make(TypeCreditPool, b.attributes(TypeCreditPool, nil)...)
	case TypeCreditProfile:
		return b.make(TypeCreditProfile, b.attributes(TypeCreditProfile, nil)...)
	default:
		return b.make(TypeQoSMap, Set{mapType, number(mapTypes[a.ID])}, Set{mapList, Value{Map: []Pair{{1, 1}}}})
	}
}

// attributes returns the mandatory attributes of a type, and one more unless it is nil.
func (b *bed) attributes(of ObjectType, more *Attribute) (list []Set) {
	b.t.Helper()
	for i := range b.table[of] {
		a := &b.table[of][i]
		wanted := a.Flags&Mandatory != 0 && a.When == nil && a.Can.Create
		conditional := a.Name == "THRESHOLD_MODE" || a.Name == "SHARED_STATIC_TH" || a.Name == "PORT_ID"
		if wanted || conditional || more != nil && more.ID == a.ID && a.Can.Create {
			list = append(list, Set{a.ID, b.good(a)})
		}
	}
	return list
}

// target returns an object of a type whose attributes may be set.
func (b *bed) target(of ObjectType) OID {
	b.t.Helper()
	switch of {
	case TypeSwitch:
		return SwitchOID
	case TypePort:
		link := b.oid(TypePort, "link0")
		if b.get(link, portLLRProfile).OID == 0 {
			b.set(link, portLLRProfile, Value{OID: b.make(TypeLLRProfile, mandatory()...)})
		}
		return link
	case TypeVirtualRouter:
		return virtualRouterOID
	case TypeVLAN:
		return defaultVLANOID
	case TypeBridge:
		return defaultBridgeOID
	case TypeQueue:
		return b.queue("edge0", 3)
	default:
		return b.make(of, b.attributes(of, nil)...)
	}
}

// TestEveryAttribute: what capability says is what create, set and get then do. A set that succeeds reads back as set,
// so none is accepted and ignored.
func TestEveryAttribute(t *testing.T) {
	for _, of := range Types() {
		for i := range tables()[of] {
			a := tables()[of][i]
			t.Run(a.FullName(of), func(t *testing.T) {
				b := newBed(t)
				can := b.AttributeCapability(of, a.ID)
				if can.Can != a.Can || !can.Known {
					t.Errorf("capability says %+v", can)
				}
				b.tryCreate(of, &a)
				newBed(t).trySetAndGet(of, &a)
			})
		}
	}
}

// tryCreate creates an object with an attribute.
func (b *bed) tryCreate(of ObjectType, a *Attribute) {
	b.t.Helper()
	switch of {
	case TypePort, TypeQueue:
		_, err := b.Create(of, nil, false)
		b.refused("create", err, NotSupported)
		return
	case TypeVirtualRouter, TypeVLAN, TypeBridge:
		_, err := b.Create(of, nil, false)
		b.refused("create", err, NotImplemented)
		return
	default:
	}
	list := b.attributes(of, a)
	if !a.Can.Create {
		list = append(list, Set{ID: a.ID})
	}
	at := slices.IndexFunc(list, func(s Set) bool { return s.ID == a.ID })
	oid, err := b.create(of, list)
	if !a.Can.Create {
		b.refused("create", err, a.refusal(true).At(at))
		return
	}
	b.refused("create", err, Success)
	b.reads(oid, a, list[at].Value)
}

// create creates an object, a route under the default prefix.
func (b *bed) create(of ObjectType, list []Set) (OID, error) {
	if of != TypeRoute {
		return b.Create(of, list, false)
	}
	entry := Entry{virtualRouterOID, "0.0.0.0/0"}
	if err := b.CreateRoute(entry, list); err != nil {
		return 0, err
	}
	return b.Route(entry)
}

// refusal returns the status of a create or a set that an attribute does not have.
func (a *Attribute) refusal(create bool) Status {
	switch {
	case !a.Implemented():
		return attrNotImplemented
	case a.Flags&ReadOnly != 0, a.Flags&CreateOnly != 0 && !create:
		return invalidAttribute
	default:
		return attrNotSupported
	}
}

// trySetAndGet sets an attribute of an object that is there, and reads it.
func (b *bed) trySetAndGet(of ObjectType, a *Attribute) {
	b.t.Helper()
	oid := b.target(of)
	if a.Edges {
		oid = b.oid(TypePort, "edge0")
	}
	var v Value
	if a.Can.Set {
		v = b.good(a)
	}
	err := b.SetAttribute(oid, Set{a.ID, v})
	if !a.Can.Set {
		b.refused("set", err, a.refusal(false))
	} else if b.refused("set", err, Success); status(err) == Success {
		b.reads(oid, a, v)
	}
	if _, err := b.Get(oid, []uint32{a.ID}); !a.Can.Get {
		b.refused("get", err, attrNotImplemented)
	} else {
		b.refused("get", err, Success)
	}
}

// reads demands that an attribute reads as it was set. A notification and SWITCH_HARDWARE_INFO are kept by the library,
// and not here.
func (b *bed) reads(oid OID, a *Attribute, want Value) {
	b.t.Helper()
	if is := b.get(oid, a.ID); a.Kind != Pointer && a.Kind != S8List && fmt.Sprint(is) != fmt.Sprint(want) {
		b.t.Errorf("it reads %+v, and was set to %+v", is, want)
	}
}

// TestValuesOutOfRange: of every attribute that can be set, what is beyond its range is refused, and an object of
// another type, and one that is not there.
func TestValuesOutOfRange(t *testing.T) {
	for _, of := range Types() {
		for i := range tables()[of] {
			a := tables()[of][i]
			if !a.Can.Set || a.Kind == Pointer {
				continue
			}
			b := newBed(t)
			oid := b.target(of)
			if a.Edges {
				oid = b.oid(TypePort, "edge0")
			}
			least, most := a.span()
			bad := []Value{{Number: least - 1}, {Number: most + 1}}
			switch a.Kind {
			case ObjectID:
				if a.OnlyNull {
					b.refused(a.Name, b.SetAttribute(oid, Set{a.ID, Value{OID: SwitchOID}}), attrNotImplemented)
					continue
				}
				bad = []Value{{OID: SwitchOID}, {OID: 5}, {OID: OID(a.Refers)<<typeShift | 5}}
			case MapList:
				bad = []Value{{Map: []Pair{{1, 200}}}}
			case Enum:
				bad = []Value{{Number: -1}, {Number: 77}}
			case U64: // the largest number of JSON is the kind's
				bad = []Value{{Number: -1}}
			default:
			}
			for _, v := range bad {
				b.refused(fmt.Sprintf("%s %+v", a.FullName(of), v), b.SetAttribute(oid, Set{a.ID, v}), invalidValue)
			}
		}
	}
}

// TestStatistics: every statistic that capability names can be read, and no other.
func TestStatistics(t *testing.T) {
	b := newBed(t)
	vc := b.make(TypeVC, b.attributes(TypeVC, nil)...)
	queue := b.target(TypeQueue)
	for of, oid := range map[ObjectType]OID{TypePort: b.oid(TypePort, "edge0"), TypeVC: vc, TypeQueue: queue} {
		capable := b.StatCapabilities(of)
		for _, s := range Statistics(of) {
			want := Success
			if !slices.Contains(capable, StatCapability{s.ID, s.Modes}) {
				want = NotImplemented
			}
			if (want == NotImplemented) != (s.Modes == 0) {
				t.Errorf("%s: modes %d, capability %v", s.Name, s.Modes, capable)
			}
			_, err := b.Stats(oid, []uint32{s.ID})
			b.refused(s.Name, err, want)
		}
		_, err := b.Stats(oid, []uint32{9999})
		b.refused("an unknown statistic", err, InvalidParameter)
	}
	_, err := b.Stats(SwitchOID, []uint32{1})
	b.refused("the switch", err, NotSupported)
}

// TestCallsThatAreRefused: unknown types, objects and attributes, ones twice, ones missing.
func TestCallsThatAreRefused(t *testing.T) {
	b := newBed(t)
	profile := b.oid(TypeLLRProfile, "default")
	create := func(of ObjectType, list ...Set) error { _, err := b.Create(of, list, false); return err }
	get := func(oid OID, id uint32) error { _, err := b.Get(oid, []uint32{llrFrames, id}); return err }
	for _, c := range []struct {
		what string
		err  error
		want Status
	}{
		{"a type that is unknown", create(4), InvalidObjectType},
		{"without attributes", create(TypeLLRProfile), MandatoryMissing},
		{"without frames", create(TypeLLRProfile, mandatory()[1]), MandatoryMissing},
		{"twice", create(TypeLLRProfile, append(mandatory(), mandatory()[1])...), invalidAttribute.At(2)},
		{"unknown", create(TypeLLRProfile, append(mandatory(), Set{ID: 99})...), unknownAttribute.At(2)},
		{"no frames", create(TypeLLRProfile, Set{llrFrames, number(0)}, mandatory()[1]), invalidValue.At(0)},
		{"another switch", create(TypeSwitch, Set{switchInit, truth(false)}), InvalidParameter},
		{"a threshold without its mode", create(TypeCreditProfile, Set{creditPool, Value{OID: b.reference(&Attribute{Refers: TypeCreditPool})}},
			Set{creditReserved, number(1)}, Set{creditStatic, number(1)}), invalidAttribute.At(2)},
		{"get of an unknown attribute", get(profile, 99), unknownAttribute.At(1)},
		{"get of an unknown object", get(7, llrBytes), InvalidObjectID},
		{"remove of the configuration's", b.Remove(profile), NotSupported},
		{"remove of a port", b.Remove(b.oid(TypePort, "link0")), NotSupported},
		{"remove of the switch", b.Remove(SwitchOID), Success},
		{"remove of nothing", b.Remove(0), InvalidObjectID},
		{"an LLR mode of an edge", b.SetAttribute(b.oid(TypePort, "edge0"), Set{portLLRLocal, truth(true)}), attrNotSupported},
	} {
		b.refused(c.what, c.err, c.want)
	}
}
