package ue

import (
	"uelink/internal/snapshot"
	"uelink/lldp"
)

// PassState saves to snapshot s, or restores from it, this end's offer, the partner's latest LLDPDU and the result of
// the UE negotiation. The OUI is a setting of the station.
func (p *Port) PassState(s *snapshot.State) {
	s.Struct("options", &p.options)
	s.Bool("sending", &p.sending)
	lldp.PassInfo(s, "partner", &p.partner)
	snapshot.Number(s, "cut_at", &p.cutAt)
	s.Bool("cut", &p.cut)
	s.Struct("result", &p.result)
	s.Check(p.result.Partner <= PartnerAmbiguous, "partner state %d", p.result.Partner)
	s.Check((p.partner != nil) == (p.result.Partner == PartnerPresent) || p.result.Partner == PartnerAmbiguous,
		"partner state %v", p.result.Partner)
}
