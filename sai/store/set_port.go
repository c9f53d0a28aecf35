package store

import (
	"fmt"

	"uelink/cbfc"
	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/sai"
	"uelink/wire"
)

// setPort sets an attribute of port object o and makes the data plane use it. It returns an error, and changes
// nothing, if port or data plane do not allow the value.
// Clauses: SAI-LLR/workflow.2.
func (s *Store) setPort(o *object, set sai.Set) error {
	v := s.view()
	a := s.find(sai.TypePort, set.ID)
	if refused := s.checkHas(v, o, a, 0); refused != nil {
		return refused
	}
	if refused := s.checkPort(v, o, set); refused != nil {
		return refused
	}
	if s.ofHost(o, set.ID) {
		return nil // the interface has this value already
	}
	if err := s.renew(v, o, set); err != nil {
		return err
	}
	err := s.try(sai.TypePort, func() {
		for _, other := range counterparts[set.ID] {
			delete(o.values, other)
		}
		if other, ok := alternatives[set.ID]; ok && set.Value.OID != 0 {
			o.values[other] = sai.Value{} // null: a port has a map of priorities either with or without DEI
		}
		s.objects[o.oid].values[set.ID] = set.Value
	})
	if err != nil {
		return err
	}
	return s.switchLLR(o.name, set)
}

// ofHost reports whether an attribute of a port is the state of its interface, which clients may not change.
func (s *Store) ofHost(o *object, id uint32) bool {
	return id == portSpeedSet || managed(id) && (!s.manages || o.oid == CPUPortOID)
}

// managed reports whether an attribute of a port is set on its interface, by permission of the configuration.
func managed(id uint32) bool { return id == portAdminState || id == portMTUSet }

// renew prepares setting an attribute that is set on the interface (MTU, ADMIN_STATE) to the value that it was set to
// before: if somebody else has changed the interface since, the stored value is dropped. The caller then sets the value
// anew, and the data plane sees a change.
func (s *Store) renew(v *view, o *object, set sai.Set) error {
	last, ok := o.values[set.ID]
	if !managed(set.ID) || !ok || last.Number != set.Value.Number ||
		v.value(o, s.find(sai.TypePort, set.ID)).Number == set.Value.Number {
		return nil
	}
	return s.try(sai.TypePort, func() { delete(s.objects[o.oid].values, set.ID) })
}

// checkHost returns an error if a client gives attribute a of a port a value other than the present one. The attribute
// is state of the port's interface.
func (s *Store) checkHost(v *view, o *object, a *Attribute, set sai.Set) *sai.Error {
	present := v.value(o, a)
	if set.Value.Number == present.Number {
		return nil
	}
	change := "only the host's administrator or the configuration can change this attribute"
	if a.ID != portSpeedSet && o.oid != CPUPortOID {
		change = "to let clients of SAI change the interface, write sai: {manage_interfaces: true} into the configuration"
	}
	return refuse(invalidValue, "%s of port %s is %s: %s", a.FullName(sai.TypePort), o.name, a.Text(present), change)
}

// counterparts maps each attribute of a credit size or overhead to the same attribute of the other direction: both
// directions have one value.
var counterparts = map[uint32][]uint32{
	portReceiverSize: {portSenderSize}, portSenderSize: {portReceiverSize},
	portReceiverOverhead: {portSenderOverhead}, portSenderOverhead: {portReceiverOverhead},
}

// alternatives maps each of two QoS maps of a port, of which only one acts at a time, to the other.
var alternatives = map[uint32]uint32{portDot1p: portDot1pDEI, portDot1pDEI: portDot1p}

// switchLLR switches an LLR mode of a port on or off if set is such an attribute, by the same methods as other
// clients of the API, so that LLDP also offers it to the partner.
func (s *Store) switchLLR(port string, set sai.Set) error {
	on := set.Value.Number != 0
	var err error
	switch set.ID {
	case portLLRLocal:
		err = s.plane.SetLLRLocal(port, on)
	case portLLRRemote:
		err = s.plane.SetLLRRemote(port, on)
	}
	if err != nil {
		return &sai.Error{Status: sai.Failure, Reason: err.Error()}
	}
	return nil
}

// checkPort returns an error if the new value in set conflicts with other attributes of port object o, such as an LLR
// mode without a profile.
func (s *Store) checkPort(v *view, o *object, set sai.Set) *sai.Error {
	if s.ofHost(o, set.ID) {
		return s.checkHost(v, o, s.find(sai.TypePort, set.ID), set)
	}
	switch set.ID {
	case portLLRLocal, portLLRRemote:
		if set.Value.Number != 0 && llrProfile(v, o).OID == 0 {
			return refuse(sai.MandatoryMissing, "SAI_PORT_ATTR_LLR_PROFILE of port %s is null: set a profile first", o.name)
		}
	case portLLRProfile:
		if set.Value.OID == 0 && (llrLocal(v, o).Number|llrRemote(v, o).Number) != 0 {
			return refuse(invalidValue, "port %s has LLR on: set LLR_MODE_LOCAL and LLR_MODE_REMOTE to false first", o.name)
		}
	case portDot1p, portDot1pDEI, portDSCP, portTCToVC, portQueueToVC:
		return s.checkMapType(set)
	case portTCToQueue:
		if p := v.settings(o.name); p.Role == model.RoleLink && p.Protocol != model.LLR {
			return refuse(attrNotSupported,
				"port %s is a link without LLR: the virtual channels of its protocol are its queues", o.name)
		}
		if refused := s.checkMapType(set); refused != nil || set.Value.OID == 0 {
			return refused
		}
		return checkQueues(v.settings(o.name), s.valueOf(s.objects[set.Value.OID], mapList).Map)
	case portPFC:
		if present := portPriorities(v, o); v.settings(o.name).PFC.Dynamic && present.Number != set.Value.Number {
			return refuse(invalidValue,
				"port %s: DCBX has agreed with the host on PFC for the priorities 0x%02x: to set them by SAI, write "+
					"pfc: {mode: static} into the configuration", o.name, present.Number)
		}
	case portCFMinSpacing, portCFMaxSpacing:
		return checkSpacings(v, o, set)
	}
	return nil
}

// checkMapType returns an error if the QoS map that set refers to has another type than the attribute needs.
func (s *Store) checkMapType(set sai.Set) *sai.Error {
	if m := s.objects[set.Value.OID]; m != nil && m.values[mapType].Number != mapTypes[set.ID] {
		return refuse(invalidValue, "%s is a QoS map of another type than the attribute needs", m.oid)
	}
	return nil
}

// checkQueues returns an error if a TC_TO_QUEUE with these entries does not fit a port: an edge has fewer queues than a
// map may name.
func checkQueues(p *model.PortSettings, pairs []sai.Pair) *sai.Error {
	if p.Role == model.RoleLink && p.Protocol == model.LLR {
		return nil
	}
	for _, pair := range pairs {
		if int(pair.Value) >= queuesOf(p) {
			return refuse(invalidValue, "port %s: the map gives class %d queue %d: the port has %d queues, numbered from 0",
				p.Name, pair.Key, pair.Value, queuesOf(p))
		}
	}
	return nil
}

// checkMapUsers returns an error if a port uses QoS map m as its TC_TO_QUEUE and lacks a queue of the new entries.
func (s *Store) checkMapUsers(m *object, pairs []sai.Pair) *sai.Error {
	if m.values[mapType].Number != mapTCToQueue {
		return nil
	}
	for _, o := range s.objects {
		if o.oid.Type() == sai.TypePort && (o.values[portTCToQueue].OID == m.oid || m.port == o.name) {
			if refused := checkQueues(portOf(s.now, o.name), pairs); refused != nil {
				return refused
			}
		}
	}
	return nil
}

// checkSpacings returns an error if, with the new value in set, the port's least spacing of CF_Updates would exceed
// the greatest.
func checkSpacings(v *view, o *object, set sai.Set) *sai.Error {
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

// checkNewVC returns an error if a virtual channel with these attributes cannot be created: the channel exists, the
// port is no link with LLR or has fcs: false, or the credit profile is of another port's pool. at is the index of
// attribute PORT in the call.
func (s *Store) checkNewVC(values map[uint32]sai.Value, at int) *sai.Error {
	port := s.objects[values[vcPort].OID]
	vc := uint8(values[vcIndex].Number)
	p := portOf(s.now, port.name)
	switch {
	case !s.view().link(port.name):
		return refuse(invalidValue.At(at), "port %s is no link with protocol llr", port.name)
	case s.vcOf(port.name, vc) != nil:
		return refuse(sai.ItemAlreadyExists, "VC %d of port %s is an object already: %s", vc, port.name,
			s.vcOf(port.name, vc).oid)
	case !p.FCS:
		return refuse(invalidValue.At(at), "port %s has fcs: false, so that damage could move a frame to another virtual "+
			"channel: set fcs: true in the configuration first", port.name)
	}
	o := &object{oid: sai.OID(sai.TypeVC) << sai.TypeShift, port: port.name}
	return s.checkPool(o, sai.Set{ID: vcProfile, Value: values[vcProfile]})
}

// checkPool returns an error if set gives virtual channel o a credit profile whose pool belongs to another port.
func (s *Store) checkPool(o *object, set sai.Set) *sai.Error {
	profile := s.objects[set.Value.OID]
	if set.ID != vcProfile || profile == nil {
		return nil
	}
	pool := s.objects[profile.values[creditPool].OID]
	if pool != nil && pool.port != o.port {
		return refuse(invalidValue, "credit profile %s has a pool of port %s, and the virtual channel is of port %s",
			profile.oid, pool.port, o.port)
	}
	return nil
}

// checkNewPool returns an error if a credit pool with these attributes cannot be created: the port is no link with
// LLR, or has a pool already. at is the index of attribute PORT in the call.
func (s *Store) checkNewPool(values map[uint32]sai.Value, at int) *sai.Error {
	port := s.objects[values[poolPort].OID]
	if !s.view().link(port.name) {
		return refuse(invalidValue.At(at), "port %s is no link with protocol llr", port.name)
	}
	if pool := s.poolOf(port.name); pool != nil {
		return refuse(sai.ItemAlreadyExists, "port %s has a pool already: %s", port.name, pool.oid)
	}
	return nil
}

// checkChannels returns an error if, by the settings next, a lossless channel whose credits SAI has bounded could
// never use enough credits for its port's longest frame.
func (s *Store) checkChannels(next dataplane.Settings, v *view) error {
	for _, o := range s.sorted() {
		if o.oid.Type() != sai.TypeVC {
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
			return fmt.Errorf("VC %d of port %s could never use more than %d credits (its profile, pool and port), and a "+
				"frame of %d octets needs %d",
				index(o), o.port, most, octets, cost)
		}
	}
	return nil
}

// bounds reports whether SAI has set an attribute that bounds the credits of virtual channel vc with this credit
// profile.
func (s *Store) bounds(vc, profile *object) bool {
	pool := s.objects[profile.values[creditPool].OID]
	return vc.hasValue(vcProfile) || profile.hasValue(creditReserved) || profile.hasValue(creditStatic) ||
		pool != nil && pool.hasValue(poolSize)
}

// uses returns how many credits of its pool a channel with this credit profile can use at most, provided that the
// partner grants them.
func (s *Store) uses(profile *object) int64 {
	size := int64(cbfc.MaxLimit)
	if pool := s.objects[profile.values[creditPool].OID]; pool != nil && pool.hasValue(poolSize) {
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
