package path

import (
	"uelink/dataplane/frame"
	"uelink/dataplane/negotiation"
	"uelink/wire"
	"uelink/wire/micropacket"
)

// receiveNative handles a frame without a shim: drops it, or forwards it if the link accepts such frames. retained
// reports whether the frame waits in its chunk. A partner that shims every frame sends no native frame, so such a frame
// is damaged. A frame to a reserved group address proves nothing about the partner's transmitter: a bridge on the wire
// may have sent the frame.
func (l *Link) receiveNative(d *Domain, s *source, desc *frame.Desc, f []byte, now wire.Time) (retained bool) {
	if l.Port.settings.Addressed() || wire.MAC(f) == wire.ControlDA && l.strayControl(f) {
		l.linkLocal(f, now)
		return false
	}
	if l.fromHost(f) {
		l.Partner.ReceivedNative()
	}
	if !l.takesNative(f) || !carries(f) {
		l.Port.Counters.RxNativeDropped++
		return false
	}
	if !wire.Reserved(f) {
		l.unsequenced()
	}
	l.Port.Counters.RxNative++
	s.arrives = arrival{}
	if d.Bridge != nil {
		return d.switched(s, desc, 0, now)
	}
	if wire.TrueType(f) == wire.EtherTypeARP {
		d.conflicts.receivedARP(d, &l.Port, f, 0, now)
	}
	return d.pass(s, desc, l.Port.Other, 0, wire.Retag{}, now)
}

// carries reports whether links carry a native frame: MAC Control and LLDP belong to the stations at a wire's ends.
func carries(f []byte) bool { return !wire.MACControl(f) && wire.TrueType(f) != wire.EtherTypeLLDP }

// fromHost reports whether a native frame shows that a host sends frames without a shim at the other end: neither a
// bridge on the way nor the partner's LLDP agent has sent it, nor is it a damaged frame of the partner.
func (l *Link) fromHost(f []byte) bool {
	return carries(f) && !wire.Reserved(f) && !wire.LooksLikeShim(f, l.Port.settings.Dialect) && !wire.LooksLikeControl(f)
}

// strayControl reports whether a native frame to the address of control frames is a control frame behind a VLAN tag,
// under another EtherType, or damaged. The address alone is no proof: IEEE 802.1AS uses the same address.
func (l *Link) strayControl(f []byte) bool {
	return wire.TrueType(f) == l.Port.settings.EtherTypeControl || wire.LooksLikeControl(f)
}

// linkLocal counts and drops a stray control frame, or a native frame of an addressed link. From such a frame linkLocal
// detects a partner with other EtherTypes, or a VLAN tag added on the way. On an addressed link with a partner,
// linkLocal detects no other EtherTypes, because other stations may use the EtherTypes.
func (l *Link) linkLocal(f []byte, now wire.Time) {
	if wire.TrueType(f) == l.Port.settings.EtherTypeControl {
		l.Partner.ReceivedTagged(now)
	}
	n, _, fault := wire.ParseControl(f, &l.control)
	if fault != wire.NoFault || l.Port.settings.Addressed() && l.Partner.Present() {
		l.Port.Counters.RxNativeDropped++
		if !l.Partner.Present() && l.fromHost(f) {
			l.Partner.ReceivedNative()
		}
		return
	}
	l.Port.Counters.RxOtherEtherType++
	l.Partner.ReceivedOtherEtherType(f, l.control[:n])
}

// takesNative reports whether a frame without a shim is accepted as the partner's: sent before the partner had heard of
// this end, or while LLR is off or going off in both directions. A frame that looks like a shim or a control frame with
// a damaged EtherType is not accepted, unless LLR is off and no partner is present. An addressed link accepts no frame
// without a shim.
func (l *Link) takesNative(f []byte) bool {
	off := !l.local() && !l.remote()
	if l.Port.settings.Addressed() {
		return false
	}
	if off && !l.Partner.Present() {
		return true
	}
	return (off || l.modes.receiver == negotiation.Retiring || !l.Partner.SendsShims()) &&
		!wire.LooksLikeShim(f, l.Port.settings.Dialect) && !wire.LooksLikeControl(f)
}

// countDataFault counts a data frame f that could not be parsed, by its fault, and records if the frame shows that
// the partner speaks another dialect or link protocol.
func (l *Link) countDataFault(f []byte, fault wire.Fault, now wire.Time) {
	switch {
	case hasMicropackets(f):
		l.Port.Counters.RxOtherProtocol++
		l.Partner.ReceivedOtherProtocol(wire.MAC(f[wire.AddrLen:]), now)
	case fault == wire.FaultTruncated:
		l.Port.Counters.RxShimTruncated++
	case fault == wire.FaultReserved:
		l.Port.Counters.RxShimReserved++
	default:
		p, fault := wire.ParseData(f, l.Port.settings.Dialect.Other())
		if fault == wire.NoFault && (!p.FCS || wire.CheckFCS(f) == wire.FCSGood) {
			l.Port.Counters.RxOtherDialect++
			l.Partner.ReceivedOtherDialect()
			return
		}
		l.Port.Counters.RxShimBadSFD++
		l.detectSwapped(f)
	}
}

// hasMicropackets reports whether a frame that is no valid LLR data frame is an undamaged frame of micropackets: the
// partner speaks HIPPI-6400-PH.
func hasMicropackets(f []byte) bool {
	if _, fault := micropacket.ParseFrame(f); fault != wire.NoFault {
		return false
	}
	var first micropacket.Micropacket
	first.Parse(micropacket.At(f, 0))
	return first.CheckLCRC() == micropacket.Good
}

// detectSwapped counts and reports a control frame of the partner under the EtherType of this end's data frames.
func (l *Link) detectSwapped(f []byte) {
	if n, _, fault := wire.ParseControl(f, &l.control); fault == wire.NoFault {
		l.Port.Counters.RxOtherEtherType++
		l.Partner.ReceivedOtherEtherType(f, l.control[:n])
	}
}

// countControlFault counts a control frame that could not be parsed, by its fault.
func (l *Link) countControlFault(fault wire.Fault) {
	switch fault {
	case wire.FaultTruncated:
		l.Port.Counters.RxControlTruncated++
	case wire.FaultVersion:
		l.Port.Counters.RxControlVersion++
	case wire.FaultCount:
		l.Port.Counters.RxControlCount++
	case wire.FaultCRC:
		l.Port.Counters.RxControlCRC++
	default:
		l.Port.Counters.RxControlReserved++
	}
}
