package dataplane

import "uelink/wire"

// An addressed link (encapsulation: addressed). The addresses outside its frames are those of the two
// ends, so its interface need not be promiscuous, what is on the way learns two addresses, and
// no bridge eats a frame for the address that it carries. The addresses of the partner are learned from its
// control frames. A partner that does not take such frames gets transparent ones.

// addressed tells whether this end of the link is set to be addressed.
func (s *PortSettings) addressed() bool { return s.Encapsulation == Addressed }

// groups are the group addresses that a port takes frames for besides its own address; none: it takes
// those for every address.
func (s *PortSettings) groups() []wire.MAC {
	if !s.addressed() || s.Promiscuous == PromiscuousOn {
		return nil
	}
	return []wire.MAC{wire.DiscoveryDA, wire.ControlDA}
}

// notPromiscuous tells whether the interface stays out of promiscuous mode when it is taken.
func (s *PortSettings) notPromiscuous() bool {
	return s.Promiscuous == PromiscuousOff || s.addressed() && s.Promiscuous == PromiscuousAuto
}

// encapsulate decides by what is known of the partner how frames are sent: to which address, in which form, and how
// long they may be.
func (l *link) encapsulate(now int64) {
	s := &l.settings
	l.controlTo = l.partner.ControlDA(now)
	l.shim = wire.Preamble{FCS: s.FCS, To: wire.To{Addressed: s.addressed() && l.partner.AcceptsAddressed()}}
	l.outer = wire.AddressesOf(l.partner.MAC(), l.mac)
	l.bound()
}

// bound works out the longest frame that this end sends, and the longest that it takes. It takes transparent frames and
// addressed ones, which are longer.
func (l *link) bound() {
	l.longest, l.takes = l.maxFrame, l.maxFrame
	if l.most > 0 {
		l.longest = min(l.maxFrame, l.shim.DataLen(l.most))
		l.takes = min(l.maxFrame, wire.Preamble{FCS: l.settings.FCS, To: wire.To{Addressed: true}}.DataLen(l.most))
	}
}

// put writes the data frame that carries a frame into a chunk, and returns its length.
func (l *link) put(chunk, carried []byte, p wire.Preamble) uint32 {
	s := &l.settings
	if l.shim.Addressed {
		return uint32(wire.PutAddressed(chunk, carried, &l.outer, s.EtherTypeData, s.Dialect, p, false))
	}
	return uint32(wire.PutData(chunk, carried, s.EtherTypeData, s.Dialect, p, false))
}

// readdress gives a frame that is sent again the addresses that the two ends have now. One whose last
// posting is not over stays as it is.
func (l *link) readdress(slot uint32) {
	st := &l.slots.state[slot]
	if !l.shim.Addressed || st.posted > 0 {
		return
	}
	addr := l.slots.addr(slot)
	f := l.sources[0].area[addr : addr+uint64(st.len)]
	if wire.Addresses(f) == l.outer {
		return
	}
	if p, fault := wire.ParseData(f, l.settings.Dialect); fault == wire.NoFault && p.Addressed {
		wire.Readdress(f, &l.outer, p.FCS)
	}
}

// dataOfOther tells whether a data frame is between other stations than the two ends of the link. It has
// been counted then.
func (l *link) dataOfOther(f []byte, p wire.Preamble) bool {
	switch {
	case !p.Addressed && !l.partner.OnlyAddressed(),
		p.Addressed && wire.MAC(f) == l.mac && (!l.settings.addressed() || wire.MAC(f[wire.AddrLen:]) == l.partner.MAC()):
		return false
	}
	l.counters.RxOtherStation++
	return true
}

// controlOfOther tells whether a valid control frame is of another station than the partner, or for
// another than this end, or has come back to this end. It has been counted then.
func (l *link) controlOfOther(f []byte, list []wire.CtlOS, now int64) bool {
	group, from := f[0]&1 != 0, wire.MAC(f[wire.AddrLen:])
	switch {
	case !group && wire.MAC(f) != l.mac:
	case l.partner.ReceivedLooped(f, list, l.mac, now):
		l.counters.RxLooped++
		return true
	case l.partner.OtherStation(f, list, now):
		l.otherStation = from
	default:
		return false
	}
	l.counters.RxOtherStation++
	return true
}
