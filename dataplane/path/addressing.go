package path

import "uelink/wire"

// An addressed link (encapsulation: addressed). The outer addresses of its frames are the addresses of the two ends. So
// the interface need not be promiscuous, switches on the way learn two addresses, and no bridge filters a frame by the
// address carried inside. The partner's address is learned from its control frames. A partner that does not accept
// addressed frames gets transparent frames.

// encapsulate sets how the link's frames are sent, from the facts known of the partner: the outer addresses, the
// form of the shim, and the longest length.
func (l *Link) encapsulate(now wire.Time) {
	s := &l.settings
	l.controlTo = l.Partner.ControlDA(now)
	l.shim = wire.Preamble{FCS: s.FCS, To: wire.To{Addressed: s.Addressed() && l.Partner.AcceptsAddressed()}}
	l.outer = wire.AddressesOf(l.Partner.MAC(), l.mac)
	l.bound()
}

// bound computes the lengths of the longest data frame that this end sends (longest) and accepts (takes), and of the
// longest that partner and wire have to take (required). Both forms are accepted, and the addressed form is the longer.
func (l *Link) bound() {
	l.longest, l.takes = l.maxFrame, l.maxFrame
	if l.most > 0 {
		l.longest = min(l.maxFrame, l.shim.DataLen(l.most))
		l.takes = min(l.maxFrame, wire.Preamble{FCS: l.settings.FCS, To: wire.To{Addressed: true}}.DataLen(l.most))
	}
	if l.required = l.longest; l.requiredIn > 0 {
		l.required = min(l.longest, l.shim.DataLen(l.requiredIn))
	}
}

// dataOfOther reports whether a data frame is between stations other than the two ends of the link, and counts such
// frames.
func (l *Link) dataOfOther(f []byte, p wire.Preamble) bool {
	switch {
	case !p.Addressed && !l.Partner.OnlyAddressed(),
		p.Addressed && wire.MAC(f) == l.mac && (!l.settings.Addressed() || wire.MAC(f[wire.AddrLen:]) == l.Partner.MAC()):
		return false
	}
	l.Counters.RxOtherStation++
	return true
}

// controlOfOther reports whether a valid control frame comes from a station other than the partner, is addressed to
// another station, or was looped back to this end. Such frames are counted.
func (l *Link) controlOfOther(f []byte, list []wire.CtlOS, now wire.Time) bool {
	group, from := f[0]&1 != 0, wire.MAC(f[wire.AddrLen:])
	switch {
	case !group && wire.MAC(f) != l.mac:
		l.sentTo = wire.MAC(f)
		if !l.Partner.Present() {
			l.otherStation = from
		}
	case l.Partner.ReceivedLooped(f, list, l.mac, now):
		l.Counters.RxLooped++
		return true
	case l.Partner.OtherStation(f, list, now):
		l.otherStation = from
	default:
		return false
	}
	l.Counters.RxOtherStation++
	return true
}
