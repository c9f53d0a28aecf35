package partner

import "uelink/wire"

// An addressed link keeps to one station, though others may be on the same segment: the configured station, or the
// first station heard, until Silence has passed without its frames.

// Pin makes this end accept a single partner, as an addressed link does (on): the partner with the address to, or
// the first one heard if to is zero.
func (p *Partner) Pin(on bool, to wire.MAC) { p.pins, p.pinned = on, to }

// OtherStation reports whether a valid control frame, with its control ordered sets, is of another station than the
// partner. A frame with another address and the start id of the partner is from the partner, whose address has changed.
// A station with a start id replaces a partner that has sent no start id: the address of such a partner may have been
// damaged.
func (p *Partner) OtherStation(frame []byte, list []wire.CtlOS, now wire.Time) bool {
	from := wire.MAC(frame[wire.AddrLen:])
	switch {
	case !p.pins:
		return false
	case from[0]&1 != 0, from == wire.MAC{}: // multicast and zero are no station's source address
		return true
	case p.pinned != wire.MAC{}:
		return from != p.pinned
	case !p.present || p.Silent(now) || from == p.mac:
		return false
	}
	start, ok := startOf(list)
	return !ok || p.started && start != p.start
}

// ReceivedLooped reports, and records, whether a control frame, with its control ordered sets, was sent by this end
// from the address own. A partner may have the same address, but with another start id.
func (p *Partner) ReceivedLooped(frame []byte, list []wire.CtlOS, own wire.MAC, now wire.Time) bool {
	from := wire.MAC(frame[wire.AddrLen:])
	start, ok := startOf(list)
	cameBack := from == own && (ok && start == p.station.start || !ok && !(p.present && p.mac == own))
	switch {
	case cameBack:
		p.seen.cameBackAt = now
	case from == own:
		p.seen.sameAt = now
	}
	return cameBack
}

// startOf returns the start id in a control frame; ok is false without a start id.
func startOf(list []wire.CtlOS) (start uint32, ok bool) {
	for i := range list {
		var s wire.Station
		if list[i].Item == wire.StationStart && s.Update(list[i]) {
			return s.Start, true
		}
	}
	return 0, false
}

// ControlDA returns the destination address of this end's control frames. An end without a pinned partner uses the
// group address that no bridge forwards. An end with a pinned partner uses the partner's address. While the partner
// is unknown or silent, or this end's address has just changed, it uses the group of all ends that look for a
// partner.
func (p *Partner) ControlDA(now wire.Time) wire.MAC {
	switch {
	case !p.pins:
		return wire.ControlDA
	case p.pinned != wire.MAC{}:
		return p.pinned
	case !p.present || p.Silent(now) || now < p.announces:
		return wire.DiscoveryDA
	}
	return p.mac
}

// AddressChanged announces to all stations, for a while, that this end has another address: the partner's may have
// changed, too.
func (p *Partner) AddressChanged(now wire.Time) {
	p.announces = now.Add(introduction)
	p.station.early = earlyStations
}

// AcceptsAddressed reports whether the partner accepts data frames whose outer addresses are those of the two ends
// of the link.
func (p *Partner) AcceptsAddressed() bool { return (p.SendsStation() || p.lost) && p.reported.Takes }

// SendsHosts reports whether the outer addresses of the partner's data frames may be those of hosts behind the
// partner.
func (p *Partner) SendsHosts() bool {
	return p.present && p.introducing == 0 && !(p.sendsStation && p.reported.Addressed)
}

// ReceivedAddressed handles a data frame that LLR has delivered, whose outer addresses are those of the two ends
// of the link. From now on this start of the partner sends no data frame with other addresses.
func (p *Partner) ReceivedAddressed() { p.addressed = true }

// OnlyAddressed reports whether all data frames of the partner have the outer addresses of the link. Any other data
// frame is then another station's.
func (p *Partner) OnlyAddressed() bool { return p.pins && p.present && p.addressed }
