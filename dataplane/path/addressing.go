package path

import "uelink/wire"

// An addressed link (encapsulation: addressed). The outer addresses of its frames are the addresses of the two ends. So
// the interface need not be promiscuous, switches on the way learn two addresses, and no bridge filters a frame by the
// address carried inside. The partner's address is learned from its control frames. A partner that does not accept
// addressed frames gets transparent frames.

// addressing is the form and the addresses of the frames that this end sends.
type addressing struct {
	shim      wire.Preamble  // what all data frames have in common: with or without an FCS image, transparent or addressed
	outer     wire.Addresses // addresses from this end to the partner
	controlTo wire.MAC       // destination of control frames
	shimOnly  bool           // frames without a shim belong to the host: the link sends no frame without a shim
	network   string         // name of the network that the interface belongs to, if that carries only IP; else empty
}

// strangers is what other stations than the known partner send to a link.
type strangers struct {
	sentTo       wire.MAC  // address to which another station sent a control frame that is not for this end; zero: none
	otherStation wire.MAC  // last sender of control frames besides the known partner; zero: none
	otherSeen    uint64    // RxOtherStation at the last call of heardOther
	otherAt      wire.Time // time at which otherSeen had last grown
}

// sentData reports whether a data frame is between stations other than the two ends of the link, and counts such
// frames. An addressed frame is the link's if it goes to this interface and, on an addressed link, comes from the
// partner; a transparent frame, unless the partner sends only addressed ones.
func (o *strangers) sentData(l *Link, f []byte, p wire.Preamble) bool {
	switch {
	case !p.Addressed && !l.Partner.OnlyAddressed(),
		p.Addressed && wire.MAC(f) == l.Port.iface.mac && (!l.Port.settings.Addressed() ||
			wire.MAC(f[wire.AddrLen:]) == l.Partner.MAC()):
		return false
	}
	l.Port.Counters.RxOtherStation++
	return true
}

// sentControl reports whether a valid control frame comes from a station other than the partner, is addressed to
// another station, or was looped back to this end. It counts such frames, and keeps the addresses (sentTo,
// otherStation) for the text of the problem.
func (o *strangers) sentControl(l *Link, f []byte, list []wire.CtlOS, now wire.Time) bool {
	group, from := f[0]&1 != 0, wire.MAC(f[wire.AddrLen:])
	switch {
	case !group && wire.MAC(f) != l.Port.iface.mac:
		o.sentTo = wire.MAC(f)
		if !l.Partner.Present() {
			o.otherStation = from
		}
	case l.Partner.ReceivedLooped(f, list, l.Port.iface.mac, now):
		l.Port.Counters.RxLooped++
		return true
	case l.Partner.OtherStation(f, list, now):
		o.otherStation = from
	default:
		return false
	}
	l.Port.Counters.RxOtherStation++
	return true
}
