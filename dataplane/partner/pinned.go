package partner

import "uelink/wire"

// An addressed link keeps to one station, though others may be on the same segment: the one that is
// configured, or the first that is heard, until it has been silent for Silence.

// Pin says that this end keeps to one partner, as an addressed link does: to that of an address, or,
// if it is zero, to the first that is heard.
func (p *Partner) Pin(on bool, to wire.MAC) { p.pins, p.pinned = on, to }

// OtherStation tells whether a valid control frame, with what is in it, is of another station than the
// partner. The partner may come to have another address: then it says the start id that it had. A station
// that says one takes the place of a partner that has said none: its address may have been damaged.
func (p *Partner) OtherStation(frame []byte, list []wire.CtlOS, now int64) bool {
	from := wire.MAC(frame[wire.AddrLen:])
	switch {
	case !p.pins:
		return false
	case from[0]&1 != 0, from == wire.MAC{}: // no station has such an address
		return true
	case p.pinned != wire.MAC{}:
		return from != p.pinned
	case !p.known || p.Silent(now) || from == p.mac:
		return false
	}
	start, ok := startOf(list)
	return !ok || p.started && start != p.start
}

// CameBack tells, and notes, whether a control frame, with what is in it, is one that this end has sent itself, from
// the address own. A partner may have the same address: it says another start id.
func (p *Partner) CameBack(frame []byte, list []wire.CtlOS, own wire.MAC, now int64) bool {
	from := wire.MAC(frame[wire.AddrLen:])
	start, ok := startOf(list)
	is := from == own && (ok && start == p.station.start || !ok && !(p.known && p.mac == own))
	if is {
		p.seen.cameBackAt = now
	}
	return is
}

// startOf is the start id that a control frame says; ok is false if it says none.
func startOf(list []wire.CtlOS) (start uint32, ok bool) {
	for i := range list {
		var s wire.Station
		if list[i].Item == wire.StationStart && s.Update(list[i]) {
			return s.Start, true
		}
	}
	return 0, false
}

// To is the address that this end's control frames go to. An end that keeps to nobody sends them to the group that no
// bridge forwards. One that keeps to one partner sends them to that, or, while it is not known, or silent, or this end
// has just got another address, to the group of all ends that look for a partner.
func (p *Partner) To(now int64) wire.MAC {
	switch {
	case !p.pins:
		return wire.ControlDA
	case p.pinned != wire.MAC{}:
		return p.pinned
	case !p.known || p.Silent(now) || now < p.announces:
		return wire.DiscoveryDA
	}
	return p.mac
}

// Moved says that this end has another address. It is told to all for a while: the partner may have
// another one, too.
func (p *Partner) Moved(now int64) {
	p.announces = now + introduction
	p.station.early = earlyStations
}

// TakesAddressed tells whether it takes data frames with addresses of the link.
func (p *Partner) TakesAddressed() bool { return p.Speaks() && p.told.Takes }

// SendsHosts tells whether its data frames may have the addresses of hosts outside.
func (p *Partner) SendsHosts() bool {
	return p.known && p.introduces == 0 && !(p.speaks && p.told.Addressed)
}

// Addressed notes a data frame with addresses of the link that LLR has delivered. From now on this
// start of the partner sends no other.
func (p *Partner) Addressed() { p.addressed = true }

// OnlyAddressed tells whether a data frame with other addresses outside can only be another station's.
func (p *Partner) OnlyAddressed() bool { return p.pins && p.known && p.addressed }
