package sai

import (
	"fmt"

	"uelink/cbfc"
	"uelink/dataplane"
	"uelink/wire"
)

// setPort sets an attribute of a port.
func (s *Store) setPort(o *object, set Set) error {
	v := s.view()
	a := s.find(TypePort, set.ID)
	if refused := s.checkHas(v, o, a, 0); refused != nil {
		return refused
	}
	if refused := s.checkPort(v, o, set); refused != nil {
		return refused
	}
	err := s.try(func() {
		for _, other := range counterparts[set.ID] {
			delete(o.values, other)
		}
		s.objects[o.oid].values[set.ID] = set.Value
	})
	if err != nil {
		return err
	}
	return s.switchLLR(o.name, set)
}

// counterparts maps each attribute of a size to the same attribute of the other direction: both have one size.
var counterparts = map[uint32][]uint32{
	portReceiverSize: {portSenderSize}, portSenderSize: {portReceiverSize},
	portReceiverOverhead: {portSenderOverhead}, portSenderOverhead: {portReceiverOverhead},
}

// switchLLR switches a mode of LLR as the rest of the API does: LLDP offers it to the partner, too.
func (s *Store) switchLLR(port string, set Set) error {
	on := set.Value.Number != 0
	var err error
	switch set.ID {
	case portLLRLocal:
		err = s.plane.SetLLRLocal(port, on)
	case portLLRRemote:
		err = s.plane.SetLLRRemote(port, on)
	}
	if err != nil {
		return &Error{Failure, err.Error()}
	}
	return nil
}

// checkPort refuses a value in conflict with the other attributes of the port.
func (s *Store) checkPort(v *view, o *object, set Set) *Error {
	switch set.ID {
	case portLLRLocal, portLLRRemote:
		if set.Value.Number != 0 && llrProfile(v, o).OID == 0 {
			return refuse(MandatoryMissing, "SAI_PORT_ATTR_LLR_PROFILE of port %s is null: set it first", o.name)
		}
	case portLLRProfile:
		if set.Value.OID == 0 && (llrLocal(v, o).Number|llrRemote(v, o).Number) != 0 {
			return refuse(invalidValue, "port %s: an LLR mode is true: set both false first", o.name)
		}
	case portDot1p, portDSCP, portTCToVC:
		return s.checkMapType(set)
	case portCFMinSpacing, portCFMaxSpacing:
		return checkSpacings(v, o, set)
	}
	return nil
}

// checkMapType refuses a map of another type than the attribute's.
func (s *Store) checkMapType(set Set) *Error {
	if m := s.objects[set.Value.OID]; m != nil && m.values[mapType].Number != mapTypes[set.ID] {
		return refuse(invalidValue, "%s is a QoS map of another type", m.oid)
	}
	return nil
}

// checkSpacings refuses a least spacing above the most.
func checkSpacings(v *view, o *object, set Set) *Error {
	least, most := cfMinSpacing(v, o).Number, cfMaxSpacing(v, o).Number
	if set.ID == portCFMinSpacing {
		least = set.Value.Number
	} else {
		most = set.Value.Number
	}
	if least > most {
		return refuse(invalidValue, "port %s: CBFC_CF_MIN_SPACING %d would be more than CBFC_CF_MAX_SPACING %d", o.name,
			least, most)
	}
	return nil
}

// checkNewVC refuses a virtual channel that is there, on a port without CBFC, or with a profile of another port's pool.
// at is the index of the attribute PORT.
func (s *Store) checkNewVC(values map[uint32]Value, at int) *Error {
	port := s.objects[values[vcPort].OID]
	vc := uint8(values[vcIndex].Number)
	p := portOf(s.now, port.name)
	switch {
	case !s.view().link(port.name):
		return refuse(invalidValue.At(at), "port %s is no link with protocol llr", port.name)
	case s.vcOf(port.name, vc) != nil:
		return refuse(ItemAlreadyExists, "VC %d of port %s is there already: %s", vc, port.name, s.vcOf(port.name, vc).oid)
	case !p.FCS:
		return refuse(invalidValue.At(at), "port %s has fcs: false: a damaged frame may seem to be of another channel",
			port.name)
	}
	o := &object{oid: OID(TypeVC) << typeShift, port: port.name}
	return s.checkPool(o, Set{ID: vcProfile, Value: values[vcProfile]})
}

// checkPool refuses a credit profile of a pool of another port.
func (s *Store) checkPool(o *object, set Set) *Error {
	profile := s.objects[set.Value.OID]
	if set.ID != vcProfile || profile == nil {
		return nil
	}
	pool := s.objects[profile.values[creditPool].OID]
	if pool.port != o.port {
		return refuse(invalidValue, "%s is of a pool of port %s, the channel is of port %s", profile.oid, pool.port, o.port)
	}
	return nil
}

// checkNewPool refuses a pool on a port without CBFC, and a second pool of a port. at is the index of the attribute
// PORT.
func (s *Store) checkNewPool(values map[uint32]Value, at int) *Error {
	port := s.objects[values[poolPort].OID]
	if !s.view().link(port.name) {
		return refuse(invalidValue.At(at), "port %s is no link with protocol llr", port.name)
	}
	if pool := s.poolOf(port.name); pool != nil {
		return refuse(ItemAlreadyExists, "port %s has a pool already: %s", port.name, pool.oid)
	}
	return nil
}

// checkChannels refuses settings with too few credits for the longest frame of a channel, as far as SAI has set them.
func (s *Store) checkChannels(next dataplane.Settings, v *view) error {
	for _, o := range s.sorted() {
		if o.oid.Type() != TypeVC {
			continue
		}
		p := portOf(next, o.port)
		if p.CBFC.Lossless>>index(o)&1 == 0 {
			continue
		}
		most := int64(cbfc.MaxLimit)
		if profile := s.creditsOf(o); profile != nil && s.bounds(o, profile) {
			most = s.uses(profile)
		}
		if limit := s.objects[s.portNamed(o.port)].values[portSenderLimit].Number; limit > 0 {
			most = min(most, limit)
		}
		octets := max(wire.MinFrameLen, v.state(o.port).MTU+wire.HeaderLen-p.Overhead())
		if cost := int64(p.CBFC.Size.Credits(octets)); most < cost {
			return fmt.Errorf("VC %d of port %s could use %d credits by its profile and pool: a frame of %d octets costs %d",
				index(o), o.port, most, octets, cost)
		}
	}
	return nil
}

// bounds reports whether SAI has set anything that bounds the credits of a virtual channel.
func (s *Store) bounds(vc, profile *object) bool {
	return vc.has(vcProfile) || profile.has(creditReserved) || profile.has(creditStatic) ||
		s.objects[profile.values[creditPool].OID].has(poolSize)
}

// uses returns the most credits of its pool for a channel with a profile, if the partner grants all of them.
func (s *Store) uses(profile *object) int64 {
	size := int64(cbfc.MaxLimit)
	if pool := s.objects[profile.values[creditPool].OID]; pool.has(poolSize) {
		size = pool.values[poolSize].Number
	}
	reserved := s.valueOf(profile, creditReserved).Number
	switch static := s.valueOf(profile, creditStatic).Number; {
	case s.valueOf(profile, creditMode).Number != thresholdStatic:
		return min(reserved, size)
	case static == 0:
		return size
	default:
		return min(reserved+static, size)
	}
}
