package control

import "strings"

// llrNote is what an operator has to know of a link beyond the states of its LLR; ""
// if that is nothing.
func llrNote(p Port) string {
	var notes []string
	add := func(what, why string) {
		if why != "" {
			notes = append(notes, what+why)
		}
	}
	add("LLDP: ", agreed(p.LLR.Negotiation))
	add("flushed: ", flushed(p.LLR))
	add("stalled: ", p.LLR.Stalled)
	add("partner: ", p.LLR.PartnerProblem)
	if p.LLR.PartnerBusy {
		add("partner ", "takes no frames now: its edge stands still")
	}
	if p.LLR.PartnerAway {
		add("partner ", "starts anew: frames for it wait here")
	}
	if p.OperStatus != OperUp {
		add("interface ", p.OperStatus)
	}
	add("fault: ", p.Fault)
	return strings.Join(notes, "; ")
}

// flushed is why LLR has flushed, and for which frame.
func flushed(l *LLR) string {
	if l.FlushReason == "" || l.FlushFrame == "" {
		return l.FlushReason
	}
	return l.FlushReason + ", no acknowledgement for a frame of " + l.FlushFrame
}

// agreed is what LLDP has to do with LLR in mode dynamic.
func agreed(n *LLRNegotiation) string {
	switch {
	case n == nil:
		return ""
	case n.Retiring:
		return "partner " + n.Partner + ", LLR is given up"
	case n.AgreedLocal || n.AgreedRemote:
		return "partner " + n.Partner + ", LLR is agreed"
	case !n.WillingLocal:
		return "partner " + n.Partner + ", this end does not offer LLR"
	}
	return "partner " + n.Partner + ", LLR is not agreed"
}
