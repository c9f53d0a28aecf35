package ue

// PartnerState is what is known of the partner.
type PartnerState uint8

// The states of the partner.
const (
	PartnerNone      PartnerState = iota // nobody has sent UE TLVs
	PartnerPresent                       // its TLVs are current
	PartnerAged                          // it is no longer heard; it did not say that it leaves
	PartnerWithdrawn                     // it said that it leaves, or leaves out its TLVs
	PartnerAmbiguous                     // several neighbours send UE TLVs and none of them is known as the partner
)

var partnerNames = [...]string{"none", "present", "aged", "withdrawn", "ambiguous", "unknown"}

// String is the state in a word.
func (s PartnerState) String() string { return partnerNames[min(s, PartnerAmbiguous+1)] }

// MarshalText shows a PartnerState as a word.
func (s PartnerState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText is the reverse of MarshalText; other words are an unknown state.
func (s *PartnerState) UnmarshalText(b []byte) error {
	*s = index[PartnerState](partnerNames[:], b)
	return nil
}

// LLR is what LLR_MODE_LOCAL and LLR_MODE_REMOTE are to be. Drain says that they
// go off after having been on: what is outstanding is to be delivered first.
type LLR struct {
	Local  bool `json:"local"`
	Remote bool `json:"remote"`
	Drain  bool `json:"drain"`
}

// Credit is what CBFC is to run with. Its parameters are zero while it is off.
// Drain says that it goes off after having been on.
type Credit struct {
	On       bool   `json:"on"`
	VCs      int    `json:"vcs"`          // the first of the VCs are used
	Pool     int    `json:"credit_pool"`  // credits
	Lossless uint32 `json:"lossless_vcs"` // bit N is VC N
	Drain    bool   `json:"drain"`
}

// Result is what both ends can do. It can be compared with ==.
type Result struct {
	Partner    PartnerState  `json:"partner"`
	Own        Advertisement `json:"own"`
	Advertised Advertisement `json:"advertised"` // by the partner, the latest
	LLR        LLR           `json:"llr"`
	CBFC       Credit        `json:"cbfc"`
}

// judge computes what to do from both advertisements. Something is switched on
// only by what the partner says now; it stays on also by what it said last.
func (r *Result) judge() {
	current := r.Partner == PartnerPresent
	r.LLR = r.LLR.next(r.Own.llr() && r.Advertised.llr() && (current || r.LLR.Local))
	r.CBFC = r.CBFC.next(r.Own.cbfc() && r.Advertised.cbfc() && (current || r.CBFC.On), r.Own.CBFC, r.Advertised.CBFC)
}

// next switches both directions together: either end is sender and receiver, and
// the one flag of the seed speaks of both.
func (l LLR) next(on bool) LLR {
	return LLR{Local: on, Remote: on, Drain: !on && (l.Local || l.Drain)}
}

// next is the intersection of what both ends offer.
func (c Credit) next(on bool, own, partner CBFC) Credit {
	if !on {
		return Credit{Drain: c.On || c.Drain}
	}
	vcs := min(own.VCs, partner.VCs)
	return Credit{On: true, VCs: int(vcs), Pool: int(min(own.Pool, partner.Pool)),
		Lossless: own.Lossless & partner.Lossless & (uint32(1)<<vcs - 1)}
}
