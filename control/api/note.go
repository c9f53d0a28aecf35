package api

import "strings"

// llrNote returns in words, for the operator, what the states of a link's LLR do not say: the agreement by LLDP, the
// last flush, and the present problems; "" for nothing.
func llrNote(p Port) string {
	var notes []string
	add := func(subject, problem string) {
		if problem != "" {
			notes = append(notes, subject+problem)
		}
	}
	add("LLDP: ", agreed(p.LLR.Negotiation))
	add("flushed: ", flushed(p.LLR))
	add("stalled: ", p.LLR.Stalled)
	add("partner: ", p.LLR.PartnerProblem)
	if p.LLR.PartnerBusy {
		add("partner ", "takes no frames now, because no frames leave by its edge")
	}
	if p.LLR.PartnerAway {
		add("partner ", "restarts: frames for the partner wait at this end")
	}
	if p.OperStatus != OperUp {
		add("interface ", p.OperStatus)
	}
	add("fault: ", p.Fault)
	return strings.Join(notes, "; ")
}

// flushed returns in words the reason of LLR's last FLUSH and the frame that was not acknowledged.
func flushed(l *LLR) string {
	if l.FlushReason == "" || l.FlushFrame == "" {
		return l.FlushReason
	}
	return l.FlushReason + ", no acknowledgement for a frame of " + l.FlushFrame
}

// agreed returns the state of the negotiation by LLDP in mode dynamic, in words.
func agreed(n *LLRNegotiation) string {
	switch {
	case n == nil:
		return ""
	case n.Retiring:
		return "partner " + n.Partner + ", LLR is being switched off"
	case n.AgreedLocal || n.AgreedRemote:
		return "partner " + n.Partner + ", LLR is agreed"
	case !n.WillingLocal:
		return "partner " + n.Partner + ", this end does not offer LLR"
	}
	return "partner " + n.Partner + ", LLR is not agreed"
}
