package ue

// PartnerState is the knowledge about the partner.
type PartnerState uint8

// The states of the partner.
const (
	PartnerNone      PartnerState = iota // no neighbour has sent UE TLVs
	PartnerPresent                       // the partner's TLVs are current
	PartnerAged                          // the partner's TLVs aged out, or the link went down
	PartnerWithdrawn                     // the partner sent a shutdown LLDPDU, or stopped sending UE TLVs
	PartnerAmbiguous                     // several neighbours send UE TLVs and none was the partner before
)

// partnerNames has the names of the partner's states in the API.
var partnerNames = [...]string{"none", "present", "aged", "withdrawn", "ambiguous", "unknown"}

// String returns the name of the partner's state in the API.
func (s PartnerState) String() string { return partnerNames[min(s, PartnerAmbiguous+1)] }

// MarshalText returns the name of the partner's state in the API, as octets. The error is always nil.
func (s PartnerState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText sets the partner's state from its name in the API. Other text becomes an unknown state; the error is
// always nil.
func (s *PartnerState) UnmarshalText(b []byte) error {
	*s = index[PartnerState](partnerNames[:], b)
	return nil
}

// LLR holds the values for LLR_MODE_LOCAL and LLR_MODE_REMOTE. Drain means that both go off after
// having been on: deliver the outstanding frames first.
type LLR struct {
	Local  bool `json:"local"`
	Remote bool `json:"remote"`
	Drain  bool `json:"drain"`
}

// Credit holds the parameters of CBFC, zero while CBFC is off. Drain means that CBFC goes off after
// having been on.
type Credit struct {
	On       bool   `json:"on"`
	VCs      int    `json:"vcs"`          // number of VCs, from VC 0 on
	Pool     int    `json:"credit_pool"`  // credits
	Lossless uint32 `json:"lossless_vcs"` // bit N is VC N
	Drain    bool   `json:"drain"`
}

// Result is the outcome for both ends. Results can be compared with ==.
type Result struct {
	Partner    PartnerState  `json:"partner"`
	Own        Advertisement `json:"own"`
	Advertised Advertisement `json:"advertised"` // latest advertisement of the partner
	LLR        LLR           `json:"llr"`
	CBFC       Credit        `json:"cbfc"`
}

// update computes, from the advertisements of both ends, which features are on. A feature is switched on only by an
// advertisement that the partner sends now; it stays on by the partner's latest one, even if the partner is silent.
// Clauses: UE-LINK/link-tlv.8.
func (r *Result) update() {
	current := r.Partner == PartnerPresent
	r.LLR = r.LLR.next(r.Own.llr() && r.Advertised.llr() && (current || r.LLR.Local))
	r.CBFC = r.CBFC.next(r.Own.cbfc() && r.Advertised.cbfc() && (current || r.CBFC.On), r.Own.CBFC, r.Advertised.CBFC)
}

// next returns the new outcome for LLR; on is whether the ends agree on LLR now. Both directions go on and off
// together, because each end is sender and receiver, and the single flag of UE-LINK covers both.
func (l LLR) next(on bool) LLR {
	return LLR{Local: on, Remote: on, Drain: !on && (l.Local || l.Drain)}
}

// next returns the new outcome for CBFC; on is whether the ends agree on CBFC now. If so, the outcome is the
// intersection of the offers own and partner.
// Clauses: UE-LINK/overview.12.
func (c Credit) next(on bool, own, partner CBFC) Credit {
	if !on {
		return Credit{Drain: c.On || c.Drain}
	}
	vcs := min(own.VCs, partner.VCs)
	return Credit{On: true, VCs: int(vcs), Pool: int(min(own.Pool, partner.Pool)),
		Lossless: own.Lossless & partner.Lossless & (uint32(1)<<vcs - 1)}
}
