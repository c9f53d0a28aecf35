package path

import (
	"math/bits"

	"uelink/cbfc"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/partner"
	"uelink/dataplane/remedy"
	"uelink/llr"
	"uelink/wire"
)

// remedy returns the text and the command of this end against the problem with its partner. If the partner reports
// trouble that this end's own state does not confirm, the text says only that the partner reports it.
func (l *Link) remedy() remedy.Remedy {
	f := l.Partner.Finding(l.self)
	s := &l.Port.settings
	own := remedy.Own{
		Port: s.Name, Interface: s.Interface, Partner: l.Partner.MAC(),
		EtherTypeData: s.EtherTypeData, EtherTypeCtl: s.EtherTypeControl, Dialect: s.Dialect, AcceptLLR: l.acceptLLR(),
		Address: addressOf(l.Partner.OwnStart()), Profile: s.LLR.Profile, VCs: l.vcs(),
		Silence: remedy.Silence{
			Own: l.Port.iface.mac, Pinned: s.Partner, Other: l.strangers.otherStation, To: l.strangers.sentTo,
			LLDP:      l.modes.agreed.Partner == partnerPresent,
			Addressed: s.Addressed(), Network: l.addressing.network,
		},
	}
	if f.Problem == partner.TooShort {
		own.Raise = l.raises(f.Octets)
	}
	if f.Problem == partner.ReplayHere &&
		l.buffered.kind != llr.GoBackN { // this end's own memory or window prevents selective replay
		f.Problem = partner.Reported
	}
	if f.Problem == partner.CreditsHere {
		credits, ok := l.missing(f.Trouble)
		switch {
		case !ok:
			f.Problem = partner.Reported
		case !credits.Agree:
			f.Acts = true
		}
		own.Credits = credits
	}
	return remedy.Find(f, &own)
}

// missing returns the remedy of this end for the credits that its partner lacks; ok is false if this end's own state
// does not confirm the partner's trouble t.
func (l *Link) missing(t wire.Trouble) (c remedy.Credits, ok bool) {
	s := l.creditSettings()
	g := remedy.Grants{
		On: s.On, PartnerOn: l.Partner.CBFC(), Asked: l.credit.asked, Limit: s.Limit, Total: s.Total,
		Size: s.Size.Credit, Overhead: s.Size.Overhead, LeastSize: cbfc.MinCreditSize, MostSize: cbfc.MaxCreditSize,
		LeastOverhead: cbfc.MinPacketOverhead, MostOverhead: cbfc.MaxPacketOverhead, MostLimit: cbfc.MaxLimit,
	}
	return g.Missing(t)
}

// trouble returns what this end wants and does not get, for its partner to know; zero if there is nothing.
func (l *Link) trouble() (t wire.Trouble) {
	switch {
	case l.Port.settings.CBFC.On && l.creditReports.trouble.Number != 0:
		return l.creditReports.trouble
	case l.buffered.kind == llr.Selective && l.Partner.SendsStation() && l.replayReason() == llr.ReplayPartner:
		t.Number = uint8(partner.Replay)
	}
	return t
}

// creditTrouble returns the trouble of the first channel of this end that shall be lossless, and for which the partner
// does not give credits; zero if there is none.
func (l *Link) creditTrouble() (t wire.Trouble) {
	s := l.creditSettings()
	if !s.On {
		return t
	}
	for vcs := s.Lossless; vcs != 0; vcs &= vcs - 1 {
		vc := uint8(bits.TrailingZeros32(vcs))
		phase, failure, _ := l.cbfc.Channel(vc)
		if phase != cbfc.BestEffort {
			continue
		}
		reason, value := uint8(0), 0
		switch failure {
		case cbfc.Refused:
			reason = remedy.Refused
		case cbfc.OtherSize:
			reason, value = remedy.OtherSize, s.Size.Credit
		case cbfc.LimitTooLow:
			reason, value = remedy.LimitTooLow, s.Size.Credits(l.account.env.Largest)
		case cbfc.NotByPartner:
			reason = remedy.NoCBFC
		case cbfc.NoFailure, cbfc.NoAnswer, cbfc.StillHeld:
			continue
		}
		return remedy.CreditTrouble(uint8(partner.Credits), vc, reason, s.Size.Overhead, value)
	}
	return t
}

// partnerPresent is the state of the partner in LLDP (Negotiated.Partner) while LLDP of a uelink link arrives.
const partnerPresent = "present"

// SetNetwork sets the name of the network of the link's interface, if that network carries only IP; "" for another.
func (l *Link) SetNetwork(name string) { l.addressing.network = name }

// acceptLLR returns why this end does not accept LLR, if it does not.
func (l *Link) acceptLLR() remedy.LLR {
	switch s := &l.Port.settings.LLR; {
	case s.Mode != model.LLRStatic:
		return remedy.ByMode
	case !s.Local:
		return remedy.ByLocal
	}
	return remedy.ByCommand
}

// raises returns the MTUs to raise so that this end accepts link frames of the partner's length, octets. With mtu: auto
// the MTU of the link follows that of its edge, and the veth of a created edge follows the link.
func (l *Link) raises(octets int) (list []remedy.MTU) {
	form := wire.Preamble{FCS: l.Port.settings.FCS, To: wire.To{Addressed: !l.Partner.SendsHosts()}}
	follows := false
	if e, carried := l.Lengths.widest, form.CarriedLen(octets); e != nil && e.link == nil && e.settings.Host == nil &&
		e.iface.maxFrame-e.iface.tagRoom < carried {
		list = append(list, remedy.MTU{Interface: e.settings.Interface, MTU: carried - netif.Slack})
		follows = l.Port.settings.MTU != model.MTUCheck
	}
	if l.Port.iface.maxFrame < octets && !follows {
		list = append(list, remedy.MTU{Interface: l.Port.settings.Interface, MTU: octets - netif.Slack})
	}
	return list
}

// addressOf returns a locally administered address for an end that has the same address as its partner. The address
// differs for each start id.
func addressOf(start uint32) wire.MAC {
	return wire.MAC{2, 0x75, 0x65, byte(start >> 16), byte(start >> 8), byte(start)}
}
