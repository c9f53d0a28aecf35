package store

import (
	"net"
	"net/netip"
	"strings"

	"uelink/sai"
)

// The objects that a switch has from its start: an orchagent asks for their ids first, and names them in the objects
// that it creates. They are always there, cannot be removed, and have the same ids in every process. No other object
// gets one of these ids: newOID puts a time other than 0 into the upper bits, and a port's id ends with a hash of 32
// bits.
const (
	// CPUPortOID is the port of the host's CPU, which no frame passes: CPU_PORT of the switch.
	CPUPortOID          = sai.OID(uint64(sai.TypePort)<<sai.TypeShift | 1<<32)
	virtualRouterOID    = sai.OID(uint64(sai.TypeVirtualRouter)<<sai.TypeShift | 1)
	defaultBridgeOID    = sai.OID(uint64(sai.TypeBridge)<<sai.TypeShift | 1)
	defaultVLANOID      = sai.OID(uint64(sai.TypeVLAN)<<sai.TypeShift | 1)
	defaultTrapGroupOID = sai.OID(uint64(sai.TypeTrapGroup)<<sai.TypeShift | 1)
)

// wantedDefaults returns the objects that a switch has from its start.
func wantedDefaults() (list []want) {
	for _, d := range []struct {
		oid  sai.OID
		name string
	}{
		{CPUPortOID, "CPU port"}, {virtualRouterOID, "default virtual router"}, {defaultBridgeOID, "default bridge"},
		{defaultVLANOID, "default VLAN"}, {defaultTrapGroupOID, "default trap group"},
	} {
		list = append(list, want{d.name, func() *object {
			return &object{oid: d.oid, name: d.name, values: map[uint32]sai.Value{}}
		}})
	}
	return list
}

// isKept reports whether objects of a type are only stored, without effect on frames. They describe how the host's
// frames are handled, which the kernel does anyway.
func isKept(t sai.ObjectType) bool {
	switch t {
	case sai.TypeVirtualRouter, sai.TypeRouterInterface, sai.TypeHostif, sai.TypeTrapGroup, sai.TypeTrap,
		sai.TypeTableEntry, sai.TypeRoute, sai.TypeVLAN,
		sai.TypeBridge:
		return true
	default:
		return false
	}
}

// checkType returns an error if clients cannot create objects of type t.
func (s *Store) checkType(t sai.ObjectType) *sai.Error {
	if _, ok := s.table[t]; !ok {
		return refuse(sai.InvalidObjectType, "the daemon has no objects of %s", t)
	}
	switch t {
	case sai.TypePort:
		return refuse(sai.NotSupported, "the configuration makes the ports: add the port there and reload uelinkd")
	case sai.TypeQueue:
		return refuse(sai.NotSupported, "the daemon makes the queues of each port: see SAI_PORT_ATTR_QOS_QUEUE_LIST")
	case sai.TypeVirtualRouter, sai.TypeVLAN, sai.TypeBridge:
		return refuse(sai.NotImplemented, "a %s other than the default one is not implemented", t)
	default:
		return nil
	}
}

// uniques has, by type, the attribute whose value no two stored objects of the type may share.
var uniques = map[sai.ObjectType]uint32{sai.TypeHostif: hostifName, sai.TypeTrap: trapType,
	sai.TypeTableEntry: tableEntryType}

// checkNewKept returns an error if an object that is only stored (isKept) cannot be created, because another has the
// same value of the attribute in uniques.
func (s *Store) checkNewKept(t sai.ObjectType, values map[uint32]sai.Value) *sai.Error {
	id, unique := uniques[t]
	for _, o := range s.sorted() {
		if unique && o.oid.Type() == t && o.values[id].Number == values[id].Number &&
			o.values[id].Text == values[id].Text {
			return refuse(sai.ItemAlreadyExists, "object %s has the same %s", o.oid, s.find(t, id).FullName(t))
		}
	}
	return nil
}

// checkNextHop returns an error if set gives a route a next hop that is a port other than the CPU port.
func checkNextHop(t sai.ObjectType, index int, set sai.Set) *sai.Error {
	if t == sai.TypeRoute && set.ID == routeNextHop && set.Value.OID.Type() == sai.TypePort &&
		set.Value.OID != CPUPortOID {
		return refuse(invalidValue.At(index), "%s is a port: a next hop can be the CPU port or a router interface",
			set.Value.OID)
	}
	return nil
}

// checkMAC returns an error if a client gives the switch another address than the one it has. index is the attribute's
// place in the call.
func (s *Store) checkMAC(set sai.Set, index int) *sai.Error {
	if set.ID != switchMACAddress {
		return nil
	}
	current := switchMAC(s.view(), nil).MAC
	if mac, err := net.ParseMAC(set.Value.MAC); err != nil || mac.String() != current {
		return refuse(invalidValue.At(index),
			"SAI_SWITCH_ATTR_SRC_MAC_ADDRESS is %s, the address of the first port's interface, and cannot be set to %q",
			current, set.Value.MAC)
	}
	return nil
}

// keyOf returns the entry with its prefix in the usual form, without bits after the prefix's length, or an error if it
// is no entry.
func keyOf(e sai.Entry) (sai.Entry, *sai.Error) {
	prefix, err := netip.ParsePrefix(e.Prefix)
	switch {
	case err != nil:
		return e, refuse(sai.InvalidParameter, "%q is no IP prefix", e.Prefix)
	case e.Router != virtualRouterOID:
		return e, refuse(sai.InvalidObjectID, "%s is no virtual router", e.Router)
	}
	e.Prefix = prefix.Masked().String()
	return e, nil
}

// CreateRoute makes a route with the attributes list. A route that is there already is an error.
func (s *Store) CreateRoute(e sai.Entry, list []sai.Set) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, refused := keyOf(e)
	if refused != nil {
		return refused
	}
	if s.route(key) != nil {
		return refuse(sai.ItemAlreadyExists, "the virtual router has a route to %s already", key.Prefix)
	}
	_, err := s.create(sai.TypeRoute, list, false, key)
	return err
}

// Route returns the id by which the other methods know a route.
func (s *Store) Route(e sai.Entry) (sai.OID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, refused := keyOf(e)
	if refused != nil {
		return 0, refused
	}
	if o := s.route(key); o != nil {
		return o.oid, nil
	}
	return 0, refuse(sai.ItemNotFound, "the virtual router has no route to %s", key.Prefix)
}

// Routes returns the entries of objects, by their ids; none for other objects than routes.
func (s *Store) Routes(oids []sai.OID) []sai.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []sai.Entry{}
	for _, oid := range oids {
		if o := s.objects[oid]; o != nil && oid.Type() == sai.TypeRoute {
			list = append(list, o.entry)
		}
	}
	return list
}

// isIPv6 reports whether a prefix is of IPv6.
func isIPv6(prefix string) bool { return strings.Contains(prefix, ":") }

// route returns the object of a route; nil if there is none.
func (s *Store) route(e sai.Entry) *object {
	for oid, o := range s.objects {
		if oid.Type() == sai.TypeRoute && o.entry == e {
			return o
		}
	}
	return nil
}
