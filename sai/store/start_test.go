package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"uelink/sai"
)

// TestDefaultObjects: those that a switch has from its start have the same ids in every process, are listed, and are
// neither created nor removed. The CPU port is not in PORT_LIST, and has no attribute of frames.
func TestDefaultObjects(t *testing.T) {
	b, other := newBed(t), newBed(t)
	for id, oid := range map[uint32]sai.OID{0x4: 0x1000100000000, 0x24: 0x26000000000001, 0x27: 0x3000000000001,
		0x29: 0x39000000000001, 0x44: 0x11000000000001} {
		of := b.find(sai.TypeSwitch, id).Refers
		if is := b.get(sai.SwitchOID, id).OID; is != oid || other.get(sai.SwitchOID, id).OID != oid ||
			oid.Type() != of {
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
		b.refused("remove", b.Remove(oid), sai.NotSupported)
	}
	for _, oid := range b.get(sai.SwitchOID, switchPortList).OIDs {
		if oid == CPUPortOID {
			t.Error("the CPU port is in PORT_LIST")
		}
	}
	for id, want := range map[uint32]sai.Status{portDot1p: attrNotSupported, portLLRLocal: attrNotSupported,
		portSpeedSet: attrNotSupported, portAdminState: sai.Success} {
		b.refused("set of the CPU port", b.SetAttribute(CPUPortOID, attr(id, truth(id == portAdminState))), want)
		_, err := b.Get(CPUPortOID, []uint32{id})
		b.refused("get of the CPU port", err, want)
	}
	_, err := b.Create(sai.TypeVC, []sai.Set{attr(vcPort, sai.Value{OID: CPUPortOID}), attr(vcIndex, number(1))}, false)
	b.refused("a channel of the CPU port", err, invalidValue)
	if _, list := b.Watch(); len(list) != len(b.get(sai.SwitchOID, switchPortList).OIDs) {
		t.Errorf("notifications of %v", list)
	}
}

// start creates what an orchagent creates at its start, and returns the router interface and the traps' group.
func (b *bed) start() (loopback, group sai.OID) {
	b.t.Helper()
	loopback = b.make(sai.TypeRouterInterface, attr(0, sai.Value{OID: virtualRouterOID}),
		attr(interfaceType, number(2)),
		attr(0xa, number(9100)))
	group = b.make(sai.TypeTrapGroup, attr(1, number(3)))
	b.make(sai.TypeTrap, attr(trapType, number(0x6001)), attr(1, number(4)), attr(4, sai.Value{OID: group}))
	b.make(sai.TypeTableEntry, attr(tableEntryType, number(4)), attr(3, number(2)))
	b.make(sai.TypeHostif, attr(0, number(0)), attr(1, sai.Value{OID: b.oid(sai.TypePort, "link0")}),
		attr(hostifName, sai.Value{Text: "Ethernet0"}))
	hop := attr(routeNextHop, sai.Value{OID: loopback})
	if err := b.CreateRoute(entry(virtualRouterOID, "10.0.0.0/8"), []sai.Set{hop}); err != nil {
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
	_, err := b.Create(sai.TypeTrap, []sai.Set{attr(trapType, number(0x6001)), attr(1, number(1))}, false)
	b.refused("a trap of the same type", err, sai.ItemAlreadyExists)
	_, err = b.Create(sai.TypeTableEntry, []sai.Set{attr(tableEntryType, number(4)), attr(3, number(2))}, false)
	b.refused("another wildcard", err, sai.ItemAlreadyExists)
	_, err = b.Create(sai.TypeHostif,
		[]sai.Set{attr(0, number(0)), attr(1, sai.Value{OID: b.oid(sai.TypePort, "edge0")}),
			attr(hostifName, sai.Value{Text: "Ethernet0"})}, false)
	b.refused("a name twice", err, sai.ItemAlreadyExists)
	b.refused("a name of 32 octets", hostifNamed(b, "12345678901234567890123456789012"), invalidValue.At(2))
	b.refused("a name of 31 octets", hostifNamed(b, "1234567890123456789012345678901"), sai.Success)
	b.refused("the interface of a route", b.Remove(loopback), sai.ObjectInUse)
	b.refused("the group of a trap", b.Remove(group), sai.ObjectInUse)
	route, err := b.Route(entry(virtualRouterOID, "10.1.2.3/8")) // bits below the length do not count
	b.refused("a route", err, sai.Success)
	for _, oid := range []sai.OID{route, loopback, b.OIDs(sai.TypeTrap)[0], group} {
		b.refused("remove", b.Remove(oid), sai.Success)
	}
	for of, want := range map[sai.ObjectType]int{sai.TypeRoute: 0, sai.TypeRouterInterface: 0, sai.TypeTrap: 0,
		sai.TypeTrapGroup: 1, sai.TypeHostif: 2} {
		if n := len(b.OIDs(of)); n != want {
			t.Errorf("%d objects of %s, want %d", n, of, want)
		}
	}
}

// hostifNamed creates a host interface with a name.
func hostifNamed(b *bed, name string) error {
	_, err := b.Create(sai.TypeHostif,
		[]sai.Set{attr(0, number(0)), attr(1, sai.Value{OID: b.oid(sai.TypePort, "edge0")}),
			attr(hostifName, sai.Value{Text: name})}, false)
	return err
}

// TestRoutesThatAreNone: a prefix that is none, another router, a port as next hop, a route without its entry.
func TestRoutesThatAreNone(t *testing.T) {
	b := newBed(t)
	for _, c := range []struct {
		router sai.OID
		prefix string
		hop    sai.OID
		want   sai.Status
	}{
		{virtualRouterOID, "10.0.0.0", 0, sai.InvalidParameter}, {virtualRouterOID, "", 0, sai.InvalidParameter},
		{CPUPortOID, "10.0.0.0/8", 0, sai.InvalidObjectID}, {0, "10.0.0.0/8", 0, sai.InvalidObjectID},
		{virtualRouterOID, "10.0.0.0/8", b.oid(sai.TypePort, "link0"), invalidValue},
		{virtualRouterOID, "10.0.0.0/8", defaultBridgeOID, invalidValue},
		{virtualRouterOID, "10.0.0.0/8", CPUPortOID, sai.Success}, {virtualRouterOID, "10.0.0.0/8", 0, sai.ItemAlreadyExists},
	} {
		b.refused(c.prefix, b.CreateRoute(entry(c.router, c.prefix),
			[]sai.Set{attr(routeNextHop, sai.Value{OID: c.hop})}),
			c.want)
	}
	_, err := b.Create(sai.TypeRoute, nil, false)
	b.refused("without an entry", err, sai.InvalidParameter)
	_, err = b.Route(entry(virtualRouterOID, "11.0.0.0/8"))
	b.refused("a route that is not there", err, sai.ItemNotFound)
	route, _ := b.Route(entry(virtualRouterOID, "10.0.0.0/8"))
	b.refused("a port as next hop", b.SetAttribute(route, attr(routeNextHop,
		sai.Value{OID: b.oid(sai.TypePort, "link0")})), invalidValue)
	if list := b.Routes(b.OIDs(sai.TypeRoute)); len(list) != 1 || list[0] != (entry(virtualRouterOID, "10.0.0.0/8")) {
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
	_, err := after.Route(entry(virtualRouterOID, "10.0.0.0/8"))
	after.refused("a route", err, sai.Success)
}

// TestKeptObjectsOfAPortThatIsRemoved: an interface of a port goes with it, and a route that led there stays without.
func TestKeptObjectsOfAPortThatIsRemoved(t *testing.T) {
	b := newBed(t)
	interfaceOID := b.make(sai.TypeRouterInterface, attr(0, sai.Value{OID: virtualRouterOID}),
		attr(interfaceType, number(0)), attr(2, sai.Value{OID: b.oid(sai.TypePort, "edge0")}))
	prefix := entry(virtualRouterOID, "10.0.0.0/8")
	if err := b.CreateRoute(prefix, []sai.Set{attr(routeNextHop, sai.Value{OID: interfaceOID})}); err != nil {
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
	route, err := b.Route(prefix)
	b.refused("the route", err, sai.Success)
	if hop := b.get(route, routeNextHop).OID; hop != 0 || len(b.OIDs(sai.TypeRouterInterface)) != 0 {
		t.Errorf("the route leads to %s; interfaces %v", hop, b.OIDs(sai.TypeRouterInterface))
	}
}

// TestAddressOfTheSwitch: its own one may be set, another one is refused with the index.
func TestAddressOfTheSwitch(t *testing.T) {
	b := newBed(t)
	own := b.get(sai.SwitchOID, switchMACAddress)
	other := sai.Value{MAC: "02:11:22:33:44:55"}
	b.refused("its own", b.SetAttribute(sai.SwitchOID, attr(switchMACAddress, own)), sai.Success)
	b.refused("another", b.SetAttribute(sai.SwitchOID, attr(switchMACAddress, other)), invalidValue)
	b.refused("no address", b.SetAttribute(sai.SwitchOID, attr(switchMACAddress, sai.Value{MAC: "x"})), invalidValue)
	_, err := b.Create(sai.TypeSwitch, []sai.Set{attr(switchInit, truth(true)), attr(switchMACAddress, other)}, false)
	b.refused("create with another", err, invalidValue.At(1))
	_, err = b.Create(sai.TypeSwitch, []sai.Set{attr(switchInit, truth(true)), attr(switchMACAddress, own)}, false)
	b.refused("create with its own", err, sai.Success)
}

// TestStateOfTheInterface: without permission of the configuration SPEED, ADMIN_STATE and MTU can be set to the value
// that they have, and to no other.
func TestStateOfTheInterface(t *testing.T) {
	b := newBed(t)
	link := b.oid(sai.TypePort, "link0")
	for _, id := range []uint32{portSpeedSet, portAdminState, portMTUSet} {
		is := b.get(link, id)
		b.refused("its own", b.SetAttribute(link, attr(id, is)), sai.Success)
		b.refused("another", b.SetAttribute(link, attr(id, sai.Value{Number: 1 ^ is.Number})), invalidValue)
		if b.get(link, id).Number != is.Number {
			t.Errorf("attribute 0x%x has changed", id)
		}
	}
}
