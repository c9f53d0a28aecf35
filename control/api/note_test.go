package api

import "testing"

// What LLDP has to do with LLR.
func TestAgreed(t *testing.T) {
	for want, n := range map[string]*LLRNegotiation{
		"":                               nil,
		"partner present, LLR is agreed": {Partner: "present", WillingLocal: true, AgreedLocal: true, AgreedRemote: true},
		"partner aged, LLR is agreed":    {Partner: "aged", WillingLocal: true, AgreedLocal: true, AgreedRemote: true},
		"partner withdrawn, LLR is being switched off": {Partner: "withdrawn", WillingLocal: true, Retiring: true},
		"partner none, LLR is not agreed":              {Partner: "none", WillingLocal: true},
		"partner present, this end does not offer LLR": {Partner: "present"},
	} {
		if got := agreed(n); got != want {
			t.Errorf("%+v: %q, want %q", n, got, want)
		}
	}
}

func TestLLRNote(t *testing.T) {
	for want, p := range map[string]Port{
		"":               {OperStatus: "up", LLR: &LLR{}},
		"interface down": {OperStatus: "down", LLR: &LLR{}},
		"partner restarts: frames for the partner wait at this end": {OperStatus: "up", LLR: &LLR{PartnerAway: true}},
		"fault: no program":     {OperStatus: "up", Fault: "no program", LLR: &LLR{}},
		"flushed: carrier lost": {OperStatus: "up", LLR: &LLR{FlushReason: "carrier lost"}},
		"flushed: replay count, no acknowledgement for a frame of 60 octets; partner: silent": {OperStatus: "up",
			LLR: &LLR{FlushReason: "replay count", FlushFrame: "60 octets", PartnerProblem: "silent"}},
		"LLDP: partner none, LLR is not agreed; stalled: 60 octets; partner takes no frames now, because no frames leave by its edge": {
			OperStatus: "up", LLR: &LLR{Negotiation: &LLRNegotiation{Partner: "none", WillingLocal: true},
				Stalled: "60 octets", PartnerBusy: true}},
	} {
		if got := llrNote(p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
