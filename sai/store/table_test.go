package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"uelink/sai"
)

// good returns a value that an attribute accepts; different from its default where there is one.
func (b *bed) good(a *Attribute) sai.Value {
	switch {
	case a.Name == "SPEED", a.Name == "ADMIN_STATE" && a.ID == portAdminState, a.Name == "MTU" && a.ID == portMTUSet:
		return b.get(b.oid(sai.TypePort, "link0"), a.ID) // its own value alone
	case a.OnlyNull, strings.HasPrefix(a.Name, "PKT_"):
		return sai.Value{}
	}
	switch a.Kind {
	case sai.ObjectID:
		return sai.Value{OID: b.reference(a)}
	case sai.MapList:
		return sai.Value{Map: []sai.Pair{pair(1, 1)}}
	case sai.Enum:
		if len(a.Enum) == 0 {
			return sai.Value{Number: a.Most}
		}
		return sai.Value{Number: a.Enum[len(a.Enum)-1].Value}
	case sai.Text:
		return sai.Value{Text: "Ethernet0"}
	case sai.S8List:
		return sai.Value{List: []int64{7}}
	case sai.MAC:
		return b.get(sai.SwitchOID, switchMACAddress)
	case sai.Bool, sai.Pointer:
		return truth(true)
	default:
	}
	least, most := a.span()
	for _, n := range []int64{2048, 64 << 10, 3, least} {
		if n >= least && n <= most && (a.Step == 0 || n%a.Step == 0) {
			return sai.Value{Number: n}
		}
	}
	return sai.Value{Number: least}
}

// reference returns an object that an attribute may name.
func (b *bed) reference(a *Attribute) sai.OID {
	switch a.Refers {
	case sai.TypeVirtualRouter:
		return virtualRouterOID
	case sai.TypeTrapGroup:
		return defaultTrapGroupOID
	case sai.TypePort:
		if a.Name == "NEXT_HOP_ID" {
			return CPUPortOID
		}
		return b.oid(sai.TypePort, "link0")
	case sai.TypeLLRProfile:
		return b.make(sai.TypeLLRProfile, mandatory()...)
	case sai.TypeCreditPool:
		for oid := range b.objects {
			if oid.Type() == sai.TypeCreditPool {
				return oid // a port has one
			}
		}
		return b.make(sai.TypeCreditPool, b.attributes(sai.TypeCreditPool, nil)...)
	case sai.TypeCreditProfile:
		return b.make(sai.TypeCreditProfile, b.attributes(sai.TypeCreditProfile, nil)...)
	default:
		return b.make(sai.TypeQoSMap, attr(mapType, number(mapTypes[a.ID])),
			attr(mapList, sai.Value{Map: []sai.Pair{pair(1, 1)}}))
	}
}

// attributes returns the mandatory attributes of a type, and one more unless it is nil.
func (b *bed) attributes(of sai.ObjectType, more *Attribute) (list []sai.Set) {
	b.t.Helper()
	for i := range b.table[of] {
		a := &b.table[of][i]
		wanted := a.Flags&Mandatory != 0 && a.When == nil && a.Can.Create
		conditional := a.Name == "THRESHOLD_MODE" || a.Name == "SHARED_STATIC_TH" || a.Name == "PORT_ID"
		if wanted || conditional || more != nil && more.ID == a.ID && a.Can.Create {
			list = append(list, attr(a.ID, b.good(a)))
		}
	}
	return list
}

// target returns an object of a type whose attributes may be set.
func (b *bed) target(of sai.ObjectType) sai.OID {
	b.t.Helper()
	switch of {
	case sai.TypeSwitch:
		return sai.SwitchOID
	case sai.TypePort:
		link := b.oid(sai.TypePort, "link0")
		if b.get(link, portLLRProfile).OID == 0 {
			b.set(link, portLLRProfile, sai.Value{OID: b.make(sai.TypeLLRProfile, mandatory()...)})
		}
		return link
	case sai.TypeVirtualRouter:
		return virtualRouterOID
	case sai.TypeVLAN:
		return defaultVLANOID
	case sai.TypeBridge:
		return defaultBridgeOID
	case sai.TypeQueue:
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
func (b *bed) tryCreate(of sai.ObjectType, a *Attribute) {
	b.t.Helper()
	switch of {
	case sai.TypePort, sai.TypeQueue:
		_, err := b.Create(of, nil, false)
		b.refused("create", err, sai.NotSupported)
		return
	case sai.TypeVirtualRouter, sai.TypeVLAN, sai.TypeBridge:
		_, err := b.Create(of, nil, false)
		b.refused("create", err, sai.NotImplemented)
		return
	default:
	}
	list := b.attributes(of, a)
	if !a.Can.Create {
		list = append(list, sai.Set{ID: a.ID})
	}
	at := slices.IndexFunc(list, func(s sai.Set) bool { return s.ID == a.ID })
	oid, err := b.create(of, list)
	if !a.Can.Create {
		b.refused("create", err, a.refusal(true).At(at))
		return
	}
	b.refused("create", err, sai.Success)
	b.reads(oid, a, list[at].Value)
}

// create creates an object, a route under the default prefix.
func (b *bed) create(of sai.ObjectType, list []sai.Set) (sai.OID, error) {
	if of != sai.TypeRoute {
		return b.Create(of, list, false)
	}
	prefix := entry(virtualRouterOID, "0.0.0.0/0")
	if err := b.CreateRoute(prefix, list); err != nil {
		return 0, err
	}
	return b.Route(prefix)
}

// refusal returns the status of a create or a set that an attribute does not have.
func (a *Attribute) refusal(create bool) sai.Status {
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
func (b *bed) trySetAndGet(of sai.ObjectType, a *Attribute) {
	b.t.Helper()
	oid := b.target(of)
	if a.Edges {
		oid = b.oid(sai.TypePort, "edge0")
	}
	var v sai.Value
	if a.Can.Set {
		v = b.good(a)
	}
	err := b.SetAttribute(oid, attr(a.ID, v))
	if !a.Can.Set {
		b.refused("set", err, a.refusal(false))
	} else if b.refused("set", err, sai.Success); status(err) == sai.Success {
		b.reads(oid, a, v)
	}
	if _, err := b.Get(oid, []uint32{a.ID}); !a.Can.Get {
		b.refused("get", err, attrNotImplemented)
	} else {
		b.refused("get", err, sai.Success)
	}
}

// reads demands that an attribute reads as it was set. A notification and SWITCH_HARDWARE_INFO are kept by the library,
// and not here.
func (b *bed) reads(oid sai.OID, a *Attribute, want sai.Value) {
	b.t.Helper()
	if is := b.get(oid, a.ID); a.Kind != sai.Pointer && a.Kind != sai.S8List && fmt.Sprint(is) != fmt.Sprint(want) {
		b.t.Errorf("it reads %+v, and was set to %+v", is, want)
	}
}

// TestValuesOutOfRange: of every attribute that can be set, what is beyond its range is refused, and an object of
// another type, and one that is not there.
func TestValuesOutOfRange(t *testing.T) {
	for _, of := range Types() {
		for i := range tables()[of] {
			a := tables()[of][i]
			if !a.Can.Set || a.Kind == sai.Pointer {
				continue
			}
			b := newBed(t)
			oid := b.target(of)
			if a.Edges {
				oid = b.oid(sai.TypePort, "edge0")
			}
			least, most := a.span()
			bad := []sai.Value{{Number: least - 1}, {Number: most + 1}}
			switch a.Kind {
			case sai.ObjectID:
				if a.OnlyNull {
					b.refused(a.Name, b.SetAttribute(oid, attr(a.ID, sai.Value{OID: sai.SwitchOID})),
						attrNotImplemented)
					continue
				}
				bad = []sai.Value{{OID: sai.SwitchOID}, {OID: 5}, {OID: sai.OID(a.Refers)<<sai.TypeShift | 5}}
			case sai.MapList:
				bad = []sai.Value{{Map: []sai.Pair{pair(1, 200)}}}
			case sai.Enum:
				bad = []sai.Value{{Number: -1}, {Number: 77}}
			case sai.U64: // the largest number of JSON is the kind's
				bad = []sai.Value{{Number: -1}}
			default:
			}
			for _, v := range bad {
				b.refused(fmt.Sprintf("%s %+v", a.FullName(of), v), b.SetAttribute(oid, attr(a.ID, v)), invalidValue)
			}
		}
	}
}

// TestStatistics: every statistic that capability names can be read, and no other.
func TestStatistics(t *testing.T) {
	b := newBed(t)
	vc := b.make(sai.TypeVC, b.attributes(sai.TypeVC, nil)...)
	queue := b.target(sai.TypeQueue)
	for of, oid := range map[sai.ObjectType]sai.OID{sai.TypePort: b.oid(sai.TypePort, "edge0"), sai.TypeVC: vc,
		sai.TypeQueue: queue} {
		capable := b.StatCapabilities(of)
		for _, s := range Statistics(of) {
			want := sai.Success
			if !slices.Contains(capable, sai.StatCapability{ID: s.ID, Modes: s.Modes}) {
				want = sai.NotImplemented
			}
			if (want == sai.NotImplemented) != (s.Modes == 0) {
				t.Errorf("%s: modes %d, capability %v", s.Name, s.Modes, capable)
			}
			_, err := b.Stats(oid, []uint32{s.ID})
			b.refused(s.Name, err, want)
		}
		_, err := b.Stats(oid, []uint32{9999})
		b.refused("an unknown statistic", err, sai.InvalidParameter)
	}
	_, err := b.Stats(sai.SwitchOID, []uint32{1})
	b.refused("the switch", err, sai.NotSupported)
}

// TestCallsThatAreRefused: unknown types, objects and attributes, ones twice, ones missing.
func TestCallsThatAreRefused(t *testing.T) {
	b := newBed(t)
	profile := b.oid(sai.TypeLLRProfile, "default")
	create := func(of sai.ObjectType, list ...sai.Set) error { _, err := b.Create(of, list, false); return err }
	get := func(oid sai.OID, id uint32) error { _, err := b.Get(oid, []uint32{llrFrames, id}); return err }
	for _, c := range []struct {
		what string
		err  error
		want sai.Status
	}{
		{"a type that is unknown", create(4), sai.InvalidObjectType},
		{"without attributes", create(sai.TypeLLRProfile), sai.MandatoryMissing},
		{"without frames", create(sai.TypeLLRProfile, mandatory()[1]), sai.MandatoryMissing},
		{"twice", create(sai.TypeLLRProfile, append(mandatory(), mandatory()[1])...), invalidAttribute.At(2)},
		{"unknown", create(sai.TypeLLRProfile, append(mandatory(), sai.Set{ID: 99})...), unknownAttribute.At(2)},
		{"no frames", create(sai.TypeLLRProfile, attr(llrFrames, number(0)), mandatory()[1]), invalidValue.At(0)},
		{"another switch", create(sai.TypeSwitch, attr(switchInit, truth(false))), sai.InvalidParameter},
		{"a threshold without its mode", create(sai.TypeCreditProfile, attr(creditPool, sai.Value{OID: b.reference(&Attribute{Refers: sai.TypeCreditPool})}),
			attr(creditReserved, number(1)), attr(creditStatic, number(1))), invalidAttribute.At(2)},
		{"get of an unknown attribute", get(profile, 99), unknownAttribute.At(1)},
		{"get of an unknown object", get(7, llrBytes), sai.InvalidObjectID},
		{"remove of the configuration's", b.Remove(profile), sai.NotSupported},
		{"remove of a port", b.Remove(b.oid(sai.TypePort, "link0")), sai.NotSupported},
		{"remove of the switch", b.Remove(sai.SwitchOID), sai.Success},
		{"remove of nothing", b.Remove(0), sai.InvalidObjectID},
		{"an LLR mode of an edge", b.SetAttribute(b.oid(sai.TypePort, "edge0"), attr(portLLRLocal, truth(true))), attrNotSupported},
	} {
		b.refused(c.what, c.err, c.want)
	}
}
