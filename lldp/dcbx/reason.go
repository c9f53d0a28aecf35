package dcbx

// Reason is why a feature is not operational, or does not use its peer's settings: a clause for an
// operator. ReasonNone means no problem.
// Clauses: DCBX/notifications.1.
type Reason string

// The reasons.
const (
	ReasonNone           Reason = ""
	ReasonOff            Reason = "DCBX does not run"
	ReasonDisabled       Reason = "the feature is disabled on this port"
	ReasonNoPeer         Reason = "no peer that speaks DCBX has been heard"
	ReasonTimedOut       Reason = "the peer stopped sending LLDPDUs"
	ReasonShutDown       Reason = "the peer shut LLDP down"
	ReasonNotAdvertising Reason = "the peer's LLDPDU has no DCBX TLV"
	ReasonSeveral        Reason = "there are several LLDP neighbors"
	ReasonAbsent         Reason = "the peer does not advertise the feature"
	ReasonDuplicate      Reason = "the peer's TLV holds the feature or control more than once"
	ReasonPeerDisabled   Reason = "the peer has the feature disabled"
	ReasonPeerError      Reason = "the peer reports an error"
	ReasonNotCompatible  Reason = "the peer's settings are not compatible with ours"
	ReasonUnusable       Reason = "the peer's settings are not usable here"
)

// Reasons why DCBX does not run on a port.
// Clauses: DCBX/lldp.11.
const (
	noteDisabled Reason = "DCBX is switched off (dcbx.mode)"
	noteOneWay   Reason = "DCBX is disabled because LLDP does not go both ways: set lldp.mode to rx-tx"
	noteNoLink   Reason = "the link is down"
)

// current returns the reason in the words of this version: earlier versions saved other words for three reasons.
func (r Reason) current() Reason {
	switch string(r) {
	case "it is disabled here":
		return ReasonDisabled
	case "the peer has it disabled":
		return ReasonPeerDisabled
	case "the peer's settings cannot be operated by":
		return ReasonUnusable
	}
	return r
}

// ofPeer reports whether the reason lies with the peer, so that the manager must be notified.
func (r Reason) ofPeer() bool {
	return r != ReasonNone && r != ReasonOff && r != ReasonDisabled && r != ReasonNoPeer
}

// fromTLV reports whether the reason follows from the peer's TLV alone, so that the manager has not been notified of
// it otherwise.
func (r Reason) fromTLV() bool { return r == ReasonPeerError || r == ReasonPeerDisabled }

// lostReason returns the reason for the event that ended the exchange with the peer.
func lostReason(k EventKind) Reason {
	switch k {
	case EventPeerTimedOut:
		return ReasonTimedOut
	case EventPeerShutDown:
		return ReasonShutDown
	case EventSeveralNeighbors:
		return ReasonSeveral
	default:
		return ReasonNotAdvertising
	}
}

// note returns the reason why DCBX does not run on the port, or why the peer's TLV is unusable; no reason if neither
// is so.
func (p *Port) note() Reason {
	switch {
	case !p.enabled:
		return noteDisabled
	case !p.rx || !p.tx:
		return noteOneWay
	case !p.link:
		return noteNoLink
	case p.fault != ReasonNone:
		return "the peer's DCBX TLV is malformed: " + p.fault
	}
	return ReasonNone
}
