package path

import "uelink/wire"

// An addressed link (encapsulation: addressed). The outer addresses of its frames are the addresses of the two ends. So
// the interface need not be promiscuous, switches on the way learn two addresses, and no bridge filters a frame by the
// address carried inside. The partner's address is learned from its control frames. A partner that does not accept
// addressed frames gets transparent frames.

// addressing is the form and the addresses of the frames that this end sends.
type addressing struct {
	shim      wire.Preamble  // parts common to all data frames: FCS image and form
	outer     wire.Addresses // addresses from this end to the partner
	controlTo wire.MAC       // where control frames go
	shimOnly  bool           // frames without a shim belong to the host: the link sends no frame without a shim
	network   string         // name of the interface's network, if it carries only IP
}

// strangers is what other stations than the known partner send to a link.
type strangers struct {
	sentTo       wire.MAC  // address to which another station sent a control frame that is not for this end; zero: none
	otherStation wire.MAC  // last sender of control frames besides the known partner; zero: none
	otherSeen    uint64    // RxOtherStation at the last look of heardOther
	otherAt      wire.Time // when it had grown
}

// encapsulate sets how the link's frames are sent, from the facts known of the partner: the outer addresses, the
// form of the shim, and the longest length.
func (l *Link) encapsulate(now wire.Time) {
	s := &l.Port.settings
	l.addressing.controlTo = l.Partner.ControlDA(now)
	l.addressing.shim = wire.Preamble{FCS: s.FCS, To: wire.To{Addressed: s.Addressed() && l.Partner.AcceptsAddressed()}}
	l.addressing.outer = wire.AddressesOf(l.Partner.MAC(), l.Port.iface.mac)
	l.bound()
}

// bound computes the lengths of the longest data frame that this end sends (longest) and accepts (takes), and of the
// longest that partner and wire have to take (required). Both forms are accepted, and the addressed form is the longer.
func (l *Link) bound() {
	l.Lengths.longest, l.Lengths.takes = l.Port.iface.maxFrame, l.Port.iface.maxFrame
	if l.Lengths.most > 0 {
		l.Lengths.longest = min(l.Port.iface.maxFrame, l.addressing.shim.DataLen(l.Lengths.most))
		l.Lengths.takes = min(l.Port.iface.maxFrame, wire.Preamble{FCS: l.Port.settings.FCS,
			To: wire.To{Addressed: true}}.DataLen(l.Lengths.most))
	}
	if l.Lengths.required = l.Lengths.longest; l.Lengths.requiredIn > 0 {
		l.Lengths.required = min(l.Lengths.longest, l.addressing.shim.DataLen(l.Lengths.requiredIn))
	}
}

// dataOfOther reports whether a data frame is between stations other than the two ends of the link, and counts such
// frames.
func (l *Link) dataOfOther(f []byte, p wire.Preamble) bool {
	switch {
	case !p.Addressed && !l.Partner.OnlyAddressed(),
		p.Addressed && wire.MAC(f) == l.Port.iface.mac && (!l.Port.settings.Addressed() ||
			wire.MAC(f[wire.AddrLen:]) == l.Partner.MAC()):
		return false
	}
	l.Port.Counters.RxOtherStation++
	return true
}

// controlOfOther reports whether a valid control frame comes from a station other than the partner, is addressed to
// another station, or was looped back to this end. Such frames are counted.
func (l *Link) controlOfOther(f []byte, list []wire.CtlOS, now wire.Time) bool {
	group, from := f[0]&1 != 0, wire.MAC(f[wire.AddrLen:])
	switch {
	case !group && wire.MAC(f) != l.Port.iface.mac:
		l.strangers.sentTo = wire.MAC(f)
		if !l.Partner.Present() {
			l.strangers.otherStation = from
		}
	case l.Partner.ReceivedLooped(f, list, l.Port.iface.mac, now):
		l.Port.Counters.RxLooped++
		return true
	case l.Partner.OtherStation(f, list, now):
		l.strangers.otherStation = from
	default:
		return false
	}
	l.Port.Counters.RxOtherStation++
	return true
}
