package ue

import "uelink/lldp"

// replacedAfter is how long after the link has come up again, in nanoseconds, the
// neighbours who speak without UE TLVs are believed to be all there are: a
// partner who is still there sends five frames in the first four seconds.
const replacedAfter = 10_000_000_000

// Options is what a port offers. Without Advertise it sends no UE TLV; with it,
// what is not offered is advertised as disabled.
type Options struct {
	Advertise bool
	LLR       bool
	CBFC      bool
	Credit    CBFC       // with CBFC
	Size      CreditSize // with CBFC; zero: it is not said
}

// Port is the negotiation of one port, an lldp.Provider.
//
// The partner is the neighbour who sends UE TLVs; neighbours who send none, such
// as another LLDP agent on the partner's host, do not matter. Once there is a
// partner it stays the same one until it leaves, whoever else turns up.
type Port struct {
	codec   Codec
	options Options
	sending bool // the LLDP agent's transmission is enabled

	partner *lldp.Info // followed; its latest
	cutAt   int64      // when the partner was lost because the link went down
	cut     bool
	result  Result

	buf []byte // scratch of AppendTLVs
}

// NewPort makes the negotiation of a port.
func NewPort(c Codec, o Options) *Port {
	p := &Port{codec: c, options: o}
	p.own()
	return p
}

// Result is what both ends can do at present.
func (p *Port) Result() Result { return p.result }

// SetOptions replaces what the port offers. If it returns true, an LLDPDU is to
// be sent.
func (p *Port) SetOptions(o Options) (localChange bool) {
	if o == p.options {
		return false
	}
	p.options = o
	p.own()
	return true
}

// own makes the advertisement of this end.
func (p *Port) own() {
	o := p.options
	a := Advertisement{HasLink: o.Advertise, Link: Link{LLR: o.LLR, CBFC: o.CBFC, Version: Version}}
	if o.Advertise && o.CBFC {
		a.HasCBFC, a.CBFC = true, o.Credit
		a.HasCreditSize, a.CreditSize = o.Size != CreditSize{}, o.Size
	}
	if !a.HasLink || !p.sending {
		a = Advertisement{} // nobody hears it
	}
	p.result.Own = a
	p.result.judge()
}

// Recognizes is for the LLDP agent.
func (p *Port) Recognizes(oui lldp.OUI, subtype uint8) bool { return p.codec.Recognizes(oui, subtype) }

// PortChanged is for the LLDP agent.
func (p *Port) PortChanged(s lldp.PortStatus, _ int64) bool {
	p.sending = s.Admin.Tx()
	p.own()
	return false
}

// AppendTLVs is for the LLDP agent.
func (p *Port) AppendTLVs(list []lldp.Org) []lldp.Org {
	list, p.buf = p.codec.Append(list, p.result.Own, p.buf[:0])
	return list
}

// NeighborSeen is for the LLDP agent.
func (p *Port) NeighborSeen(s lldp.Sighting, now int64) bool {
	switch {
	case s.Gone == lldp.NotGone:
		p.present(s, now)
	case p.partner != nil && p.partner.SameMSAP(s.Subject):
		p.gone(s.Gone, now)
	}
	p.choose(s.Neighbors)
	p.result.judge()
	return false
}

// present takes an LLDPDU of somebody.
func (p *Port) present(s lldp.Sighting, now int64) {
	speaks := p.codec.Parse(s.Subject.Org).Speaks()
	switch {
	case p.partner != nil && p.partner.SameMSAP(s.Subject):
		if !speaks {
			p.withdraw()
		}
	case !speaks && p.cut && now-p.cutAt > replacedAfter:
		p.withdraw() // somebody else is at the other end now
	}
}

// gone takes it that the partner is no longer heard. What was agreed stays, but
// for a partner that says that it leaves.
func (p *Port) gone(why lldp.Cause, now int64) {
	if why == lldp.ShutDown {
		p.withdraw()
		return
	}
	p.partner, p.result.Partner = nil, PartnerAged
	p.cut, p.cutAt = why == lldp.Initialized, now
}

// withdraw forgets the partner and what it offered.
func (p *Port) withdraw() {
	p.partner, p.cut = nil, false
	p.result.Partner, p.result.Advertised = PartnerWithdrawn, Advertisement{}
}

// choose finds the partner among the neighbours.
func (p *Port) choose(neighbors []*lldp.Info) {
	var speaker *lldp.Info
	speakers := 0
	for _, n := range neighbors {
		if !p.codec.Parse(n.Org).Speaks() {
			continue
		}
		if p.partner != nil && p.partner.SameMSAP(n) {
			p.follow(n)
			return
		}
		speaker = n
		speakers++
	}
	switch {
	case speakers == 1:
		p.follow(speaker)
	case speakers > 1:
		p.result.Partner = PartnerAmbiguous
	case p.result.Partner == PartnerAmbiguous && p.result.Advertised.Speaks():
		p.result.Partner = PartnerAged
	case p.result.Partner == PartnerAmbiguous:
		p.result.Partner = PartnerNone
	}
}

func (p *Port) follow(n *lldp.Info) {
	p.partner, p.cut = n, false
	p.result.Partner, p.result.Advertised = PartnerPresent, p.codec.Parse(n.Org)
}

// Parse finds the UE TLVs among those of an LLDPDU.
func (p *Port) Parse(list []lldp.Org) Advertisement { return p.codec.Parse(list) }
