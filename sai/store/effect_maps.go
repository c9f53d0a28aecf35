package store

import (
	"uelink/cbfc"
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/sai"
)

// addMaps sets those QoS maps in a port's settings that SAI has chosen by an attribute of port object o, and those
// of the configuration whose entries SAI has changed.
func (e *effects) addMaps(p *model.PortSettings, o *object) {
	if m := e.s.objects[o.values[portDot1pDEI].OID]; m != nil {
		setMap(p, portDot1pDEI, e.s.valueOf(m, mapList).Map)
	} else {
		e.addMap(p, o, portDot1p)
	}
	e.addMap(p, o, portDSCP)
	switch m := e.s.objects[o.values[portQueueToVC].OID]; {
	case p.Role != model.RoleLink:
		e.addMap(p, o, portTCToQueue)
	case m != nil:
		e.addQueueToVC(p, o, e.s.valueOf(m, mapList).Map)
	default:
		e.addMap(p, o, portTCToVC)
	}
}

// addMap sets the QoS map that belongs to SAI attribute id in a port's settings: the map that SAI has given the port,
// no map if SAI has set the attribute to null, else the configuration's map with entries that SAI has changed.
func (e *effects) addMap(p *model.PortSettings, o *object, id uint32) {
	configured := e.s.keyed(mapKey(o.name, mapTypes[id]))
	m := configured
	v, named := o.values[id]
	if named {
		m = e.s.objects[v.OID]
	}
	switch {
	case m == nil && named:
		noMap(p, id)
	case m == nil:
	case m != configured || m.hasValue(mapList):
		setMap(p, id, e.s.valueOf(m, mapList).Map)
	}
}

// addQueueToVC sets the virtual channel of each class of a link. pairs, the entries of a QUEUE_TO_VC map, give the
// channel of each queue; TC_TO_QUEUE gives the queue of a class, or without such a map the queue has the same number.
func (e *effects) addQueueToVC(p *model.PortSettings, o *object, pairs []sai.Pair) {
	var channel [cbfc.VCs]uint8
	for _, pair := range pairs {
		channel[pair.Key] = pair.Value
		p.VCs = max(p.VCs, int(pair.Value)+1)
	}
	queue := sameQueue(qos.Classes)
	if m := e.s.objects[o.values[portTCToQueue].OID]; m != nil {
		queue = [qos.Classes]uint8{}
		for _, pair := range e.s.valueOf(m, mapList).Map {
			queue[pair.Key] = pair.Value
		}
	}
	for class := range p.QoS.Queue {
		p.QoS.Queue[class] = channel[queue[class]]
	}
}

// sameQueue returns a map from each of the first n classes to the queue of the same number; the others map to queue 0.
func sameQueue(n int) (m [qos.Classes]uint8) {
	for class := range n {
		m[class] = uint8(class)
	}
	return m
}

// noMap removes the QoS map that belongs to SAI attribute id from a port's settings: all keys map to 0, and without a
// TC_TO_QUEUE each class to the queue of its number.
func noMap(p *model.PortSettings, id uint32) {
	switch m := &p.QoS; id {
	case portTCToVC:
		m.Queue = [qos.Classes]uint8{}
	case portTCToQueue:
		m.Queue = sameQueue(queuesOf(p))
	case portDSCP:
		m.DSCP = [64]uint8{}
		if m.Trust == qos.TrustDSCP {
			m.Trust = qos.TrustDot1p
		}
	case portDot1p:
		m.Dot1pDEI = [16]uint8{}
	}
}

// setMap replaces the QoS map that belongs to SAI attribute id in a port's settings by pairs; keys without a pair map
// to 0. From then on the port trusts the field of a frame that the map reads. A link gets the channels that pairs name.
func setMap(p *model.PortSettings, id uint32, pairs []sai.Pair) {
	switch m := &p.QoS; id {
	case portTCToVC, portTCToQueue:
		m.Queue = [qos.Classes]uint8{}
		for _, pair := range pairs {
			m.Queue[pair.Key] = pair.Value
			if id == portTCToVC {
				p.VCs = max(p.VCs, int(pair.Value)+1)
			}
		}
	case portDSCP:
		m.DSCP = [64]uint8{}
		for _, pair := range pairs {
			m.DSCP[pair.Key] = pair.Value
		}
		m.Trust = max(m.Trust, qos.TrustDSCP)
	case portDot1p:
		m.Dot1pDEI = [16]uint8{}
		for _, pair := range pairs {
			m.Dot1pDEI[2*pair.Key], m.Dot1pDEI[2*pair.Key+1] = pair.Value, pair.Value
		}
		m.Trust = max(m.Trust, qos.TrustDot1p)
	case portDot1pDEI:
		m.Dot1pDEI = [16]uint8{}
		for _, pair := range pairs {
			m.Dot1pDEI[pair.Key] = pair.Value
		}
		m.Trust = max(m.Trust, qos.TrustDot1p)
	}
}
