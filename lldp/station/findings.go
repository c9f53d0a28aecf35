package station

import (
	"fmt"
	"strings"

	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/lldp/dcbnl"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/ieee"
)

// The causes of findings, and texts that several findings have.
const (
	causeSeveral   = "several_agents"
	causeBoth      = "both_dialects"
	causeSilent    = "no_dcbx"
	causeOther     = "other_dialect"
	causeCIN       = "cin"
	causeDiffers   = "pfc_differs"
	causeTie       = "mac_tie"
	causeTurnedOff = "pfc_turned_off"
	causeNoAdvice  = "no_recommendation"
	causeUnusable  = "ets_unusable"
	causeNIC       = "nic"
	// causes between two uelinkd: see type between
	causeOneWay       = "lldp_one_way"
	causeOneWayThere  = "lldp_one_way_there"
	causeOffHere      = "dcbx_off_here"
	causePFCOffHere   = "pfc_off_here"
	causePFCOffThere  = "pfc_off_there"
	causeRefused      = "pfc_refused_here"
	causeOutvoted     = "pfc_outvoted"
	causeWillingHere  = "pfc_both_willing_here"
	causeWillingThere = "pfc_both_willing_there"
	causeGroupsHere   = "pg_off_here"
	causeGroupsThere  = "pg_off_there"
	otherEnd          = "the other end"
	reloadAfterConfig = " && uelink reload"
)

// Causes returns the causes that a Finding can have.
func Causes() []string {
	return []string{causeSeveral, causeBoth, causeSilent, causeOther, causeCIN, causeDiffers, causeTie, causeTurnedOff,
		causeNoAdvice, causeUnusable, causeNIC, causeOneWay, causeOneWayThere, causeOffHere, causePFCOffHere, causePFCOffThere,
		causeRefused, causeOutvoted, causeWillingHere, causeWillingThere, causeGroupsHere, causeGroupsThere}
}

// findings returns the findings about DCBX on the port, which an operator should look at, the likeliest cause first.
func (p *port) findings() (list []agent.Finding) {
	list = []agent.Finding{}
	b, both := p.between() // both: the neighbour is another uelinkd
	if !p.exchange.on {
		if f, ok := p.finding(&b); both && ok {
			list = append(list, f)
		}
		return list
	}
	if p.config.Mode != lldp.RxTx {
		return append(list, agent.Finding{Cause: causeOneWay, Command: p.key("lldp.mode", "rx-tx"),
			Text: "LLDP goes one way only (lldp.mode), so DCBX is disabled"})
	}
	s, qaz := p.exchange.snapshot()
	if f := p.aboutPeer(s); both && f.Cause == causeSilent && b.other.DCBX {
		list = append(list, agent.Finding{Cause: causeOneWayThere, Text: "the neighbour has DCBX on, but sends no DCBX TLV"})
	} else if f.Cause != "" {
		list = append(list, f)
	}
	inIEEE := qaz.Running && qaz.Peer == dcbx.PeerPresent
	switch {
	case both:
		if f, ok := p.finding(&b); ok && exchanges(s) {
			list = append(list, f)
		}
		if f, ok := p.aboutGroups(s); ok && exchanges(s) {
			list = append(list, f)
		}
	case inIEEE:
		list = append(list, p.aboutFlow(qaz)...)
	case s.PFC.Note == dcbx.ReasonNotCompatible:
		list = append(list, p.differs(s.PFC.Admin.Config.Enable, s.PFC.Peer.Config.Enable))
	}
	if inIEEE {
		list = append(list, p.aboutClasses(qaz)...)
	}
	if p.program.problem != "" && p.config.DCBNL {
		list = append(list, p.aboutNIC())
	}
	return list
}

// aboutNIC returns the finding that the NIC does not operate by the outcome of DCBX. A command can solve it only for a
// driver without DCB; otherwise the command shows the NIC's settings.
func (p *port) aboutNIC() agent.Finding {
	f := agent.Finding{Cause: causeNIC, Text: "DCBNL: " + p.program.problem,
		Command: "dcb pfc show dev " + p.config.Interface}
	if strings.Contains(p.program.problem, dcbnl.ErrUnsupported.Error()) {
		f.Command = p.setting("dcbnl", "off")
	}
	return f
}

// setting returns the command that sets a key of the port's section dcbx.
func (p *port) setting(key, value string) string { return p.key("dcbx."+key, value) }

// key returns the command that sets a key of the port.
func (p *port) key(key, value string) string {
	return fmt.Sprintf("uelink config set ports.%s.%s %s%s", p.config.Name, key, value, reloadAfterConfig)
}

// aboutPeer returns the finding about who speaks at the other end, or a Finding without a cause.
func (p *port) aboutPeer(s dcbx.Snapshot) agent.Finding {
	h := p.exchange.choice.Heard()
	switch {
	case s.Peer == dcbx.PeerSeveral:
		return agent.Finding{Cause: causeSeveral, At: otherEnd, Command: "ethtool --set-priv-flags IF fw-lldp-agent off",
			Text: "two LLDP agents at the other end, DCBX waits: one of the agents may be in the NIC's firmware"}
	case h.IEEE && h.CEE:
		return agent.Finding{Cause: causeBoth, Note: true,
			Text: "the peer sends both dialects of DCBX: " + p.exchange.spoken() + " is used"}
	case s.Peer == dcbx.PeerIEEEOnly, s.Peer == dcbx.PeerCEEOnly:
		return agent.Finding{Cause: causeOther, Command: p.setting("version", "auto"),
			Text: "another dialect is set here: " + p.exchange.dialectText()}
	case s.Peer == dcbx.PeerCINOnly:
		return agent.Finding{Cause: causeCIN, At: otherEnd, Command: "lldptool -T -i IF -V IEEE-DCBX mode=reset",
			Text: "no agreement: " + p.exchange.dialectText()}
	case s.Peer == dcbx.PeerAbsent && p.exchange.last != nil:
		return agent.Finding{Cause: causeSilent, At: otherEnd, Command: "lldptool -T -i IF -V PFC enableTx=yes",
			Text: "the neighbour sends no DCBX TLV: our own settings are in force, and pfc.mode dynamic has no priority"}
	}
	return agent.Finding{}
}

// aboutFlow returns the findings about PFC with a peer that speaks IEEE 802.1Qaz, and is not known to be uelinkd: the
// ends have different priorities, the peer has turned PFC off here, or the addresses of two willing ends decide.
func (p *port) aboutFlow(s ieee.Snapshot) (list []agent.Finding) {
	own, peer := s.Own.PFC, s.Remote.PFC
	switch {
	case peer == nil:
	case !s.Oper.PFCAgreed && own.Willing && peer.Willing:
		list = append(list, agent.Finding{Cause: causeTie, Command: p.setting("pfc.willing", "false"),
			Text: fmt.Sprintf("both ends are willing, and this end, with the higher address, decides: PFC has priorities "+
				"%s here, but the peer advertises %s", flow(s.Oper.PFC), flow(peer.Enable))})
	case !s.Oper.PFCAgreed:
		list = append(list, p.differs(s.Oper.PFC, peer.Enable))
	case own.Enable != 0 && s.Oper.PFC == 0 && peer.Willing:
		list = append(list, agent.Finding{Cause: causeTurnedOff, Command: p.setting("pfc.willing", "false"),
			Text: "the peer turned PFC off: both ends are willing, and the peer, with the higher address, has no " +
				"priority with PFC"})
	case own.Enable != 0 && s.Oper.PFC == 0:
		list = append(list, agent.Finding{Cause: causeTurnedOff, At: otherEnd,
			Command: "lldptool -T -i IF -V PFC enabled=" + flow(own.Enable),
			Text: "the peer turned PFC off: the peer has no priority with PFC and is not willing, and this end is " +
				"willing"})
	case own.Willing && peer.Willing && own.Enable != s.Oper.PFC:
		list = append(list, agent.Finding{Cause: causeTie, Note: true, Command: p.setting("pfc.willing", "false"),
			Text: "both ends are willing: the end with the higher address decides, here the peer: PFC has priorities " +
				flow(s.Oper.PFC)})
	}
	return list
}

// aboutClasses returns the findings about ETS with a peer that speaks IEEE 802.1Qaz: this end is willing and keeps its
// own tables, because the peer's recommendation cannot be used or is missing.
func (p *port) aboutClasses(s ieee.Snapshot) (list []agent.Finding) {
	switch {
	case !s.Own.ETS.Willing || s.Oper.ETSAdopted:
	case s.Remote.Recommendation != nil:
		list = append(list, agent.Finding{Cause: causeUnusable, At: otherEnd,
			Text:    "our own ETS tables are in force, because " + string(s.Oper.ETSNote),
			Command: "lldptool -T -i IF -V ETS-REC " + tables(s.Own.ETS.ETS)})
	case s.Remote.Configuration != nil:
		list = append(list, agent.Finding{Cause: causeNoAdvice, Note: true, At: otherEnd,
			Text:    "our own ETS tables are in force, because the peer recommends no ETS tables",
			Command: "lldptool -T -i IF -V ETS-REC enableTx=yes"})
	}
	return list
}

// tables returns tables of ETS in the words of lldptool.
func tables(e ieee.ETS) string {
	var algorithms, classes, shares []string
	for i := range e.Class {
		algorithm := "strict"
		if e.Algorithm[i] == ieee.Enhanced {
			algorithm = "ets"
		}
		algorithms = append(algorithms, fmt.Sprintf("%d:%s", i, algorithm))
		classes = append(classes, fmt.Sprintf("%d:%d", i, e.Class[i]))
		shares = append(shares, fmt.Sprint(e.Bandwidth[i]))
	}
	return "tsa=" + strings.Join(algorithms, ",") + " up2tc=" + strings.Join(classes, ",") + " tcbw=" +
		strings.Join(shares, ",")
}

// differs returns the finding that the two ends operate by different priorities.
// Clauses: 802.1Qaz/pfc.2.
func (p *port) differs(own, other uint8) agent.Finding {
	return agent.Finding{Cause: causeDiffers, Command: p.setting("pfc.willing", "true"),
		Text: fmt.Sprintf("PFC has priorities %s here and %s at the peer, and neither end is willing: frames can be lost",
			flow(own), flow(other))}
}

// flow returns the priorities of a bitmap as "3,4", or "none".
func flow(enable uint8) string { return dcbx.PFC{Enable: enable}.String() }
