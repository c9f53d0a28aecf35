package ue

import (
	"time"

	"uelink/lldp"
	"uelink/wire"
)

// replacedAfter is how long the partner may stay silent after link up. A later LLDPDU without UE TLVs, of another
// neighbour, means that another station has replaced the partner: a present partner sends five frames in the first four
// seconds after link up.
const replacedAfter = 10 * time.Second

// Options is a port's offer. Without Advertise the port sends no UE TLV; with Advertise, features
// not offered are advertised as disabled.
type Options struct {
	Advertise bool
	LLR       bool
	CBFC      bool
	Credit    CBFC       // with CBFC
	Size      CreditSize // with CBFC; zero: not sent
}

// Port is the negotiation of one port, an lldp.Provider.
//
// The partner is the neighbour that sends UE TLVs. Neighbours without UE TLVs, such as another LLDP
// agent on the partner's host, do not count. The partner stays the same until it leaves, even if
// another neighbour sends UE TLVs.
// Clauses: UE-LINK/overview.11, UE-LINK/link-tlv.8.
type Port struct {
	codec   Codec
	options Options
	sending bool // the LLDP agent's transmission is enabled

	partner *lldp.Info // the partner's latest LLDPDU; nil: no partner
	cutAt   wire.Time  // when the link came up again, at which the partner was deleted
	cut     bool       // the partner was deleted at cutAt, and has sent no LLDPDU since
	result  Result

	buf []byte // scratch of AppendTLVs
}

// NewPort returns the UE negotiation of a port: o is this end's offer, c has the OUI of the UE TLVs.
func NewPort(c Codec, o Options) *Port {
	p := &Port{codec: c, options: o}
	p.updateOwn()
	return p
}

// Options returns this end's offer to the partner: the features that the port advertises.
func (p *Port) Options() Options { return p.options }

// Result returns the present result of the negotiation: the features (LLR, CBFC) that both ends can use, and the
// partner's state.
func (p *Port) Result() Result { return p.result }

// SetOptions replaces this end's offer to the partner. It reports whether the offer has changed, so that an LLDPDU
// must be sent.
func (p *Port) SetOptions(o Options) (localChange bool) {
	if o == p.options {
		return false
	}
	p.options = o
	p.updateOwn()
	return true
}

// updateOwn sets the advertisement of this end, by its offer and LLDP's mode, and updates the result.
func (p *Port) updateOwn() {
	o := p.options
	a := Advertisement{HasLink: o.Advertise, Link: Link{LLR: o.LLR, CBFC: o.CBFC, Version: Version}}
	if o.Advertise && o.CBFC {
		a.HasCBFC, a.CBFC = true, o.Credit
		a.HasCreditSize, a.CreditSize = o.Size != CreditSize{}, o.Size
	}
	if !a.HasLink || !p.sending {
		a = Advertisement{} // not sent
	}
	p.result.Own = a
	p.result.update()
}

// Recognizes reports whether a TLV is one of the UE TLVs; it implements lldp.Provider.
func (p *Port) Recognizes(oui lldp.OUI, subtype uint8) bool { return p.codec.Recognizes(oui, subtype) }

// PortChanged handles a change of the port's LLDP mode: without sending, nothing is advertised. It implements
// lldp.Provider.
func (p *Port) PortChanged(s lldp.PortStatus, _ wire.Time) bool {
	p.sending = s.Admin.Tx()
	p.updateOwn()
	return false
}

// AppendTLVs appends this end's UE TLVs; it implements lldp.Provider.
func (p *Port) AppendTLVs(list []lldp.Org) []lldp.Org {
	list, p.buf = p.codec.Append(list, p.result.Own, p.buf[:0])
	return list
}

// NeighborSeen handles an LLDPDU or the loss of a neighbour, and updates partner and result; it implements
// lldp.Provider.
func (p *Port) NeighborSeen(s lldp.Sighting, now wire.Time) bool {
	switch {
	case s.Gone == lldp.NotGone:
		p.received(s, now)
	case p.partner != nil && p.partner.SameMSAP(s.Subject):
		p.neighborDeleted(s.Gone, now)
	}
	p.choose(s.Neighbors)
	p.result.update()
	return false
}

// received handles an LLDPDU of a neighbour for the negotiation. The partner's advertisement is withdrawn by an LLDPDU
// without UE TLVs: from the partner, or, later than replacedAfter after link up, from another station, which has then
// replaced the partner.
func (p *Port) received(s lldp.Sighting, now wire.Time) {
	speaks := p.codec.Parse(s.Subject.Org).Speaks()
	switch {
	case p.partner != nil && p.partner.SameMSAP(s.Subject):
		if !speaks {
			p.withdraw()
		}
	case !speaks && p.cut && now.Sub(p.cutAt) > replacedAfter:
		p.withdraw() // another station is at the other end now
	}
}

// neighborDeleted handles the loss of the UE partner. Features agreed on stay on, unless the partner sent a
// shutdown LLDPDU.
func (p *Port) neighborDeleted(cause lldp.Cause, now wire.Time) {
	if cause == lldp.ShutDown {
		p.withdraw()
		return
	}
	p.partner, p.result.Partner = nil, PartnerAged
	p.cut, p.cutAt = cause == lldp.Initialized, now
}

// withdraw records that the partner speaks UE no longer: the partner and its advertisement are deleted.
func (p *Port) withdraw() {
	p.partner, p.cut = nil, false
	p.result.Partner, p.result.Advertised = PartnerWithdrawn, Advertisement{}
}

// choose selects the UE partner among the neighbours: the present partner if it still sends UE TLVs, else the only
// neighbour with UE TLVs. Several such neighbours make the partner ambiguous. When the last of those is gone, the
// partner counts as aged if there was one before, else there is none.
func (p *Port) choose(neighbors []*lldp.Info) {
	var speaker *lldp.Info
	speakers := 0
	for _, n := range neighbors {
		if !p.codec.Parse(n.Org).Speaks() {
			continue
		}
		if p.partner != nil && p.partner.SameMSAP(n) {
			p.setPartner(n)
			return
		}
		speaker = n
		speakers++
	}
	switch {
	case speakers == 1:
		p.setPartner(speaker)
	case speakers > 1:
		p.result.Partner = PartnerAmbiguous
	case p.result.Partner == PartnerAmbiguous && p.result.Advertised.Speaks():
		p.result.Partner = PartnerAged
	case p.result.Partner == PartnerAmbiguous:
		p.result.Partner = PartnerNone
	}
}

// setPartner makes the neighbour n the UE partner, and takes over its advertisement.
func (p *Port) setPartner(n *lldp.Info) {
	p.partner, p.cut = n, false
	p.result.Partner, p.result.Advertised = PartnerPresent, p.codec.Parse(n.Org)
}

// Parse decodes the UE TLVs among the organizationally specific TLVs of an LLDPDU.
func (p *Port) Parse(list []lldp.Org) Advertisement { return p.codec.Parse(list) }
