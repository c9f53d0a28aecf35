package api

import "uelink/lldp/ue"

// Objects of the UE negotiation. The bit map of virtual channels is there as a list, too.

// UECBFC is the CBFC TLV.
type UECBFC struct {
	ue.CBFC
	LosslessList Numbers `json:"lossless_vc_list"` // lossless virtual channels, 0 to 31
}

// UEAdvertisement has the UE TLVs of one LLDPDU.
type UEAdvertisement struct {
	HasLink   bool     `json:"has_link"`
	Link      ue.Link  `json:"link"`
	LinkFault ue.Fault `json:"link_fault"`
	HasCBFC   bool     `json:"has_cbfc"`
	CBFC      UECBFC   `json:"cbfc"`
	CBFCFault ue.Fault `json:"cbfc_fault"`

	HasCreditSize   bool          `json:"has_credit_size"`
	CreditSize      ue.CreditSize `json:"credit_size"`
	CreditSizeFault ue.Fault      `json:"credit_size_fault"`

	HasWishes   bool      `json:"has_wishes"`
	Wishes      ue.Wishes `json:"wishes"`
	WishesFault ue.Fault  `json:"wishes_fault"`
}

// Speaks reports whether a UE TLV was received, usable or not.
func (a UEAdvertisement) Speaks() bool {
	return a.HasLink || a.HasCBFC || a.LinkFault != ue.NoFault || a.CBFCFault != ue.NoFault
}

// UECredit has the settings that both ends use for CBFC.
type UECredit struct {
	ue.Credit
	LosslessList Numbers `json:"lossless_vc_list"` // lossless virtual channels, 0 to 31
}

// UEResult has the features that both ends can use.
type UEResult struct {
	Partner    ue.PartnerState `json:"partner"`
	Own        UEAdvertisement `json:"own"`
	Advertised UEAdvertisement `json:"advertised"` // latest UE TLVs of the partner
	LLR        ue.LLR          `json:"llr"`
	CBFC       UECredit        `json:"cbfc"`
}

func newUEAdvertisement(a ue.Advertisement) UEAdvertisement {
	return UEAdvertisement{
		HasLink: a.HasLink, Link: a.Link, LinkFault: a.LinkFault,
		HasCBFC: a.HasCBFC, CBFC: UECBFC{a.CBFC, numbers(a.CBFC.Lossless)}, CBFCFault: a.CBFCFault,
		HasCreditSize: a.HasCreditSize, CreditSize: a.CreditSize, CreditSizeFault: a.CreditSizeFault,
		HasWishes: a.HasWishes, Wishes: a.Wishes, WishesFault: a.WishesFault,
	}
}

func newUEResult(r ue.Result) UEResult {
	return UEResult{
		Partner: r.Partner, Own: newUEAdvertisement(r.Own), Advertised: newUEAdvertisement(r.Advertised),
		LLR: r.LLR, CBFC: UECredit{r.CBFC, numbers(r.CBFC.Lossless)},
	}
}
