package store

import (
	"maps"
	"slices"
	"time"

	"uelink/cbfc"
	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/sai"
	"uelink/wire"
)

// CBFC on a link whose configuration has none: the defaults of the configuration, and the credits granted to a channel,
// in frames of the least length.
const (
	ccTimerDefault = 10 * time.Millisecond
	cfMinDefault   = 6400
	cfMaxDefault   = 1 << 18
	creditTimeout  = time.Second
	grantedFrames  = 256
)

// leastAge is the floor of DATA_AGE_TIMEOUT and PCS_LOST_TIMEOUT. They are set for hardware, in microseconds: in
// software the other process can be without CPU for longer than that, and every frame would be lost by a FLUSH.
const leastAge = time.Second

// apply computes the settings that follow from configuration and SAI objects, and makes the data plane use them. If
// the settings are refused, nothing changes.
func (s *Store) apply() error {
	live := s.plane.Ports()
	next := s.effective(live)
	if err := s.checkChannels(next, &view{s, live}); err != nil {
		return err
	}
	if err := s.plane.Reload(next); err != nil {
		return err
	}
	s.now = next
	return nil
}

// effective returns the settings of the configuration, overridden by SAI's. live is the state of the ports if no file
// was read: modes switched by a command go on.
func (s *Store) effective(live []model.PortState) dataplane.Settings {
	out := s.base
	out.Profiles, out.Ports = maps.Clone(s.base.Profiles), slices.Clone(s.base.Ports)
	for i := range live {
		if p := portOf(out, live[i].Name); p != nil {
			carry(p, &live[i])
		}
	}
	for _, o := range s.sorted() {
		s.effect(&out, o)
	}
	return out
}

// carry copies the modes of LLR and of virtual channels that commands have switched, from the port's present state
// live to its settings p, so that new settings do not undo the commands.
func carry(p *model.PortSettings, live *model.PortState) {
	if live.LLR != nil && p.LLR.Mode != model.LLROff {
		p.LLR.Local, p.LLR.Remote = willing(live.LLR)
	}
	if live.CBFC == nil || !p.CBFC.On || p.CBFCDynamic {
		return
	}
	for _, v := range live.CBFC.VCs {
		setBit(&p.CBFC.Lossless, uint8(v.VC), v.Wanted)
	}
}

// willing returns whether LLR is switched on by this end, for receiving (local) and sending (remote). In mode dynamic
// the partner's agreement does not count.
func willing(s *model.LLRState) (local, remote bool) {
	if n := s.Negotiation; n != nil {
		return n.WillingLocal, n.WillingRemote
	}
	return s.Local, s.Remote
}

func setBit(bits *uint32, n uint8, on bool) {
	if *bits &^= 1 << n; on {
		*bits |= 1 << n
	}
}

// absorb copies LLR modes and virtual channels that commands have switched into the attributes that SAI has set, so
// that the attributes show the present modes.
func (s *Store) absorb() {
	for _, p := range s.plane.Ports() {
		o := s.objects[s.portNamed(p.Name)]
		if o == nil || p.LLR == nil {
			continue
		}
		local, remote := willing(p.LLR)
		for id, on := range map[uint32]bool{portLLRLocal: local, portLLRRemote: remote} {
			if _, set := o.values[id]; set {
				o.values[id] = truth(on)
			}
		}
		for _, v := range vcStates(&p) {
			if o := s.vcOf(p.Name, uint8(v.VC)); o != nil {
				if _, set := o.values[vcSender]; set {
					o.values[vcSender] = truth(v.Wanted)
				}
			}
		}
	}
}

// vcStates returns the states of the virtual channels of a port; nil if CBFC is off.
func vcStates(p *model.PortState) []cbfc.VCState {
	if p.CBFC == nil || !p.CBFC.On {
		return nil
	}
	return p.CBFC.VCs
}

// effect changes the settings out of the data plane as the attributes of one SAI object demand.
func (s *Store) effect(out *dataplane.Settings, o *object) {
	switch o.oid.Type() {
	case sai.TypeLLRProfile:
		p := out.Profiles[o.name]
		if o.isFromClient() {
			p.TimerFloor = !o.exact
		}
		for _, id := range slices.Sorted(maps.Keys(o.values)) {
			setProfile(&p, id, o.values[id], o.exact)
		}
		out.Profiles[o.name] = p
	case sai.TypePort:
		p := portOf(*out, o.name)
		if p == nil {
			return // the CPU port has no settings
		}
		for _, id := range slices.Sorted(maps.Keys(o.values)) {
			s.setPortKey(p, id, o.values[id])
		}
		s.effectMaps(p, o)
	case sai.TypeVC:
		s.effectVC(portOf(*out, o.port), o)
	case sai.TypeCreditPool:
		effectPool(portOf(*out, o.port), o)
	case sai.TypeQueue:
		effectQueue(out, o)
	default: // acts through a port or a channel that names it
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

// setPortKey sets the field of a port's settings that belongs to SAI attribute id to v.
func (s *Store) setPortKey(p *model.PortSettings, id uint32, v sai.Value) {
	switch id {
	case portLLRLocal:
		p.LLR.Local = v.Number != 0
	case portLLRRemote:
		p.LLR.Remote = v.Number != 0
	case portLLRProfile:
		if o := s.objects[v.OID]; o != nil {
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
	case portDot1p, portDot1pDEI, portDSCP, portTCToVC, portQueueToVC, portTCToQueue: // effectMaps
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
		return nil // the file has none
	case portReceiverSize, portSenderSize, portReceiverOverhead, portSenderOverhead:
		return p.CBFC.Size
	}
	return [...]any{p.CBFC.CCTimer, p.CBFC.CFMinSpacing, p.CBFC.CFMaxSpacing}
}
