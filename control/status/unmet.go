package status

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"uelink/control/api"
	"uelink/lldp/dcbx"
	"uelink/llr"
)

// Unmet returns all that ports want and that is not in force, in the order of the ports: the one place where wishes are
// compared with facts. exchanges is the DCBX of the ports.
func Unmet(ports []api.Port, exchanges []api.DCBX) []api.Unmet {
	list := []api.Unmet{}
	for _, p := range ports {
		w := wishes{port: p}
		w.llr()
		w.replay()
		w.cbfc()
		w.faults()
		w.dcbx(exchanges)
		list = append(list, w.unmet...)
	}
	return list
}

// wishes collects the unmet wishes of a port.
type wishes struct {
	port  api.Port
	unmet []api.Unmet
}

// add adds an unmet wish, unless the port has a wish of the same kind already.
func (w *wishes) add(wish, command, problem string) {
	if !slices.ContainsFunc(w.unmet, func(u api.Unmet) bool { return u.What == wish }) {
		w.unmet = append(w.unmet, api.Unmet{Port: w.port.Name, What: wish, Problem: problem, Command: command})
	}
}

// llr adds LLR in mode dynamic that LLDP has not agreed on. Mode static needs no agreement.
func (w *wishes) llr() {
	l := w.port.LLR
	if l == nil || l.Negotiation == nil || w.port.OperStatus != api.OperUp {
		return
	}
	n := l.Negotiation
	var missing []string
	if n.WillingLocal && !n.AgreedLocal {
		missing = append(missing, "receive")
	}
	if n.WillingRemote && !n.AgreedRemote {
		missing = append(missing, "send")
	}
	if len(missing) == 0 {
		return
	}
	command, waits := "uelink lldp neighbors "+w.port.Name, ""
	silent := n.Partner == "none" || n.Partner == "aged"
	switch {
	case l.PartnerKnown && silent && l.PartnerProblem == "":
		command, waits = "", ": waiting for llr.mode: dynamic, lldp.mode: rx-tx at "+l.PartnerMAC.String()
	case l.PartnerKnown: // the partner's status, or another problem of this port, shows the command to type
		command = ""
	case silent:
		command, waits = "", ": "+unheard("LLR (llr.mode)")
	}
	w.add(api.WantedLLR, command, fmt.Sprintf("LLR is wanted (llr.mode dynamic) and not agreed on to %s: %s; frames "+
		"cross without LLR, if at all%s", strings.Join(missing, " and to "), partnerInLLDP(n.Partner), waits))
}

// unheard returns the likely causes why no partner is heard by LLDP that offers a feature, the likeliest first. Nothing
// that arrives tells the causes apart.
func unheard(feature string) string {
	return "is LLDP (lldp.mode) or " + feature + " off at the other end? Or: does no uelinkd run there? Or: " +
		"does a bridge or switch on the way not forward LLDP?"
}

// replay adds the wish for selective replay if LLR is in force and selective replay is not. Before LLR is in force
// nothing is missing: selective replay begins with LLR.
func (w *wishes) replay() {
	l := w.port.LLR
	if l == nil || l.Replay != llr.Selective || !l.Established() || w.port.OperStatus != api.OperUp {
		return
	}
	const wanted = "selective replay is wanted (replay: selective) and not in force: "
	switch llr.ReplayReason(l.ReplayReason) {
	case llr.ReplayPartner:
		w.add(api.WantedReplay, "", wanted+"the partner does not replay selectively: waiting for replay: selective or "+
			"auto at "+l.PartnerMAC.String())
	case llr.ReplayWindow:
		w.add(api.WantedReplay, profileKey(l.Profile, "max_outstanding_frames", strconv.Itoa(llr.SelectiveFramesMax)),
			wanted+"max_outstanding_frames is larger than "+strconv.Itoa(llr.SelectiveFramesMax))
	case llr.ReplayMemory:
		w.add(api.WantedReplay, "",
			wanted+"the sockets have too few chunks for the frames kept behind a lost one: raise rx_ring_size, "+
				"or lower max_outstanding_frames")
	case llr.ReplayNextInit:
		w.add(api.WantedReplay, "uelink llr reinit "+w.port.Name,
			wanted+"both ends are ready for selective replay, which begins with the next start of LLR")
	case llr.ReplaySelective, llr.ReplayConfigured:
	}
}

// cbfc adds CBFC in mode dynamic that LLDP has not agreed on.
func (w *wishes) cbfc() {
	if c := w.port.CBFC; c != nil && c.Negotiation != nil && !c.Negotiation.Agreed && w.port.OperStatus == api.OperUp {
		w.add(api.WantedCBFC, "",
			"CBFC is wanted (cbfc.mode dynamic) and not agreed on: LLDP hears no partner that offers "+
				"CBFC: "+unheard("CBFC (cbfc.mode)"))
	}
}

// partnerInLLDP returns in words why LLDP has agreed on nothing, by the state of the partner in LLDP.
func partnerInLLDP(state string) string {
	switch state {
	case "none":
		return "LLDP hears no partner that offers LLR"
	case "present":
		return "the partner does not offer LLR in the direction that is not agreed on"
	case "aged":
		return "the partner sends no LLDP frames any more"
	case "withdrawn":
		return "the partner no longer offers LLR"
	case "ambiguous":
		return "LLDP hears several partners"
	}
	return "the local LLDP agent has the partner in the state " + state
}

// unmetFaults has, for a fault of a port that is an unmet wish, the word of the wish, and the wish in words. All other
// faults are problems of another kind.
var unmetFaults = map[string]struct{ wish, wanted string }{
	"push_back": {api.WantedPushBack, "push_back is wanted and not in force"},
	"offload":   {api.WantedOffload, "offload is wanted and not in force"},
	"capture":   {api.WantedCapture, "a capture of all frames is wanted and not in force"},
	"bookmark":  {api.WantedBookmark, "the bookmark of the link, for a restart without loss, is wanted and not in force"},
	"offloads":  {api.WantedOffloads, "switching off the offloads is wanted and not in force"},
}

// faults adds the unmet wishes that the data plane has found itself: push back that loses frames, the faults in
// unmetFaults, and a capture that has ended.
func (w *wishes) faults() {
	p := w.port
	if p.PushBack == "lossy" {
		w.add(api.WantedPushBack, "",
			"push_back is wanted, and the kernel drops frames that find no room: "+p.PushBackReason)
	}
	for _, reason := range p.FaultReasons {
		if f, found := unmetFaults[reason]; found {
			w.add(f.wish, api.CommandIn(p.Fault), f.wanted+": "+p.Fault)
		}
	}
	if p.CaptureEnded != "" {
		w.add(api.WantedCapture, "", "a capture of all frames is wanted and has ended: "+p.CaptureEnded)
	}
}

// inUnmet reports whether all faults of a port are unmet wishes, so that their text has a line already.
func inUnmet(p api.Port) bool {
	return len(p.FaultReasons) > 0 && !slices.ContainsFunc(p.FaultReasons, func(reason string) bool {
		_, found := unmetFaults[reason]
		return !found
	})
}

// dcbx adds the features that a port wants from its neighbour by DCBX and that are not agreed on, and an agreement that
// the NIC has refused.
func (w *wishes) dcbx(exchanges []api.DCBX) {
	command := "uelink dcbx show " + w.port.Name
	if pfc := w.port.PFC; pfc != nil && pfc.Dynamic && pfc.DCBX == "not_running" {
		w.add(api.WantedPFC, command, "PFC is wanted (pfc.mode dynamic), and DCBX does not run on the port")
	}
	for _, d := range exchanges {
		if d.Port != w.port.Name || !d.Enabled || w.port.OperStatus != api.OperUp {
			continue
		}
		if d.DCBNL.Status == "failed" {
			w.add(api.WantedDCBNL, command,
				"the outcome of DCBX is wanted in the NIC (dcbnl apply), which refuses it: "+
					d.DCBNL.Error)
		}
		if other := otherDCBX(d); other != "" {
			w.add(api.WantedDCBX, command,
				"DCBX is wanted, and the neighbour speaks "+other+": nothing is agreed on; set "+
					"dcbx.version to auto, or the neighbour to another dialect")
			continue
		}
		if q := d.IEEE; q.Running { // the exchange of CEE does not run
			if q.Own.PFC.Enable != 0 || w.dynamicPFC() {
				addFeature(w, api.WantedPFC, "PFC is wanted (dcbx.pfc)", d, q.Oper.PFCAgreed, q.Oper.PFCNote)
			}
			continue
		}
		if asked := d.PFC.Admin.Enable && d.PFC.Admin.Advertise; asked &&
			(d.PFC.Admin.Config.Enable != 0 || w.dynamicPFC()) {
			addFeature(w, api.WantedPFC, "PFC is wanted (dcbx.pfc)", d, d.PFC.Oper.OperMode, d.PFC.Note)
		}
		if d.PG.Admin.Enable && d.PG.Admin.Advertise && d.PG.Admin.Config.Asked() {
			addFeature(w, api.WantedPG, "the configuration asks for priority groups (dcbx.pg)", d, d.PG.Oper.OperMode, d.PG.Note)
		}
	}
}

// dynamicPFC reports whether DCBX decides on which priorities the port has PFC.
func (w *wishes) dynamicPFC() bool { return w.port.PFC != nil && w.port.PFC.Dynamic }

// addFeature adds a feature of DCBX that is asked for, unless the exchange d has agreed on it: operates is true then,
// and reason is that of a missing agreement. wish is the feature's word, asked begins the text of the problem.
func addFeature(w *wishes, wish, asked string, d api.DCBX, operates bool, reason dcbx.Reason) {
	command := "uelink dcbx show " + w.port.Name
	switch {
	case d.Peer == dcbx.PeerUnknown || d.Peer == dcbx.PeerAbsent:
		// With a neighbour that sends no DCBX, the finding no_dcbx takes the place of these words.
		waits := unheard("DCBX (dcbx.mode)")
		if partner := partnerOf(w.port); partner != "" {
			waits = "waiting for lldp.mode: rx-tx, dcbx.mode: on at " + partner
		}
		w.add(wish, "", asked+", but DCBX has agreed on it with no peer: "+peerInWords(d.Peer)+": "+waits)
	case d.Peer != dcbx.PeerPresent:
		w.add(wish, command, asked+", but DCBX has agreed on it with no peer: "+peerInWords(d.Peer))
	case reason == dcbx.ReasonPeerDisabled:
		w.add(wish, "", asked+", but DCBX has not agreed on it: "+string(reason)+": waiting for dcbx."+wish+
			".enabled: true at the neighbour")
	case !operates || reason != dcbx.ReasonNone:
		w.add(wish, command, asked+", but DCBX has not agreed on it: "+string(reason))
	}
}

// peerInWords returns in words why a peer of DCBX is not present.
func peerInWords(p dcbx.PeerStatus) string {
	switch p {
	case dcbx.PeerSeveral:
		return "there are several LLDP neighbours"
	case dcbx.PeerMalformed:
		return "the neighbour's DCBX cannot be read"
	case dcbx.PeerAbsent:
		return "no neighbour sends DCBX"
	case dcbx.PeerCINOnly:
		return "the neighbour speaks only CIN, the version before CEE"
	// the last three do not reach peerInWords
	case dcbx.PeerUnknown, dcbx.PeerIEEEOnly, dcbx.PeerCEEOnly, dcbx.PeerPresent:
	}
	return "no neighbour that speaks DCBX was heard"
}

// otherDCBX returns the version of DCBX of a neighbour that speaks another version than this port; else "".
func otherDCBX(d api.DCBX) string {
	switch {
	case d.Peer == dcbx.PeerPresent:
		return ""
	case d.Peer == dcbx.PeerIEEEOnly:
		return "DCBX of IEEE 802.1Qaz"
	case d.Peer == dcbx.PeerCEEOnly:
		return "DCBX of base specification 1.0, CEE"
	case d.CIN != nil:
		return "CIN, the DCBX version before CEE"
	}
	return ""
}
