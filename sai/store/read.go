package store

import (
	"net"
	"time"

	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/llr"
	"uelink/sai"
	"uelink/wire"
)

// view is the state of the daemon at the moment of a call, from which the call reads attributes and statistics.
type view struct {
	store *Store
	ports []model.PortState // as the data plane has reported them
}

// value returns the present value of attribute a of object o.
func (v *view) value(o *object, a *Attribute) sai.Value {
	if a.read != nil {
		return a.read(v, o)
	}
	return v.store.valueOf(o, a.ID)
}

// pairsOf returns the entries of a QoS map of the configuration whose value is not 0. Of a map from priorities it
// returns the entries for frames without DEI.
func pairsOf(m *qos.Map, kind int64) []sai.Pair {
	list := []sai.Pair{}
	add := func(key int, value uint8) {
		if value != 0 {
			list = append(list, sai.Pair{Key: uint8(key), Value: value})
		}
	}
	switch kind {
	case mapDot1p:
		for pcp := range 8 {
			add(pcp, m.Dot1pDEI[2*pcp])
		}
	case mapDSCP:
		for dscp, class := range m.DSCP {
			add(dscp, class)
		}
	default: // mapTCToVC, mapTCToQueue
		for class, vc := range m.Queue {
			add(class, vc)
		}
	}
	return list
}

// state returns the state of the port with a name; the zero value if the port was removed.
func (v *view) state(name string) *model.PortState {
	for i := range v.ports {
		if v.ports[i].Name == name {
			return &v.ports[i]
		}
	}
	return &model.PortState{}
}

// settings returns the settings in force of the port with a name; the zero value if the port was removed.
func (v *view) settings(name string) *model.PortSettings {
	if p := portOf(v.store.now, name); p != nil {
		return p
	}
	return &model.PortSettings{}
}

// link reports whether a port is a link that speaks LLR and CBFC, and not HIPPI-6400-PH.
func (v *view) link(name string) bool {
	p := v.settings(name)
	return p.Role == model.RoleLink && p.Protocol == model.LLR
}

// llr returns the LLR state of the port with a name; the zero value for a port without LLR.
func (v *view) llr(name string) *model.LLRState {
	if s := v.state(name).LLR; s != nil {
		return s
	}
	return &model.LLRState{}
}

func numberOfPorts(v *view, _ *object) sai.Value { return number(len(v.store.base.Ports)) }

// portList returns the ids of all ports, in the order of the configuration.
func portList(v *view, _ *object) sai.Value {
	list := sai.Value{OIDs: []sai.OID{}}
	for _, p := range v.store.base.Ports {
		list.OIDs = append(list.OIDs, v.store.portNamed(p.Name))
	}
	return list
}

// largestMTU returns the length of the longest frame of any port's interface, with the Ethernet header.
func largestMTU(v *view, _ *object) sai.Value {
	most := 0
	for _, p := range v.ports {
		most = max(most, p.MTU)
	}
	return number(most + wire.HeaderLen)
}

// switchMAC returns the address of the first port's interface, which stands for the switch's.
func switchMAC(v *view, _ *object) sai.Value {
	mac := wire.MAC{}
	if len(v.store.base.Ports) > 0 {
		mac = v.state(v.store.base.Ports[0].Name).MAC
	}
	return sai.Value{MAC: net.HardwareAddr(mac[:]).String()}
}

// portState returns the operational status of a port; the CPU port is always up.
func portState(v *view, o *object) sai.Value {
	if o.oid == CPUPortOID {
		return number(portUp)
	}
	return number(operStatus(v.state(o.name).OperStatus))
}

// operStatus converts an interface's operational status to SAI's sai_port_oper_status_t.
func operStatus(s model.OperStatus) int {
	switch s {
	case model.OperUp:
		return portUp
	case model.OperDown:
		return portDown
	default:
		return portNotPresent
	}
}

func portSpeed(v *view, o *object) sai.Value { return number(v.state(o.name).Speed) }

// portLanes returns the lanes of a port, as the configuration has them; without lanes there, the port's place among the
// ports, from 0, as its only lane.
func portLanes(v *view, o *object) sai.Value {
	for i, p := range v.store.base.Ports {
		if p.Name != o.name {
			continue
		}
		list := sai.Value{List: []int64{}}
		for _, lane := range v.store.lanes[o.name] {
			list.List = append(list.List, int64(lane))
		}
		if len(list.List) == 0 {
			list.List = append(list.List, int64(i))
		}
		return list
	}
	return sai.Value{}
}

// portAdmin reads whether the interface of a port is up. While clients may not set it, it is true: the daemon serves
// every configured port.
func portAdmin(v *view, o *object) sai.Value {
	return truth(!v.store.manages || v.state(o.name).Admin != model.AdminDown)
}

func portMTU(v *view, o *object) sai.Value { return number(v.state(o.name).MTU + wire.HeaderLen) }

// portMap returns a function that reads which QoS map of a SAI type a port object has: the map that SAI has set, or
// else the configuration's.
func portMap(kind int64) func(*view, *object) sai.Value {
	id := map[int64]uint32{
		mapDot1p: portDot1p, mapDot1pDEI: portDot1pDEI, mapDSCP: portDSCP, mapTCToQueue: portTCToQueue,
		mapTCToVC: portTCToVC, mapQueueToVC: portQueueToVC,
	}[kind]
	return func(v *view, o *object) sai.Value {
		if value, set := o.values[id]; set {
			return value
		}
		if m := v.store.keyed(mapKey(o.name, kind)); m != nil {
			return sai.Value{OID: m.oid}
		}
		return sai.Value{}
	}
}

// portError returns SAI's error status of a port: LLR_TX_FLUSH while the LLR transmitter is in FLUSH, else 0.
func portError(v *view, o *object) sai.Value {
	if s := v.state(o.name).LLR; s != nil && s.TxStatus == llr.TxFlush {
		return number(portErrorFlush)
	}
	return sai.Value{}
}

func llrLocal(v *view, o *object) sai.Value {
	local, _ := willing(v.llr(o.name))
	return truth(local)
}

func llrRemote(v *view, o *object) sai.Value {
	_, remote := willing(v.llr(o.name))
	return truth(remote)
}

// llrProfile returns the id of the LLR profile of port object o: the one that SAI has set, or else the
// configuration's; null if the configuration has LLR off.
func llrProfile(v *view, o *object) sai.Value {
	if value, set := o.values[portLLRProfile]; set {
		return value
	}
	p := v.settings(o.name)
	if p.LLR.Mode == model.LLROff {
		return sai.Value{}
	}
	for oid, profile := range v.store.objects {
		if oid.Type() == sai.TypeLLRProfile && profile.name == p.LLR.Profile {
			return sai.Value{OID: oid}
		}
	}
	return sai.Value{}
}

// llrTx returns the state of the LLR transmitter of a port.
// Clauses: SAI-LLR/workflow.3.
func llrTx(v *view, o *object) sai.Value { return number(uint8(v.llr(o.name).TxStatus)) }

func llrRx(v *view, o *object) sai.Value { return number(uint8(v.llr(o.name).RxStatus)) }

// ofProfile returns the value of SAI attribute id of an LLR profile of the configuration.
func ofProfile(p llr.Profile, id uint32) sai.Value {
	switch id {
	case llrFrames:
		return number(p.ReplaySlots())
	case llrBytes:
		return number(p.MaxOutstandingBytes)
	case llrTimer:
		return nanoseconds(p.MaxReplayTimer)
	case llrCount:
		return number(p.MaxReplayCount)
	case llrPCSLost:
		return nanoseconds(p.PCSLostTimeout)
	case llrDataAge:
		return nanoseconds(p.DataAgeTimeout)
	case llrInit:
		return number(uint8(p.InitAction))
	case llrFlush:
		return number(uint8(p.FlushAction))
	case llrReInit:
		return truth(p.ReInitOnFlush)
	}
	return number(p.CtlOSSpacingBytes) // llrSpacing
}

// nanoseconds returns a duration as a SAI value in nanoseconds, at most 2^32-1.
func nanoseconds(d time.Duration) sai.Value { return number(min(int64(d), 1<<32-1)) }

// objectsOfPort returns a function that lists the objects of type t whose attribute id refers to a given port
// object.
func objectsOfPort(t sai.ObjectType, id uint32) func(*view, *object) sai.Value {
	return func(v *view, port *object) sai.Value {
		list := sai.Value{OIDs: []sai.OID{}}
		for _, o := range v.store.sorted() {
			if o.oid.Type() == t && o.values[id].OID == port.oid {
				list.OIDs = append(list.OIDs, o.oid)
			}
		}
		return list
	}
}
