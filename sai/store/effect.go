package store

import (
	"maps"
	"slices"
	"time"

	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/sai"
	"uelink/wire"
)

// CBFC settings for a link whose configuration has no CBFC: the defaults of the configuration, and the credits granted
// to a channel, in frames of the least length.
const (
	ccTimerDefault = 10 * time.Millisecond
	cfMinDefault   = 6400
	cfMaxDefault   = 1 << 18
	creditTimeout  = time.Second
	grantedFrames  = 256
)

// leastAge is the floor of DATA_AGE_TIMEOUT and PCS_LOST_TIMEOUT. SONiC sets these for hardware, in microseconds. In
// software the partner's process can be without CPU for longer, and a FLUSH would then lose every frame.
const leastAge = time.Second

// effects makes settings of the data plane out of the objects of a store: out begins as the settings of the
// configuration, and method add changes them object by object.
type effects struct {
	s   *Store
	out dataplane.Settings
}

// add changes the settings as the attributes of one SAI object demand.
func (e *effects) add(o *object) {
	switch o.oid.Type() {
	case sai.TypeLLRProfile:
		p := e.out.Profiles[o.name]
		if o.isFromClient() {
			p.TimerFloor = !o.exact
		}
		for _, id := range slices.Sorted(maps.Keys(o.values)) {
			setProfile(&p, id, o.values[id], o.exact)
		}
		e.out.Profiles[o.name] = p
	case sai.TypePort:
		p := portOf(e.out, o.name)
		if p == nil {
			return // the CPU port has no settings
		}
		for _, id := range slices.Sorted(maps.Keys(o.values)) {
			e.setPortKey(p, id, o.values[id])
		}
		e.addMaps(p, o)
	case sai.TypeVC:
		e.addVC(portOf(e.out, o.port), o)
	case sai.TypeCreditPool:
		effectPool(portOf(e.out, o.port), o)
	case sai.TypeQueue:
		effectQueue(&e.out, o)
	default: // other objects act only through a port or a channel that refers to them
	}
}

// setProfile sets the field of an LLR profile that belongs to SAI attribute id to v. Unless exact is true, timeouts
// meant for hardware are raised to the least value that suits software.
func setProfile(p *llr.Profile, id uint32, v sai.Value, exact bool) {
	floored := time.Duration(v.Number)
	if !exact && floored > 0 {
		floored = max(floored, leastAge)
	}
	switch id {
	case llrFrames:
		p.MaxOutstandingFrames = int(v.Number)
	case llrBytes:
		p.MaxOutstandingBytes = v.Number
	case llrTimer:
		p.MaxReplayTimer, p.TimerFloor = time.Duration(v.Number), !exact
	case llrCount:
		p.MaxReplayCount = uint8(v.Number)
	case llrPCSLost:
		p.PCSLostTimeout = floored
	case llrDataAge:
		p.DataAgeTimeout = floored
	case llrInit:
		p.InitAction = llr.FrameAction(v.Number)
	case llrFlush:
		p.FlushAction = llr.FrameAction(v.Number)
	case llrReInit:
		p.ReInitOnFlush = v.Number != 0
	case llrSpacing:
		p.CtlOSSpacingBytes = int(v.Number)
	}
}

// setPortKey sets the field of a port's settings that belongs to SAI attribute id to v. A port on which SAI switches
// LLR on, although the configuration has it off, gets LLR mode static.
func (e *effects) setPortKey(p *model.PortSettings, id uint32, v sai.Value) {
	switch id {
	case portLLRLocal:
		p.LLR.Local = v.Number != 0
	case portLLRRemote:
		p.LLR.Remote = v.Number != 0
	case portLLRProfile:
		if o := e.s.objects[v.OID]; o != nil {
			p.LLR.Profile = o.name
		}
	case portPFCMode: // COMBINED is the only one
	case portPFC:
		setPriorities(&p.PFC, uint8(v.Number))
	case portMTUSet:
		p.Managed.MTU = int(v.Number) - wire.HeaderLen
	case portAdminState:
		if p.Managed.Admin = model.AdminDown; v.Number != 0 {
			p.Managed.Admin = model.AdminUp
		}
	case portDot1p, portDot1pDEI, portDSCP, portTCToVC, portQueueToVC, portTCToQueue: // addMaps
	default:
		setCredits(p, id, v)
	}
	if p.LLR.Mode == model.LLROff && (p.LLR.Local || p.LLR.Remote) {
		p.LLR.Mode = model.LLRStatic
	}
}

// mapTypes maps the attributes of a port to the types of their QoS maps.
var mapTypes = map[uint32]int64{
	portDot1p: mapDot1p, portDot1pDEI: mapDot1pDEI, portDSCP: mapDSCP, portTCToQueue: mapTCToQueue,
	portTCToVC: mapTCToVC, portQueueToVC: mapQueueToVC,
}

// hasValue reports whether a client of SAI has set attribute id of the object.
func (o *object) hasValue(id uint32) bool {
	_, set := o.values[id]
	return set
}

// ofFile returns the part of a port's settings in the configuration file that corresponds to SAI attribute id. When
// this part changes in a reload, the value set by SAI is dropped.
func ofFile(p *model.PortSettings, id uint32) any {
	switch id {
	case portLLRLocal, portLLRRemote, portLLRProfile:
		return p.LLR
	case portDot1p, portDot1pDEI, portDSCP:
		return [...]any{p.QoS.Trust, p.QoS.Dot1pDEI, p.QoS.DSCP}
	case portTCToVC, portQueueToVC, portTCToQueue:
		return p.QoS.Queue
	case portPFC:
		return p.PFC
	case portSenderLimit, portPFCMode, portMTUSet, portAdminState:
		return nil // the configuration file has no such setting
	case portReceiverSize, portSenderSize, portReceiverOverhead, portSenderOverhead:
		return p.CBFC.Size
	}
	return [...]any{p.CBFC.CCTimer, p.CBFC.CFMinSpacing, p.CBFC.CFMaxSpacing}
}

// setBit sets bit n of bits, or clears it.
func setBit(bits *uint32, n uint8, on bool) {
	if *bits &^= 1 << n; on {
		*bits |= 1 << n
	}
}
