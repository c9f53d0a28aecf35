package sai

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDefaultObjects: those that a switch has from its start have the same ids in every process, are listed, and are
// neither created nor removed. The CPU port is not in PORT_LIST, and has no attribute of frames.
func TestDefaultObjects(t *testing.T) {
	b, other := newBed(t), newBed(t)
	for id, oid := range map[uint32]OID{0x4: 0x1000100000000, 0x24: 0x26000000000001, 0x27: 0x3000000000001,
		0x29: 0x39000000000001, 0x44: 0x11000000000001} {
		of := b.find(TypeSwitch, id).Refers
		if is := b.get(SwitchOID, id).OID; is != oid || other.get(SwitchOID, id).OID != oid || oid.Type() != of {
			t.Errorf("attribute 0x%x is %s, want %s of %s", id, is, oid, of)
		}
		n := 0
		for _, listed := range b.OIDs(of) {
			if listed == oid {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s is listed %d times", oid, n)
		}
		b.refused("remove", b.Remove(oid), NotSupported)
	}
	for _, oid := range b.get(SwitchOID, switchPortList).OIDs {
		if oid == CPUPortOID {
			t.Error("the CPU port is in PORT_LIST")
		}
	}
	for id, want := range map[uint32]Status{portDot1p: attrNotSupported, portLLRLocal: attrNotSupported,
		portSpeedSet: attrNotSupported, portAdminState: Success} {
		b.refused("set of the CPU port", b.SetAttribute(CPUPortOID, Set{id, truth(id == portAdminState)}), want)
		_, err := b.Get(CPUPortOID, []uint32{id})
		b.refused("get of the CPU port", err, want)
	}
	_, err := b.Create(TypeVC, []Set{{vcPort, Value{OID: CPUPortOID}}, {vcIndex, number(1)}}, false)
	b.refused("a channel of the CPU port", err, invalidValue)
	if _, list := b.Watch(); len(list) != len(b.get(SwitchOID, switchPortList).OIDs) {
		t.Errorf("notifications of %v", list)
	}
}

// start creates what an orchagent creates at its start, and returns the router interface and the traps' group.
func (b *bed) start() (loopback, group OID) {
	b.t.Helper()
	loopback = b.make(TypeRouterInterface, Set{0, Value{OID: virtualRouterOID}}, Set{interfaceType, number(2)},
		Set{0xa, number(9100)})
	group = b.make(TypeTrapGroup, Set{1, number(3)})
	b.make(TypeTrap, Set{trapType, number(0x6001)}, Set{1, number(4)}, Set{4, Value{OID: group}})
	b.make(TypeTableEntry, Set{tableEntryType, number(4)}, Set{3, number(2)})
	b.make(TypeHostif, Set{0, number(0)}, Set{1, Value{OID: b.oid(TypePort, "link0")}},
		Set{hostifName, Value{Text: "Ethernet0"}})
	hop := Set{routeNextHop, Value{OID: loopback}}
	if err := b.CreateRoute(Entry{virtualRouterOID, "10.0.0.0/8"}, []Set{hop}); err != nil {
		b.t.Fatal(err)
	}
	return loopback, group
}

// TestKeptObjects: they read as they were set, change no settings of the data plane, are unique by their key, and are
// removed only when no other names them.
func TestKeptObjects(t *testing.T) {
	b := newBed(t)
	before := b.plane.s
	loopback, group := b.start()
	if diff := cmp.Diff(before.Ports, b.plane.s.Ports); diff != "" {
		t.Errorf("kept objects change the ports (-before +after):\n%s", diff)
	}
	b.set(defaultTrapGroupOID, 1, number(7))
	b.set(virtualRouterOID, 0, truth(false))
	if b.get(defaultTrapGroupOID, 1).Number != 7 || b.get(virtualRouterOID, 0).Number != 0 ||
		b.get(virtualRouterOID, 1).Number != 1 {
		t.Error("a default object reads otherwise than it was set")
	}
	_, err := b.Create(TypeTrap, []Set{{trapType, number(0x6001)}, {1, number(1)}}, false)
	b.refused("a trap of the same type", err, ItemAlreadyExists)
	_, err = b.Create(TypeTableEntry, []Set{{tableEntryType, number(4)}, {3, number(2)}}, false)
	b.refused("another wildcard", err, ItemAlreadyExists)
	_, err = b.Create(TypeHostif, []Set{{0, number(0)}, {1, Value{OID: b.oid(TypePort, "edge0")}}, {hostifName,
		Value{Text: "Ethernet0"}}}, false)
	b.refused("a name twice", err, ItemAlreadyExists)
	b.refused("a name of 32 octets", hostifNamed(b, "12345678901234567890123456789012"), invalidValue.At(2))
	b.refused("a name of 31 octets", hostifNamed(b, "1234567890123456789012345678901"), Success)
	b.refused("the interface of a route", b.Remove(loopback), ObjectInUse)
	b.refused("the group of a trap", b.Remove(group), ObjectInUse)
	route, err := b.Route(Entry{virtualRouterOID, "10.1.2.3/8"}) // bits below the length do not count
	b.refused("a route", err, Success)
	for _, oid := range []OID{route, loopback, b.OIDs(TypeTrap)[0], group} {
		b.refused("remove", b.Remove(oid), Success)
	}
	for of, want := range map[ObjectType]int{TypeRoute: 0, TypeRouterInterface: 0, TypeTrap: 0, TypeTrapGroup: 1,
		TypeHostif: 2} {
		if n := len(b.OIDs(of)); n != want {
			t.Errorf("%d objects of %s, want %d", n, of, want)
		}
	}
}

// hostifNamed creates a host interface with a name.
func hostifNamed(b *bed, name string) error {
	_, err := b.Create(TypeHostif, []Set{{0, number(0)}, {1, Value{OID: b.oid(TypePort, "edge0")}}, {hostifName,
		Value{Text: name}}}, false)
	return err
}

// TestRoutesThatAreNone: a prefix that is none, another router, a port as next hop, a route without its entry.
func TestRoutesThatAreNone(t *testing.T) {
	b := newBed(t)
	for _, c := range []struct {
		router OID
		prefix string
		hop    OID
		want   Status
	}{
		{virtualRouterOID, "10.0.0.0", 0, InvalidParameter}, {virtualRouterOID, "", 0, InvalidParameter},
		{CPUPortOID, "10.0.0.0/8", 0, InvalidObjectID}, {0, "10.0.0.0/8", 0, InvalidObjectID},
		{virtualRouterOID, "10.0.0.0/8", b.oid(TypePort, "link0"), invalidValue},
		{virtualRouterOID, "10.0.0.0/8", defaultBridgeOID, invalidValue},
		{virtualRouterOID, "10.0.0.0/8", CPUPortOID, Success}, {virtualRouterOID, "10.0.0.0/8", 0, ItemAlreadyExists},
	} {
		b.refused(c.prefix, b.CreateRoute(Entry{c.router, c.prefix}, []Set{{routeNextHop, Value{OID: c.hop}}}), c.want)
	}
	_, err := b.Create(TypeRoute, nil, false)
	b.refused("without an entry", err, InvalidParameter)
	_, err = b.Route(Entry{virtualRouterOID, "11.0.0.0/8"})
	b.refused("a route that is not there", err, ItemNotFound)
	route, _ := b.Route(Entry{virtualRouterOID, "10.0.0.0/8"})
	b.refused("a port as next hop", b.SetAttribute(route, Set{routeNextHop, Value{OID: b.oid(TypePort, "link0")}}),
		invalidValue)
	if list := b.Routes(b.OIDs(TypeRoute)); len(list) != 1 || list[0] != (Entry{virtualRouterOID, "10.0.0.0/8"}) {
		t.Errorf("routes: %v", list)
	}
}

// TestKeptObjectsInAnotherProcess: after an upgrade they have their ids, attributes and entries, and default objects
// what was set.
func TestKeptObjectsInAnotherProcess(t *testing.T) {
	b := newBed(t)
	b.start()
	b.set(defaultTrapGroupOID, 1, number(7))
	after := b.another()
	if diff := cmp.Diff(b.Objects(), after.Objects()); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
	_, err := after.Route(Entry{virtualRouterOID, "10.0.0.0/8"})
	after.refused("a route", err, Success)
}

// TestKeptObjectsOfAPortThatIsRemoved: an interface of a port goes with it, and a route that led there stays without.
func TestKeptObjectsOfAPortThatIsRemoved(t *testing.T) {
	b := newBed(t)
	interfaceOID := b.make(TypeRouterInterface, Set{0, Value{OID: virtualRouterOID}}, Set{interfaceType, number(0)},
		Set{2, Value{OID: b.oid(TypePort, "edge0")}})
	entry := Entry{virtualRouterOID, "10.0.0.0/8"}
	if err := b.CreateRoute(entry, []Set{{routeNextHop, Value{OID: interfaceOID}}}); err != nil {
		t.Fatal(err)
	}
	next := configuration()
	for i := range next.Ports {
		if next.Ports[i].Name == "edge0" {
			next.Ports = append(next.Ports[:i:i], next.Ports[i+1:]...)
			break
		}
	}
	if err := b.Reload(next); err != nil {
		t.Fatal(err)
	}
	route, err := b.Route(entry)
	b.refused("the route", err, Success)
	if hop := b.get(route, routeNextHop).OID; hop != 0 || len(b.OIDs(TypeRouterInterface)) != 0 {
		t.Errorf("the route leads to %s; interfaces %v", hop, b.OIDs(TypeRouterInterface))
	}
}

// TestAddressOfTheSwitch: its own one may be set, another one is refused with the index.
func TestAddressOfTheSwitch(t *testing.T) {
	b := newBed(t)
	own := b.get(SwitchOID, switchMACAddress)
	other := Value{MAC: "02:11:22:33:44:55"}
	b.refused("its own", b.SetAttribute(SwitchOID, Set{switchMACAddress, own}), Success)
	b.refused("another", b.SetAttribute(SwitchOID, Set{switchMACAddress, other}), invalidValue)
	b.refused("no address", b.SetAttribute(SwitchOID, Set{switchMACAddress, Value{MAC: "x"}}), invalidValue)
	_, err := b.Create(TypeSwitch, []Set{{switchInit, truth(true)}, {switchMACAddress, other}}, false)
	b.refused("create with another", err, invalidValue.At(1))
	_, err = b.Create(TypeSwitch, []Set{{switchInit, truth(true)}, {switchMACAddress, own}}, false)
	b.refused("create with its own", err, Success)
}

// TestStateOfTheInterface: without permission of the configuration SPEED, ADMIN_STATE and MTU can be set to the value
// that they have, and to no other.
func TestStateOfTheInterface(t *testing.T) {
	b := newBed(t)
	link := b.oid(TypePort, "link0")
	for _, id := range []uint32{portSpeedSet, portAdminState, portMTUSet} {
		is := b.get(link, id)
		b.refused("its own", b.SetAttribute(link, Set{id, is}), Success)
		b.refused("another", b.SetAttribute(link, Set{id, Value{Number: 1 ^ is.Number}}), invalidValue)
		if b.get(link, id).Number != is.Number {
			t.Errorf("attribute 0x%x has changed", id)
		}
	}
}
